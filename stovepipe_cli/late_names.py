"""Names that a package offers before the module behind them is loaded."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module


def late_names(package: str, homes: Mapping[str, Sequence[str]]) -> Callable[[str], object]:
    """The `__getattr__` of a package whose names live in its modules, given as module -> names.

    A module is loaded when one of its names is first used. A name that is also a module's cannot be late: the module
    would take its place. `AttributeError` for any other name.
    """
    home_of = {name: module for module, names in homes.items() for name in names}

    def find(name: str) -> object:
        if name not in home_of:
            message = f"module '{package}' has no attribute '{name}'"
            raise AttributeError(message)
        return getattr(import_module(f"{package}.{home_of[name]}"), name)

    return find
