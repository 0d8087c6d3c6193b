"""Look into, check and mend the request history of a Stovepipe commit-validation service."""

__version__ = "0.1.0"
