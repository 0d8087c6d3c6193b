"""The scenarios that come with the tool: in a wheel inside the package, in a checkout at its top."""

from importlib.resources import files
from importlib.resources.abc import Traversable

from stovepipe_cli.errors import InvalidInput
from stovepipe_cli.fixtures_io.nodes import suggestion
from stovepipe_cli.fixtures_io.scenario import Scenario
from stovepipe_cli.fixtures_io.scenario_reader import read_scenario

SUFFIX = ".yaml"
NEAR_MISSES = "near-misses"


def bundled_names() -> tuple[str, ...]:
    """The names of the scenarios that are about damage, or about having none, in order."""
    return _names(_folder())


def near_miss_names() -> tuple[str, ...]:
    """The names of the scenarios that only look like damage, in order; each ends in the code of a rule."""
    return tuple(f"{NEAR_MISSES}/{name}" for name in _names(_folder() / NEAR_MISSES))


def bundled(name: str) -> Scenario:
    """The scenario of that name; `InvalidInput` where there is none."""
    return read_scenario(bundled_content(name), f"{name}{SUFFIX}")


def bundled_content(name: str) -> bytes:
    """The file of the scenario of that name; `InvalidInput` where there is none."""
    names = (*bundled_names(), *near_miss_names())
    if name not in names:
        raise InvalidInput(f"no scenario is called '{name}'", hint=suggestion(name, names))
    return (_folder() / f"{name}{SUFFIX}").read_bytes()


def _names(folder: Traversable) -> tuple[str, ...]:
    return tuple(sorted(each.name.removesuffix(SUFFIX) for each in folder.iterdir() if each.name.endswith(SUFFIX)))


def _folder() -> Traversable:
    package = files("stovepipe_cli")
    installed = package / "_fixtures"
    if installed.is_dir():
        return installed
    # An editable install is the checkout itself, so the package's parent is its top.
    return package / ".." / "fixtures"
