"""Stovepipe's stored entities: frozen values that know their own invariants and nothing of storage.

Reading builds entities without judging them, so that rows of a newer service can be shown; `validate` is called
before every write.
"""

from stovepipe_cli.entities.build import Build
from stovepipe_cli.entities.build_issue import BuildIssue
from stovepipe_cli.entities.issue_log import IssueLog
from stovepipe_cli.entities.open_issue import OpenIssue
from stovepipe_cli.entities.project_fact_by_degree import ProjectFactByDegree
from stovepipe_cli.entities.queue import Queue
from stovepipe_cli.entities.queue_log import QueueLog
from stovepipe_cli.entities.queue_summary import QueueSummary
from stovepipe_cli.entities.request import Request
from stovepipe_cli.entities.request_acceptance import RequestAcceptance
from stovepipe_cli.entities.request_log import RequestLog
from stovepipe_cli.entities.request_summary import RequestSummary
from stovepipe_cli.entities.request_uri import RequestURI
from stovepipe_cli.entities.validation_fact import ValidationFact

__all__ = [
    "Build",
    "BuildIssue",
    "IssueLog",
    "OpenIssue",
    "ProjectFactByDegree",
    "Queue",
    "QueueLog",
    "QueueSummary",
    "Request",
    "RequestAcceptance",
    "RequestLog",
    "RequestSummary",
    "RequestURI",
    "ValidationFact",
]
