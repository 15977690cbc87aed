"""Frozen values that the layers hand to each other. No behaviour beyond checking themselves."""
