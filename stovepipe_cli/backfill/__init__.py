"""Backfills: rows that older writers never made, made from what is stored."""
