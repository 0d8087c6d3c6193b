"""The metadata keys that carry meaning, and the limits on what an entry may carry."""

BASE_URI = "base_uri"
BUILD_ID = "build_id"
FACT_DEGREE = "fact_degree"
PROJECT_FACT_COUNT = "project_fact_count"
BROKEN_PROJECT_FACT_COUNT = "broken_project_fact_count"
SUPERSEDED_BY = "superseded_by_request_id"
REPAIR_RUN_ID = "repair_run_id"

MAX_KEYS = 64
MAX_VALUE_BYTES = 4096
