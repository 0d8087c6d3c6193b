"""Measurements beside the smallest program that does the same. Nothing here is a test, and no test is timed."""
