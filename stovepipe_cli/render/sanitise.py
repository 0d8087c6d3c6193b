r"""The one sanitiser: text from a database made safe and visible before a terminal or a pipe sees it."""

import re
import unicodedata

_ACTING = frozenset({"Cc", "Cf", "Zl", "Zp", "Cs"})
_SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
# Printable to Python, yet drawn as nothing: joiners, fillers, variation selectors.
_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
_SURROGATE_OF_BYTE_0 = 0xDC00
_LONGEST_IN_TWO_DIGITS = 0xFF
_LONGEST_IN_FOUR_DIGITS = 0xFFFF


def visible(text: str) -> str:
    r"""The text with controls, bidi marks, line separators and characters of no width spelled as escapes.

    Bytes that were not UTF-8 appear as `\xNN`. Everything else, brackets and backslashes included, stays.
    """
    if text.isprintable() and (text.isascii() or not _BLANK.search(text)):
        return text
    return "".join(_spell(character) for character in text)


def _spell(character: str) -> str:
    if character in _SHORT:
        return _SHORT[character]
    category = unicodedata.category(character)
    if category not in _ACTING and not _BLANK.match(character):
        return character
    point = ord(character)
    if category == "Cs" and _SURROGATE_OF_BYTE_0 < point <= _SURROGATE_OF_BYTE_0 + _LONGEST_IN_TWO_DIGITS:
        point -= _SURROGATE_OF_BYTE_0
    if point <= _LONGEST_IN_TWO_DIGITS:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point <= _LONGEST_IN_FOUR_DIGITS else f"\\U{point:08x}"
