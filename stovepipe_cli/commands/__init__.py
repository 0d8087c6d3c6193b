"""One module a command group: options to one logic call to one report. No SQL, no printing, no rich.

The tables are all that the root has to know of its commands; a module is loaded once a command of it is asked for.
"""

from collections.abc import Mapping
from types import MappingProxyType

GROUPS: Mapping[str, str] = MappingProxyType(
    {
        "history": "Show what happened to a request.",
        "queues": "See which queues there are, and how one stands.",
        "requests": "List requests, or show one with all beside it.",
        "issues": "See what is broken now, and since when.",
        "facts": "See what was found in a commit, project by project.",
        "rules": "List and explain what verify looks for.",
        "repair": "Plan and apply what can be proved.",
        "backfill": "Create acceptance mappings that are missing.",
        "db": "Create, check and ping a database.",
        "config": "Show or start the configuration.",
        "runs": "See what was done to a queue, and go on with what was not finished.",
        "ledger": "Look after the record of runs.",
        "fixtures": "Load, check and generate rows for tests.",
        "help": "Read about what all commands share.",
    }
)
# As the help of the command itself begins.
SINGLES: Mapping[str, str] = MappingProxyType(
    {
        "verify": "Find where the history of a queue and its request rows disagree.",
        "demo": "Watch a damaged queue being looked at, checked and mended, on a throw-away database.",
        "schema": "Print the JSON Schema of what a command's -o json prints.",
        "completion": "Print what a shell needs to complete this command's words, names of queues included.",
    }
)
