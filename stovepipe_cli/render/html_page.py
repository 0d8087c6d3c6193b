"""The pieces of an HTML page that stands alone: its frame and style, escaped text, tables and a bar chart."""

from collections.abc import Iterable, Sequence
from html import escape

from stovepipe_cli.render.sanitise import visible

_BAR_HEIGHT = 22
_BAR_STEP = 30
_LABEL_WIDTH = 210
_BARS_WIDTH = 430
_NUMBER_WIDTH = 90

# The page holds no script, and may not load, send or embed anything.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"

_STYLE = """\
:root { color-scheme: light dark; --ink: #1c2126; --faint: #5d6873; --paper: #fff; --line: #d8dde2; --good: #1a7f37;
  --warn: #9a6700; --bad: #cf222e; --band: #f4f6f8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --faint: #9aa5b0; --paper: #14181c; --line: #343c44;
  --good: #57c76f; --warn: #d9a531; --bad: #ff7b72; --band: #1d2329; } }
body { margin: 2rem auto; max-width: 68rem; padding: 0 1rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; } h3 { font-size: 1rem; margin-bottom: .3rem; }
code, pre, td.v { font: 13px/1.45 ui-monospace, monospace; overflow-wrap: anywhere; white-space: pre-wrap; }
table { border-collapse: collapse; width: 100%; } th, td { border-bottom: 1px solid var(--line); padding: .25rem .6rem;
  text-align: left; vertical-align: top; } th { color: var(--faint); font-weight: 500; }
th.n, td.n { text-align: right; font-variant-numeric: tabular-nums; } table.fields th { width: 11rem; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; padding: .4rem .8rem; }
summary { cursor: pointer; overflow-wrap: anywhere; }
.badge { border-radius: 6px; color: var(--paper); padding: .1rem .6rem; }
.clean { background: var(--good); } .findings, .error { background: var(--bad); }
.incomplete { background: var(--warn); }
.s-error { color: var(--bad); } .s-warning { color: var(--warn); } .s-info, .faint { color: var(--faint); }
tr.gap td, tr.mark td { color: var(--bad); background: var(--band); }
svg text { fill: var(--ink); font: 13px system-ui, sans-serif; } svg rect { fill: var(--bad); }
svg rect.s-warning { fill: var(--warn); } svg rect.s-info { fill: var(--faint); }
@media print { details { break-inside: avoid; } }
"""


def text(value: str) -> str:
    """The value as a reader is to see it: nothing in it acts, as markup or otherwise."""
    return escape(visible(value), quote=True)


def page(title: str, body: Iterable[str]) -> str:
    """The document."""
    content = "\n".join(body)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY, quote=True)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(title)}</title>\n<style>\n{_STYLE}</style>\n</head>\n<body>\n{content}\n</body>\n</html>\n"
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str | int]]) -> str:
    """A table of values; numbers stand right, and the heads of their columns with them."""
    values = list(rows)
    numeric = [all(isinstance(row[at], int) for row in values) for at in range(len(head))]
    heads = "".join(
        f'<th class="n">{text(name)}</th>' if is_number else f"<th>{text(name)}</th>"
        for name, is_number in zip(head, numeric, strict=True)
    )
    lines = "\n".join("<tr>" + "".join(_cell(value) for value in row) + "</tr>" for row in values)
    return f"<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{lines}\n</tbody>\n</table>"


def fields(values: Iterable[tuple[str, str]]) -> str:
    """Names and values, a row each; an empty value has no row."""
    rows = "\n".join(
        f'<tr><th>{text(name)}</th><td class="v">{text(value)}</td></tr>' for name, value in values if value
    )
    return f'<table class="fields"><tbody>\n{rows}\n</tbody></table>'


def bars(title: str, counts: Sequence[tuple[str, str, int]]) -> str:
    """An inline chart: a bar for each label, kind and count, none shorter than can be seen."""
    most = max((count for _, _, count in counts), default=1)
    height = _BAR_STEP * len(counts)
    width = _LABEL_WIDTH + _BARS_WIDTH + _NUMBER_WIDTH
    lines = [f'<svg role="img" viewBox="0 0 {width} {height}" width="{width}" height="{height}">']
    lines.append(f"<title>{text(title)}</title>")
    for place, (label, kind, count) in enumerate(counts):
        top = place * _BAR_STEP
        size = max(round(_BARS_WIDTH * count / most), 2)
        middle = top + _BAR_HEIGHT - 6
        lines.append(f'<text x="0" y="{middle}">{text(label)}</text>')
        lines.append(
            f'<rect class="s-{text(kind)}" x="{_LABEL_WIDTH}" y="{top}" width="{size}" height="{_BAR_HEIGHT}"/>'
        )
        lines.append(f'<text x="{_LABEL_WIDTH + size + 8}" y="{middle}">{count:,}</text>')
    lines.append("</svg>")
    return "\n".join(lines)


def _cell(value: str | int) -> str:
    if isinstance(value, int):
        return f'<td class="n">{value:,}</td>'
    return f'<td class="v">{text(value)}</td>'
