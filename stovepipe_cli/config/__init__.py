"""Profiles, environment and flags, resolved into one frozen `Config` whose every value knows where it came from."""

from stovepipe_cli.config.access import DatabaseAccess
from stovepipe_cli.config.model import Config, Limits, Throttle
from stovepipe_cli.config.profile_file import find_profile_file
from stovepipe_cli.config.resolve import resolve
from stovepipe_cli.config.setting import Setting
from stovepipe_cli.config.show import config_rows
from stovepipe_cli.config.template import profile_template

__all__ = [
    "Config",
    "DatabaseAccess",
    "Limits",
    "Setting",
    "Throttle",
    "config_rows",
    "find_profile_file",
    "profile_template",
    "resolve",
]
