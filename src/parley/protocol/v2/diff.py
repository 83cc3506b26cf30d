"""Changes of files, in the words of version 2 and back. Pure.

Version 2 names the changed files and gives a patch; it has no texts of before and after. So the
patch is made of the texts, and what comes back has the patch and no texts.
"""

from msgspec import UNSET

from parley.protocol.v2.git_patch import git_patch
from parley.protocol.v2.loss import Lose, given, members_of, told
from parley.schema import v2
from parley.session.content import DiffItem, FileChange, OtherItem, Patch

_PATHS: dict[str, type[v2.DiffAdd | v2.DiffDelete | v2.DiffModify]] = {
    "add": v2.DiffAdd,
    "delete": v2.DiffDelete,
    "modify": v2.DiffModify,
}
_PAIRS: dict[str, type[v2.DiffMove | v2.DiffCopy]] = {"move": v2.DiffMove, "copy": v2.DiffCopy}
_OPERATIONS = {kind: operation for operation, kind in (_PATHS | _PAIRS).items()}


def diff_model(item: DiffItem, lose: Lose) -> v2.Diff:
    patch = UNSET
    if item.patch is not None:
        patch = v2.DiffPatch(
            format=item.patch.format, text=item.patch.text, meta=given(item.patch.meta)
        )
    elif (text := git_patch(item.changes)) is not None:
        patch = v2.DiffPatch(format="git_patch", text=text)  # V2-DIF-03
    elif any(change.old_text or change.new_text for change in item.changes):
        lose("diff.text", "the texts of a diff that no patch could be made of")
    changes = [_change_model(change, lose) for change in item.changes]
    return v2.Diff(changes=changes, patch=patch, meta=given(item.meta))


def diff_from(model: v2.Diff) -> DiffItem | OtherItem:
    changes = [_change_from(change) for change in model.changes]
    known = tuple(change for change in changes if change is not None)
    if len(known) < len(changes):
        # V2-DIF-06: an operation that says more than a path is kept with the whole diff.
        return OtherItem("diff", members_of(model))
    patch = told(model.patch)
    return DiffItem(
        known,
        None if patch is None else Patch(patch.text, patch.format, told(patch.meta)),
        told(model.meta),
    )


def _change_model(change: FileChange, lose: Lose) -> v2.DiffChange:
    operation, path, old_path = change.operation, change.path, change.old_path
    if operation in _PAIRS and old_path is None:
        lose("diff.old_path", "a move or a copy that does not say where from")
        operation = "add"
    file_type, mime_type, meta = change.file_type, given(change.mime_type), given(change.meta)
    if file_type is None and (change.old_text is not None or change.new_text is not None):
        file_type = "text"
    file_type = given(file_type)
    if operation in _PATHS:
        kind = _PATHS[operation]
        return kind(path=path, file_type=file_type, mime_type=mime_type, meta=meta)
    if operation in _PAIRS and old_path is not None:
        return _PAIRS[operation](
            path=path, old_path=old_path, file_type=file_type, mime_type=mime_type, meta=meta
        )
    raw = {"operation": operation, "path": path}
    if old_path is not None:
        raw["oldPath"] = old_path
    return v2.OtherDiffChange.of(raw, file_type=file_type, mime_type=mime_type, meta=meta)


def _change_from(model: v2.DiffChange) -> FileChange | None:
    operation: str
    match model:
        case v2.OtherDiffChange():
            raw = dict(model.extra)
            operation, path = raw.pop("operation"), raw.pop("path", None)
            old_path = raw.pop("oldPath") if isinstance(raw.get("oldPath"), str) else None
            if raw or not isinstance(path, str):
                return None
        case v2.DiffMove() | v2.DiffCopy():
            operation, path, old_path = _OPERATIONS[type(model)], model.path, model.old_path
        case _:
            operation, path, old_path = _OPERATIONS[type(model)], model.path, None
    return FileChange(
        operation,
        path,
        old_path,
        file_type=told(model.file_type),
        mime_type=told(model.mime_type),
        meta=told(model.meta),
    )
