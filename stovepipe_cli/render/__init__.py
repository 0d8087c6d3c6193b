"""Reports as text: JSON, ndjson, tsv, csv, tables and prose. The only place that imports rich."""
