"""YAML read strictly, every value with its line: no duplicate keys, no aliases, no tags beyond the plain ones."""

from pathlib import Path

import yaml

from stovepipe_cli.config.values import Located, Scalar
from stovepipe_cli.errors import ConfigError


def parse_document(text: str, path: Path) -> Located:
    """The one document in `text`; an empty text is null on line 1. Raises ConfigError, which never quotes the text."""
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        return _Converter(loader, path).convert(node) if node is not None else Located(None, 1)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise ConfigError(f"'{path}'{place}: this is not YAML", hint="check indentation, colons and quotes") from None
    except (yaml.YAMLError, RecursionError):
        raise ConfigError(f"'{path}' is not YAML", hint="check it with a YAML linter") from None


class _Converter:
    def __init__(self, loader: yaml.SafeLoader, path: Path) -> None:
        self._loader = loader
        self._path = path
        self._seen: set[int] = set()

    def convert(self, node: yaml.Node) -> Located:
        line: int = node.start_mark.line + 1
        if id(node) in self._seen:
            raise ConfigError(
                f"'{self._path}', line {line}: aliases are not read here", hint="write the value out again"
            )
        self._seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            return Located(self._mapping(node), line)
        if isinstance(node, yaml.SequenceNode):
            return Located([self.convert(item) for item in node.value], line)
        return Located(self._scalar(node, line), line)

    def _mapping(self, node: yaml.MappingNode) -> dict[str, Located]:
        found: dict[str, Located] = {}
        for key_node, value_node in node.value:
            key = self.convert(key_node)
            if not isinstance(key.value, str):
                raise ConfigError(f"'{self._path}', line {key.line}: a key is not text", hint="put the key in quotes")
            if key.value in found:
                raise ConfigError(
                    f"'{self._path}', line {key.line}: '{key.value}' already stands on line {found[key.value].line}",
                    hint="keep one of the two",
                )
            value = self.convert(value_node)
            found[key.value] = Located(value.value, key.line)
        return found

    def _scalar(self, node: yaml.Node, line: int) -> Scalar:
        kind = node.tag.removeprefix("tag:yaml.org,2002:")
        if kind in {"timestamp", "merge", "value"}:
            return str(node.value)
        if kind not in {"str", "int", "float", "bool", "null"}:
            raise ConfigError(f"'{self._path}', line {line}: a tag that is not read here", hint="remove the tag")
        try:
            value: Scalar = self._loader.construct_object(node)
        except ValueError:
            raise ConfigError(f"'{self._path}', line {line}: not a number", hint="put text in quotes") from None
        return value
