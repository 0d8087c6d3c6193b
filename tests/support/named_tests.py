"""Which tests a file has, for pages that name some."""

import ast
from pathlib import Path


def facts_in(file: Path) -> set[str]:
    """The names of its tests, those of classes among them; none where there is no such file."""
    if not file.is_file():
        return set()
    found = (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.FunctionDef))
    return {node.name for node in found if node.name.startswith("test_")}
