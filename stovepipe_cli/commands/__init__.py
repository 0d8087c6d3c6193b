"""One module a command group: options to one logic call to one report. No SQL, no printing, no rich."""

from stovepipe_cli.commands import (
    backfill,
    config,
    db,
    demo,
    fixtures,
    help,  # noqa: A004 - the command is called help
    history,
    issues,
    queues,
    repair,
    rules,
    verify,
)

GROUPS = {
    "history": (history.group, "Show what happened to a request."),
    "queues": (queues.group, "See which queues there are."),
    "issues": (issues.group, "See what is broken now."),
    "rules": (rules.group, "List and explain what verify looks for."),
    "repair": (repair.group, "Plan and apply what can be proved."),
    "backfill": (backfill.group, "Create acceptance mappings that are missing."),
    "db": (db.group, "Create, check and ping a database."),
    "config": (config.group, "Show or start the configuration."),
    "fixtures": (fixtures.group, "Load scenarios into a database."),
    "help": (help.group, "Read about what all commands share."),
}
SINGLES = (verify.add, demo.add)
