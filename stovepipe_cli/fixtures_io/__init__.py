"""Scenarios and synthetic queues: strict YAML to rows to stores, and a seeded generator with planted damage."""
