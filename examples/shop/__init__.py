"""An API of a small shop for outdoor gear: catalogue, sales and back office."""
