"""The recorded screen of the demonstration is what it shows today."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
TOOL = CHECKOUT / "tools" / "demo_screen.py"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("demo_screen", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_screen_and_readme_are_up_to_date() -> None:
    checked = subprocess.run(
        [sys.executable, str(TOOL), "--check"], capture_output=True, text=True, cwd=CHECKOUT, check=False
    )
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", ""), "run 'make docs'"


def test_the_screen_is_one_of_a_terminal_without_colour(tool: ModuleType) -> None:
    lines = tool.SCREEN.read_text().splitlines()
    assert "\x1b" not in "".join(lines)
    assert 80 < max(map(len, lines)) <= tool.COLUMNS


def test_only_ids_digests_places_and_ages_may_differ(tool: ModuleType) -> None:
    screen = tool.SCREEN.read_text()
    words = ("RUN", "DIGEST", "IDENTITY", "DIRECTORY", "TIME", "AGO")
    changed = [line for line in tool.normalised(screen).splitlines() if line not in screen.splitlines()]
    assert 0 < len(changed) <= 9
    assert all(any(word in line for word in words) for line in changed)


def test_a_time_in_the_history_may_not_differ(tool: ModuleType) -> None:
    screen = tool.SCREEN.read_text()
    assert tool.normalised(screen.replace("08:13:24.500", "08:13:24.501")) != tool.normalised(screen)


def test_the_readme_shows_every_step_and_how_it_ended(tool: ModuleType) -> None:
    shown = tool.beginning(tool.SCREEN.read_text())
    assert shown in tool.README.read_text()
    assert shown.count("\n$ stovepipe ") == 6
    assert len(shown.splitlines()) < 80
    assert shown.rstrip().splitlines()[-1].startswith("as expected: ")
