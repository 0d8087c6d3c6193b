"""Repair: what stored rows prove of lost history, as a plan, and the plan applied."""
