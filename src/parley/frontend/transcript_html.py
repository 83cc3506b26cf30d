"""A session as one HTML file that needs nothing else. Pure.

Every text is escaped and shown as it was written; nothing in it is interpreted. There are no
scripts, nothing is loaded, and a policy in the file forbids both.
"""

import base64
import binascii
from collections.abc import Iterator
from html import escape

from parley.frontend.story import (
    Call,
    Changed,
    Mark,
    Picture,
    Piece,
    Prose,
    Quoted,
    Ran,
    Speech,
    Story,
)
from parley.frontend.visible import one_line, visible

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
# Pictures that cannot contain anything but a picture.
_PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_WHO = {"user": "You", "agent": "Agent", "thought": "Thinking"}
_OPEN_LINES = 12
_STYLE = """\
:root { color-scheme: light dark; --line: #8886; --soft: #8882; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; font-size: .85rem; }
dt { opacity: .7; } dd { margin: 0; overflow-wrap: anywhere; }
section { margin: 1rem 0; padding: .5rem 1rem; border-left: 3px solid var(--line); }
section.user { background: var(--soft); border-left-color: #36c; }
section.agent { border-left-color: #294; }
section.thought { opacity: .75; font-style: italic; }
section.call { font-size: .9rem; }
h2 { font-size: .8rem; margin: 0; opacity: .7; text-transform: uppercase; }
p, pre { margin: .4rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
pre { font: .85rem/1.4 ui-monospace, monospace; background: var(--soft); padding: .5rem; }
.mark { font-size: .85rem; opacity: .8; text-align: center; }
.warning, .failed { color: #a60; } .error { color: #c33; }
.add { color: #294; } .del { color: #c33; }
img { max-width: 100%; }
"""


def html(story: Story) -> str:
    """The whole page."""
    return "\n".join(_page(story)) + "\n"


def _page(story: Story) -> Iterator[str]:
    title = _line(story.title) or "A session"
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{title}</title>"
    yield f"<style>\n{_STYLE}</style></head><body>"
    yield f"<h1>{title}</h1>"
    facts = {
        "session": story.info.session_id,
        "folder": story.info.cwd,
        "changed": story.info.updated_at or "",
        "context": story.usage,
    }
    rows = (f"<dt>{name}</dt><dd>{_line(fact)}</dd>" for name, fact in facts.items() if fact)
    yield f"<dl>{''.join(rows)}</dl>"
    for part in story.parts:
        match part:
            case Speech():
                yield f'<section class="{part.speaker}"><h2>{_WHO[part.speaker]}</h2>'
                yield from (_piece(piece) for piece in part.pieces)
                yield "</section>"
            case Call():
                state = " failed" if part.status == "failed" else ""
                yield f'<section class="call{state}"><h2>Tool: {_line(part.status)}</h2>'
                yield f"<p>{_line(part.title)}</p>"
                yield from (_piece(piece) for piece in part.pieces)
                yield "</section>"
            case Mark():
                yield f'<p class="mark {part.severity}">{_line(part.text)}</p>'
    if story.plan:
        yield "<section><h2>Plan</h2><ul>"
        for step in story.plan:
            status = f" ({_line(step.status)})" if step.status else ""
            yield f"<li>{_line(step.text)}{status}</li>"
        yield "</ul></section>"
    yield "</body></html>"


def _piece(piece: Piece) -> str:
    match piece:
        case Prose(text=text):
            return f"<p>{_text(text)}</p>"
        case Quoted(label=label, text=text):
            return _quoted(label, text)
        case Ran(command=command, text=text, ended=ended):
            return _quoted(f"$ {one_line(command)}{ended and f' ({ended})'}", text)
        case Changed(label=label, lines=lines):
            block = f"<pre>{chr(10).join(map(_diff_line, lines))}</pre>" if lines else ""
            return _quoted(label, "") + block
        case Picture():
            return _picture(piece)


def _quoted(label: str, text: str) -> str:
    text = text.strip("\n")
    named = f"<p>{_line(label)}</p>" if label else ""
    if not text:
        return named
    block = f"<pre>{_text(text)}</pre>"
    count = text.count("\n") + 1
    if count <= _OPEN_LINES:
        return named + block
    return (
        f"<details><summary>{_line(label) or 'output'} ({count} lines)</summary>{block}</details>"
    )


def _diff_line(line: str) -> str:
    kind = {"+": "add", "-": "del"}.get(line[:1])
    return f'<span class="{kind}">{_text(line)}</span>' if kind else _text(line)


def _picture(picture: Picture) -> str:
    mime_type = picture.mime_type.lower()
    try:
        data = base64.b64decode(picture.data, validate=True)
    except (binascii.Error, ValueError):
        data = b""
    if mime_type not in _PICTURES or not data:
        return f"<p>image ({_line(picture.mime_type)})</p>"
    # Encoded anew, so that what stands in the file is ours.
    return f'<img alt="" src="data:{mime_type};base64,{base64.b64encode(data).decode()}">'


def _text(text: str) -> str:
    return escape(visible(text.strip("\n")))


def _line(text: str) -> str:
    return escape(one_line(text))
