"""Blocks of content and what tool calls show, in the words of version 2 and back. Pure.

Every neutral value has a form here. What version 2 cannot say is left out and told to `lose`."""

from msgspec import UNSET, UnsetType

from parley.protocol.v2.diff import diff_from, diff_model
from parley.protocol.v2.loss import Lose, given, members_of, told
from parley.schema import v2
from parley.session.content import (
    Annotations,
    Audio,
    Block,
    ContentItem,
    DiffItem,
    Icon,
    Image,
    Link,
    Location,
    OtherBlock,
    OtherItem,
    Resource,
    TerminalItem,
    Text,
    ToolItem,
)


def block_model(block: Block, lose: Lose) -> v2.ContentBlock:
    if type(block) is Text and block.annotations is None and block.meta is None:
        return v2.TextContent(text=block.text)
    if isinstance(block, OtherBlock):
        return v2.OtherContentBlock.of({**block.raw, "type": block.kind})
    annotations = UNSET
    if block.annotations is not None:
        annotations = _annotations_model(block.annotations, lose)
    meta = given(block.meta)
    match block:
        case Text(text=text):
            return v2.TextContent(text=text, annotations=annotations, meta=meta)
        case Image(data=data, mime_type=mime_type, uri=uri):
            return v2.ImageContent(
                data=data,
                mime_type=mime_type,
                uri=given(uri),
                annotations=annotations,
                meta=meta,
            )
        case Audio(data=data, mime_type=mime_type):
            return v2.AudioContent(
                data=data, mime_type=mime_type, annotations=annotations, meta=meta
            )
        case Link():
            return v2.ResourceLink(
                name=block.name,
                uri=block.uri,
                title=given(block.title),
                description=given(block.description),
                icons=_icon_models(block.icons),
                mime_type=given(block.mime_type),
                size=given(_size(block.size, lose)),
                annotations=annotations,
                meta=meta,
            )
        case Resource():
            return v2.EmbeddedResource(
                resource=_resource_model(block), annotations=annotations, meta=meta
            )


def block_models(blocks: tuple[Block, ...], lose: Lose) -> list[v2.ContentBlock]:
    return [block_model(block, lose) for block in blocks]


def block_from(model: v2.ContentBlock) -> Block:
    if type(model) is v2.TextContent and model.annotations is UNSET and model.meta is UNSET:
        return Text(model.text)
    if isinstance(model, v2.OtherContentBlock):
        return OtherBlock(model.tag, members_of(model))
    noted = told(model.annotations)
    annotations = None if noted is None else _annotations_from(noted)
    meta = told(model.meta)
    match model:
        case v2.TextContent(text=text):
            return Text(text, annotations, meta)
        case v2.ImageContent(data=data, mime_type=mime_type, uri=uri):
            return Image(data, mime_type, told(uri), annotations, meta)
        case v2.AudioContent(data=data, mime_type=mime_type):
            return Audio(data, mime_type, annotations, meta)
        case v2.ResourceLink():
            icons = told(model.icons)
            return Link(
                uri=model.uri,
                name=model.name,
                title=told(model.title),
                description=told(model.description),
                mime_type=told(model.mime_type),
                size=told(model.size),
                icons=None if icons is None else tuple(_icon_from(icon) for icon in icons),
                annotations=annotations,
                meta=meta,
            )
        case v2.EmbeddedResource(resource=inner):
            return Resource(
                uri=inner.uri,
                text=inner.text if isinstance(inner, v2.TextResourceContents) else None,
                blob=inner.blob if isinstance(inner, v2.BlobResourceContents) else None,
                mime_type=told(inner.mime_type),
                annotations=annotations,
                meta=meta,
                contents_meta=told(inner.meta),
            )


def blocks_from(models: list[v2.ContentBlock]) -> tuple[Block, ...]:
    return tuple(block_from(model) for model in models)


def item_model(item: ToolItem, lose: Lose) -> v2.ToolCallContent:
    match item:
        case ContentItem(content=content, meta=meta):
            return v2.Content(content=block_model(content, lose), meta=given(meta))
        case DiffItem():
            return diff_model(item, lose)
        case TerminalItem(terminal_id=terminal_id, meta=meta):
            return v2.Terminal(terminal_id=terminal_id, meta=given(meta))
        case OtherItem(kind=kind, raw=raw):
            return v2.OtherToolCallContent.of({**raw, "type": kind})


def item_from(model: v2.ToolCallContent) -> ToolItem:
    match model:
        case v2.Content(content=content, meta=meta):
            return ContentItem(block_from(content), told(meta))
        case v2.Diff():
            return diff_from(model)
        case v2.Terminal(terminal_id=terminal_id, meta=meta):
            return TerminalItem(terminal_id, told(meta))
        case v2.OtherToolCallContent():
            return OtherItem(model.tag, members_of(model))


def location_model(location: Location, lose: Lose) -> v2.ToolCallLocation:
    line = location.line
    # V2-TC-08: lines count from 1.
    if line is not None and not 1 <= line < 2**32:
        lose("location.line", "a line number outside the range")
        line = None
    return v2.ToolCallLocation(path=location.path, line=given(line), meta=given(location.meta))


def location_from(model: v2.ToolCallLocation) -> Location:
    return Location(model.path, told(model.line), told(model.meta))


def _annotations_model(annotations: Annotations, lose: Lose) -> v2.Annotations:
    priority = annotations.priority
    if priority is not None and not 0 <= priority <= 1:
        lose("annotations.priority", "a priority outside 0 to 1")
        priority = None
    audience = annotations.audience
    return v2.Annotations(
        audience=UNSET if audience is None else list(audience),
        last_modified=given(annotations.last_modified),
        priority=given(priority),
        meta=given(annotations.meta),
    )


def _annotations_from(model: v2.Annotations) -> Annotations:
    audience = told(model.audience)
    return Annotations(
        None if audience is None else tuple(audience),
        told(model.last_modified),
        told(model.priority),
        told(model.meta),
    )


def _icon_models(icons: tuple[Icon, ...] | None) -> list[v2.Icon] | UnsetType:
    return UNSET if icons is None else [_icon_model(icon) for icon in icons]


def _icon_model(icon: Icon) -> v2.Icon:
    return v2.Icon(
        src=icon.src,
        mime_type=given(icon.mime_type),
        sizes=UNSET if icon.sizes is None else list(icon.sizes),
        theme=given(icon.theme),
        meta=given(icon.meta),
    )


def _icon_from(model: v2.Icon) -> Icon:
    sizes = told(model.sizes)
    return Icon(
        model.src,
        told(model.mime_type),
        None if sizes is None else tuple(sizes),
        told(model.theme),
        told(model.meta),
    )


def _size(size: int | None, lose: Lose) -> int | None:
    if size is not None and not 0 <= size < 2**64:
        lose("link.size", "a size outside the range")
        return None
    return size


def _resource_model(block: Resource) -> v2.TextResourceContents | v2.BlobResourceContents:
    mime_type, meta = given(block.mime_type), given(block.contents_meta)
    if block.text is None and block.blob is not None:
        return v2.BlobResourceContents(
            blob=block.blob, uri=block.uri, mime_type=mime_type, meta=meta
        )
    return v2.TextResourceContents(
        text=block.text or "", uri=block.uri, mime_type=mime_type, meta=meta
    )
