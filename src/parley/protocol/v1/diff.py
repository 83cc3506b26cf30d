"""Changes of files as the diffs of version 1, which hold the text before and the text after.

Pure. With both texts known a diff is exact. With nothing but a patch there is no way back to the
texts, so each hunk becomes a diff of its own, and what has no text becomes a line that names it.
"""

import re

import parley.schema.v1 as v1
from parley.protocol.v1.content import Lose, known, marked
from parley.session.content import DiffItem, FileChange, Meta, Patch
from parley.session.patch import given

Hunk = tuple[str, str]
"""The lines of a hunk before and after."""

# Compiled when they are first used: an agent starts without.
_ESCAPE = rb"(?s)\\([0-7]{3}|.)"
_ESCAPES = {
    b"a": b"\a",
    b"b": b"\b",
    b"t": b"\t",
    b"n": b"\n",
    b"v": b"\v",
    b"f": b"\f",
    b"r": b"\r",
}
_HUNK = r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@"


def diff_from(model: v1.Diff) -> DiffItem:
    old = known(model.old_text)
    # V1-TC-07: no old text is a new file.
    change = FileChange(
        "add" if old is None else "modify", model.path, old_text=old, new_text=model.new_text
    )
    return DiffItem((change,), meta=known(model.meta))


def diff_models(item: DiffItem, lose: Lose) -> list[v1.Diff | v1.Content]:
    """The diffs that show the changes, one or more per file."""
    hunks = hunks_of(item.patch)
    found: list[v1.Diff | v1.Content] = []
    summary: list[str] = []
    for change in item.changes:
        meta = {**(item.meta or {}), **(change.meta or {})} or None
        exact = _exact(change, meta)
        if exact is not None:
            found.append(exact)
            continue
        lose("diff", "a change without both texts is shown in fragments or named")
        fragments = _fragments(change, _of_file(hunks, change), meta)
        found += fragments
        if not fragments:
            summary.append(_summary(change))
    if not item.changes:
        lose("diff", "a patch without a list of changes is shown as text")
    if summary or (not item.changes and item.patch is not None):
        found.append(_text(summary, item.patch))
    return found


def hunks_of(patch: Patch | None) -> dict[str, list[Hunk]]:
    """The hunks of a patch in the format of Git, by the path of their file."""
    if patch is None or patch.format != "git_patch":
        return {}
    found: dict[str, list[Hunk]] = {}
    lines = patch.text.split("\n")
    old_path = path = ""
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith("--- "):
            old_path = _path_in(line)
        elif line.startswith("+++ "):
            path = _path_in(line)
            path = old_path if path == "/dev/null" else path
        elif match := re.match(_HUNK, line):
            before, after = (1 if count is None else int(count) for count in match.groups())
            hunk, at = _hunk(lines, at, before, after)
            found.setdefault(path, []).append(hunk)
    return found


def _hunk(lines: list[str], at: int, before: int, after: int) -> tuple[Hunk, int]:
    """As many lines as the head of the hunk counted, and where the next begins."""
    old: list[str] = []
    new: list[str] = []
    while at < len(lines) and (before > 0 or after > 0 or lines[at][:1] == "\\"):
        kind, text = lines[at][:1], lines[at][1:] + "\n"
        at += 1
        if kind == "\\":
            # The line before this one has no newline at its end.
            for side in _sides(lines[at - 2][:1], old, new):
                side[-1:] = [line.removesuffix("\n") for line in side[-1:]]
            continue
        for side in _sides(kind, old, new):
            side.append(text)
        before -= kind != "+"
        after -= kind != "-"
    return ("".join(old), "".join(new)), at


def _sides(kind: str, old: list[str], new: list[str]) -> list[list[str]]:
    return {"-": [old], "+": [new], "\\": []}.get(kind, [old, new])


def _path_in(line: str) -> str:
    """The path of a `---` or `+++` line; what follows a tab is not part of it."""
    name = line[4:]
    return _unquoted(name) if name.startswith('"') else name.split("\t")[0].rstrip("\r")


def _unquoted(name: str) -> str:
    """A path that Git wrote in quotes, where escapes stand for bytes."""
    body = name[1 : name.rfind('"')] if name.rfind('"') > 0 else name[1:]
    data = re.sub(_ESCAPE, _escaped_byte, body.encode())
    return data.decode("utf-8", "surrogateescape")


def _escaped_byte(escape: re.Match[bytes]) -> bytes:
    code = escape[1]
    return bytes([int(code, 8) & 0xFF]) if code.isdigit() else _ESCAPES.get(code, code)


def _exact(change: FileChange, meta: Meta | None) -> v1.Diff | None:
    old, new = change.old_text, change.new_text
    match change.operation:
        case "add" if new is not None:
            return v1.Diff(path=change.path, new_text=new, meta=given(meta))
        case "modify" if new is not None and old is not None:
            return v1.Diff(path=change.path, old_text=old, new_text=new, meta=given(meta))
        case "delete" if old is not None:
            return v1.Diff(
                path=change.path, old_text=old, new_text="", meta=marked(meta, operation="delete")
            )
        case _:
            return None


def _of_file(hunks: dict[str, list[Hunk]], change: FileChange) -> list[Hunk]:
    for path, found in hunks.items():
        if path == change.path or (path and change.path.endswith(f"/{path}")):
            return found
    return []


def _fragments(change: FileChange, hunks: list[Hunk], meta: Meta | None) -> list[v1.Diff]:
    match change.operation:
        case "add":
            return [
                v1.Diff(path=change.path, new_text=after, meta=given(meta)) for _, after in hunks
            ]
        case "delete":
            mark = marked(meta, operation="delete")
            return [
                v1.Diff(path=change.path, old_text=before, new_text="", meta=mark)
                for before, _ in hunks
            ]
        case "modify":
            return [
                v1.Diff(path=change.path, old_text=before, new_text=after, meta=given(meta))
                for before, after in hunks
            ]
        case _:
            return []


def _summary(change: FileChange) -> str:
    origin = "" if change.old_path is None else f"{change.old_path} → "
    return f"{change.operation}: {origin}{change.path}"


def _text(summary: list[str], patch: Patch | None) -> v1.Content:
    text = "\n".join(summary)
    if patch is not None:
        longest = max((len(run) for run in re.findall("`+", patch.text)), default=0)
        fence = "`" * max(3, longest + 1)
        text = f"{text}\n{fence}diff\n{patch.text}\n{fence}".lstrip("\n")
    return v1.Content(content=v1.TextContent(text=text))
