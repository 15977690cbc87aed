"""How fast does your API put bytes on the wire, what would make it faster, and can you prove it?"""

__version__ = "0.1.0"
