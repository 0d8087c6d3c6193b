"""`stovepipe config`."""

import typer

from stovepipe_cli.commands.registrar import command
from stovepipe_cli.commands.session import Session

group = typer.Typer(no_args_is_help=False, rich_markup_mode=None)


@command(
    group,
    "show",
    example="stovepipe config show --profile production",
    exits="0 shown; 2 the configuration cannot be read",
)
def show(session: Session) -> object:
    """Show every setting with where it came from; no secret."""
    from stovepipe_cli.config import config_rows
    from stovepipe_cli.reports import ListReport, SettingItem

    items = tuple(SettingItem(*row) for row in config_rows(session.config))
    return ListReport(items, None, SettingItem)


@command(
    group,
    "path",
    example="stovepipe config path",
    exits="0 printed, also where the file does not exist yet",
    reads_config=False,
)
def path(session: Session) -> object:
    """Print where the configuration file is looked for."""
    from stovepipe_cli.config import find_profile_file
    from stovepipe_cli.reports import ListReport, SettingItem

    setting = find_profile_file(session.surroundings.environ, session.surroundings.home)
    return ListReport((SettingItem("config_file", str(setting.value), setting.origin),), None, SettingItem)


@command(
    group,
    "init",
    example="stovepipe config init",
    exits="0 written; 7 the file exists, and is left as it is",
    reads_config=False,
)
def init(session: Session) -> object:
    """Write a commented configuration file that only its owner can read."""
    from stovepipe_cli.config import find_profile_file, profile_template
    from stovepipe_cli.files import PRIVATE, make_directory, write_whole
    from stovepipe_cli.reports import ListReport, SettingItem

    setting = find_profile_file(session.surroundings.environ, session.surroundings.home)
    make_directory(setting.value.parent)
    write_whole(setting.value, profile_template(), mode=PRIVATE, overwrite=False)
    session.say("edit it, then see: stovepipe config show")
    return ListReport((SettingItem("config_file", str(setting.value), "written now"),), None, SettingItem)
