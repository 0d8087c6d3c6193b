"""Which reports are the `data` of which command's document; all of them where it can answer in several ways."""

from collections.abc import Mapping
from types import MappingProxyType

from stovepipe_cli.reports.backfill import BackfillReport
from stovepipe_cli.reports.completion import CompletionReport
from stovepipe_cli.reports.database import DatabaseCheckReport, DatabaseInitReport, DatabasePingReport
from stovepipe_cli.reports.demo import DemoReport
from stovepipe_cli.reports.exit_codes import ExitCode
from stovepipe_cli.reports.fixtures import (
    FixturesCheckReport,
    FixturesDumpReport,
    FixturesGenerateReport,
    FixturesLoadReport,
)
from stovepipe_cli.reports.history import HistoryReport
from stovepipe_cli.reports.ledger import LedgerCheckReport, LedgerInitReport, LedgerPruneReport, LedgerUpgradeReport
from stovepipe_cli.reports.listing import ListReport, OpenIssueItem, QueueItem, SettingItem
from stovepipe_cli.reports.look import (
    FactItem,
    GrantItem,
    IssueReport,
    ObservationItem,
    QueueReport,
    RequestItem,
    RequestReport,
)
from stovepipe_cli.reports.queues import QueuesReport
from stovepipe_cli.reports.repair import ApplyReport, RepairPlan
from stovepipe_cli.reports.rules import RuleItem, RuleReport
from stovepipe_cli.reports.runs import RunChangeReport, RunReport, RunsReport, RunUndoReport
from stovepipe_cli.reports.schema import SchemaItem, SchemaReport
from stovepipe_cli.reports.verify import VerifyReport

# By the words of the command, groups by their own name.
ANSWERS: Mapping[str, tuple[object, ...]] = MappingProxyType(
    {
        "backfill acceptances": (BackfillReport,),
        "completion": (CompletionReport,),
        "config init": (ListReport[SettingItem],),
        "config path": (ListReport[SettingItem],),
        "config show": (ListReport[SettingItem],),
        "db check": (DatabaseCheckReport,),
        "db grants": (ListReport[GrantItem],),
        "db init": (DatabaseInitReport,),
        "db ping": (DatabasePingReport,),
        "demo": (DemoReport,),
        "facts list": (ListReport[FactItem],),
        "fixtures check": (FixturesCheckReport,),
        "fixtures dump": (FixturesDumpReport,),
        "fixtures generate": (FixturesGenerateReport,),
        "fixtures load": (FixturesLoadReport,),
        "help exit-codes": (ListReport[ExitCode],),
        "history show": (HistoryReport,),
        "issues list": (ListReport[OpenIssueItem],),
        "issues observations": (ListReport[ObservationItem],),
        "issues show": (IssueReport,),
        "ledger check": (LedgerCheckReport,),
        "ledger init": (LedgerInitReport,),
        "ledger prune": (LedgerPruneReport,),
        "ledger upgrade": (LedgerUpgradeReport,),
        "queues list": (ListReport[QueueItem],),
        "queues show": (QueueReport,),
        "repair apply": (ApplyReport,),
        "repair plan": (RepairPlan,),
        "requests list": (ListReport[RequestItem],),
        "requests show": (RequestReport,),
        "rules explain": (RuleReport,),
        "rules list": (ListReport[RuleItem],),
        "runs cancel": (RunChangeReport,),
        "runs hold": (RunChangeReport,),
        "runs list": (RunsReport,),
        "runs release": (RunChangeReport,),
        "runs resume": (ApplyReport, BackfillReport),
        "runs show": (RunReport, RunUndoReport),
        "runs work": (ApplyReport, BackfillReport),
        "schema": (ListReport[SchemaItem], SchemaReport),
        "verify": (VerifyReport, QueuesReport),
    }
)
