"""A command line that is still being typed, split as bash would, and candidates spelled as bash takes them."""

from dataclasses import dataclass

_SAFE = "@%+=:,./-_~"
_ACTING_IN_DOUBLE_QUOTES = '\\"$`'


@dataclass(frozen=True, slots=True)
class ShellLine:
    """The words before the cursor without their quotes, the last of which may be empty.

    `quote` is the one that is still open, or empty. `kept` is how many characters of the last word bash leaves as they
    stand, because one of its word breaks follows them.
    """

    words: tuple[str, ...]
    quote: str
    kept: int

    def spelled(self, candidate: str) -> str:
        """What takes the place of the last word, or of what bash takes for the last word."""
        rest = candidate[self.kept :]
        if self.quote == "'":
            return rest
        if self.quote:
            return "".join(f"\\{each}" if each in _ACTING_IN_DOUBLE_QUOTES else each for each in rest)
        return "".join(each if each.isalnum() or each in _SAFE else f"\\{each}" for each in rest)


def split_line(line: str, breaks: str) -> ShellLine:
    """Split `line`; a character of `breaks` that is neither quoted nor escaped begins a new word for bash alone."""
    words: list[str] = []
    word: list[str] = []
    quote, kept, is_inside, is_escaped = "", 0, False, False
    for character in line:
        if is_escaped:
            word.append(character)
            is_escaped = False
        elif character == "\\" and quote != "'":
            is_escaped = is_inside = True
        elif quote:
            if character == quote:
                quote = ""
            else:
                word.append(character)
        elif character in "'\"":
            quote, is_inside, kept = character, True, len(word)
        elif character.isspace():
            if is_inside or word:
                words.append("".join(word))
            word, kept, is_inside = [], 0, False
        else:
            word.append(character)
            if character in breaks and character in "=:":
                kept = len(word)
    return ShellLine((*words, "".join(word)), quote, kept)
