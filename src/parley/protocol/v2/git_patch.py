"""Writes the patch of a diff: Git's extended unified form, with absolute paths. Pure.

V2-DIF-05: sections begin with `diff --git`, paths are absolute and have no `a/` or `b/` before
them, the side that does not exist is `/dev/null`, unusual names are quoted as Git quotes them, and
nothing of a commit or a mail stands around it.
"""

from collections.abc import Iterable, Iterator

from parley.session.content import FileChange

MAX_CHARACTERS = 4_000_000
"""Texts of more than this are not compared; a patch may be left out."""

_CONTEXT = 3
_MAX_COMPARED = 4_000_000
"""Above this product of line numbers a region is replaced whole, since comparing is quadratic."""
_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}


def git_patch(changes: Iterable[FileChange]) -> str | None:
    """The patch of all changes; `None` if the text of one of them is not known (V2-DIF-02)."""
    sections: list[str] = []
    size = 0
    for change in changes:
        size += len(change.old_text or "") + len(change.new_text or "")
        section = _section(change) if size <= MAX_CHARACTERS else None
        if section is None:
            return None
        sections.append(section)
    return "".join(sections) or None


def quoted(path: str) -> str:
    """A path as Git writes it: in quotes and with escapes if it has unusual characters."""
    data = path.encode("utf-8", "surrogateescape")
    if all(32 <= byte < 127 and byte not in _ESCAPES for byte in data):
        return path
    return f'"{"".join(_escaped(byte) for byte in data)}"'


def _escaped(byte: int) -> str:
    if byte in _ESCAPES:
        return "\\" + _ESCAPES[byte]
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"


def _section(change: FileChange) -> str | None:
    old, new = change.old_text, change.new_text
    path, old_path = change.path, change.old_path
    if change.file_type not in (None, "text"):
        return None
    match change.operation:
        case "add" if new is not None:
            head = [_title(path, path), "new file mode 100644"]
            return _with_hunks(head, "", new, None, path)
        case "delete" if old is not None:
            head = [_title(path, path), "deleted file mode 100644"]
            return _with_hunks(head, old, "", path, None)
        case "modify" if old is not None and new is not None:
            return _with_hunks([_title(path, path)], old, new, path, path)
        case "move" | "copy" if old_path is not None and _same_or_known(change):
            word = "rename" if change.operation == "move" else "copy"
            head = [_title(old_path, path)]
            head += [f"{word} from {quoted(old_path)}", f"{word} to {quoted(path)}"]
            return _with_hunks(head, old or "", new or "", old_path, path)
        case _:
            return None


def _same_or_known(change: FileChange) -> bool:
    """Whether both texts are known, or nothing says that there are any.

    A text that is not here may have changed, and a patch without it would say that it has not.
    """
    if change.old_text is None and change.new_text is None:
        return change.file_type is None
    return change.old_text is not None and change.new_text is not None


def _title(old_path: str, path: str) -> str:
    return f"diff --git {quoted(old_path)} {quoted(path)}"


def _with_hunks(
    head: list[str], old: str, new: str, old_path: str | None, new_path: str | None
) -> str:
    hunks = list(_hunks(_lines(old), _lines(new)))
    if hunks:
        head += [f"--- {_side(old_path)}", f"+++ {_side(new_path)}"]
    return "".join(f"{line}\n" for line in head) + "".join(hunks)


def _side(path: str | None) -> str:
    if path is None:
        return "/dev/null"
    name = quoted(path)
    # Git ends a name with a space in it by a tab, so that readers find where it ends.
    return f"{name}\t" if " " in name and not name.startswith('"') else name


def _lines(text: str) -> list[str]:
    """The lines with their ends. Only a newline ends a line; a carriage return is part of it."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _hunks(old: list[str], new: list[str]) -> Iterator[str]:
    # What is equal at both ends is cut off before comparing, except for the context.
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    skipped = max(0, start - _CONTEXT)
    kept = max(0, end - _CONTEXT)
    before, after = old[skipped : len(old) - kept], new[skipped : len(new) - kept]
    for group in _groups(before, after):
        yield _hunk(group, before, after, skipped)


_Opcode = tuple[str, int, int, int, int]


def _groups(before: list[str], after: list[str]) -> Iterator[list[_Opcode]]:
    if before == after:
        return
    if len(before) * len(after) > _MAX_COMPARED:
        yield [("replace", 0, len(before), 0, len(after))]
        return
    # Imported when a diff is shown: most starts of an agent never come to it.
    from difflib import SequenceMatcher  # noqa: PLC0415

    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        yield list(group)


def _hunk(group: list[_Opcode], before: list[str], after: list[str], skipped: int) -> str:
    _, old_start, _, new_start, _ = group[0]
    _, _, old_end, _, new_end = group[-1]
    old_range = _range(old_start + skipped, old_end + skipped)
    parts = [f"@@ -{old_range} +{_range(new_start + skipped, new_end + skipped)} @@\n"]
    for tag, i, j, k, m in group:
        if tag == "equal":
            parts += [_line(" ", line) for line in before[i:j]]
        else:
            parts += [_line("-", line) for line in before[i:j]]
            parts += [_line("+", line) for line in after[k:m]]
    return "".join(parts)


def _range(start: int, end: int) -> str:
    count = end - start
    # An empty range names the line before it.
    first = start + 1 if count else start
    return str(first) if count == 1 else f"{first},{count}"


def _line(mark: str, line: str) -> str:
    return mark + line if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"
