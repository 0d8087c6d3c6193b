"""Verify: bounded reads over one queue, rules over what they show, and the findings that stand a second read."""
