"""The vocabulary the generated wire models are written in.

Owns what a message type may say about itself: its members, its method, the values it knows, the
variants of a union, and which mistakes of a peer its members forgive. Reading and writing are in
`codec`; this module knows neither JSON nor any protocol version.

A member has three states. `UNSET` is omitted, `None` is null, anything else is a value. Members
that may be omitted default to `UNSET`, which is false, so `caps.load_session or False` reads well.
A default that the schema names is documented, not filled in: what was omitted stays omitted.
"""

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Generic,
    Self,
    TypeAlias,
    TypeVar,
    dataclass_transform,
    get_args,
    get_origin,
)

from msgspec import UNSET, Meta, Struct, StructMeta, UnsetType

__all__ = [
    "IMPOSSIBLE",
    "UNSET",
    "Choice",
    "Closed",
    "DefaultOnError",
    "Extra",
    "Int32",
    "Int64",
    "Known",
    "Leniency",
    "Meta",
    "Metadata",
    "Model",
    "NonEmpty",
    "Notification",
    "NullAsEmpty",
    "Open",
    "Request",
    "SkipInvalid",
    "Uint16",
    "Uint32",
    "Uint64",
    "Unknown",
    "UnsetType",
    "known_values",
    "require_any",
    "require_one",
    "wire_name",
]

T = TypeVar("T")
R_co = TypeVar("R_co", covariant=True)

IMPOSSIBLE = "\uffff"
"""A member name and a tag that no peer has reason to send.

If one does, the native decoder refuses the message and the reader in Python keeps the member.
"""


def wire_name(name: str) -> str:
    """The member name on the wire: camelCase, with two names of our own."""
    if name == "meta":
        return "_meta"
    if name == "extra":
        return IMPOSSIBLE
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(part.capitalize() for part in rest)


class Extra(Mapping[str, Any]):
    """The members of an object that its type does not know, as plain JSON values."""

    __slots__ = ("_members",)

    def __init__(self, members: Mapping[str, Any]) -> None:
        self._members = dict(members)

    def __getitem__(self, key: str) -> Any:
        return self._members[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __repr__(self) -> str:
        return f"Extra({self._members!r})"


if TYPE_CHECKING:

    @dataclass_transform(kw_only_default=True, frozen_default=True)
    class ModelType(StructMeta):
        """Tells the checker what every model is, so that no class has to repeat it."""
else:
    # A metaclass of our own would double the price of making a model.
    ModelType = StructMeta


class Model(
    Struct,
    metaclass=ModelType,
    kw_only=True,
    frozen=True,
    forbid_unknown_fields=True,
    repr_omit_defaults=True,
    rename=wire_name,
):
    """An object on the wire. Unknown members make no error: they are kept in `extra`."""

    UNSTABLE: ClassVar[bool] = False
    """Whether the whole type is outside the stable part of the protocol."""
    UNSTABLE_FIELDS: ClassVar[frozenset[str]] = frozenset()
    """Members, by their Python names, that are outside the stable part."""
    TAGS: ClassVar[tuple[str, ...]] = ()
    """Tags under which a type that carries none of its own is accepted in a `Choice`."""

    extra: Extra | UnsetType = UNSET


class Request(Model, Generic[R_co]):
    """The parameters of a request. They name the method, and `R_co` is what the answer is."""

    METHOD: ClassVar[str]
    RESULT: ClassVar[Any]
    """The type to decode the answer as; the same type as `R_co`."""


class Notification(Model):
    """The parameters of a notification, which name its method."""

    METHOD: ClassVar[str]


class Unknown(Model, kw_only=True):
    """A variant that its union does not know, kept as it came and sent back unchanged."""

    CLOSED: ClassVar[bool] = False
    """Whether the schema fixes the list of variants, so that a strict reader refuses this one."""

    # Required, so that the native decoder can never make one: it has no extra members to give.
    extra: Extra  # pyright: ignore[reportGeneralTypeIssues]

    @classmethod
    def of(cls, members: Mapping[str, Any], **known: Any) -> Self:
        """A variant of one's own: all members, tag included; `known` are the declared ones."""
        return cls(extra=Extra(members), **known)

    @property
    def tag(self) -> str:
        """The tag that was not known."""
        return self.extra[self.__struct_config__.tag_field or ""]


class Leniency(Enum):
    """How a reader reacts when a peer sends a bad value in a marked member."""

    DEFAULT_ON_ERROR = "the member counts as omitted, a required list as empty"
    SKIP_INVALID = "bad items are dropped, the others stay"
    NULL_AS_EMPTY = "null counts as an empty list or object; anything else is strict"


DefaultOnError: TypeAlias = Annotated[T, Leniency.DEFAULT_ON_ERROR]
SkipInvalid: TypeAlias = Annotated[T, Leniency.SKIP_INVALID]
NullAsEmpty: TypeAlias = Annotated[T, Leniency.NULL_AS_EMPTY]
NonEmpty: TypeAlias = Annotated[T, Meta(min_length=1)]

Metadata: TypeAlias = DefaultOnError[dict[str, Any] | UnsetType | None]
"""The `_meta` of an object: free members, to which no meaning is given here (EXT-02)."""

Uint16: TypeAlias = Annotated[int, Meta(ge=0, le=2**16 - 1)]
Uint32: TypeAlias = Annotated[int, Meta(ge=0, le=2**32 - 1)]
# The native decoder cannot bound above the signed range, and values up there must survive (DEC-13).
Uint64: TypeAlias = Annotated[int, Meta(ge=0)]
Int32: TypeAlias = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
Int64: TypeAlias = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]


class Known(Struct, frozen=True):
    """The values that an enumeration names. Other strings are read all the same (DEC-08)."""

    values: tuple[str, ...]
    closed: bool
    """Whether the schema fixes the list, so that a strict reader refuses other strings."""


def known_values(enumeration: Any) -> tuple[str, ...]:
    """The values an `Open` or `Closed` enumeration names, in the order of the schema."""
    return next(mark.values for mark in enumeration.__metadata__ if isinstance(mark, Known))


class ChoiceType(type):
    """The class of `Choice[...]` types: a union that the native decoder cannot tell apart."""

    ARMS: Any
    """The union."""
    CLASSES: tuple[type, ...]
    """What the arms are at run time."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.CLASSES)


if TYPE_CHECKING:
    Open: TypeAlias = T | str
    Closed: TypeAlias = T | str
    Choice: TypeAlias = T | T
else:

    class Open:
        """A string with known values, to which any peer may add."""

        def __class_getitem__(cls, literal):
            return Annotated[str, Known(get_args(literal), closed=False)]

    class Closed:
        """A string with a fixed list of values. A reader keeps others, a sender sends none."""

        def __class_getitem__(cls, literal):
            return Annotated[str, Known(get_args(literal), closed=True)]

    class Choice:
        """A union of which some arms carry no tag: told apart by the members they require."""

        def __class_getitem__(cls, arms):
            classes = tuple(_class_of(arm) for arm in get_args(arms))
            return ChoiceType("Choice", (), {"ARMS": arms, "CLASSES": classes})

    def _class_of(arm):
        while not isinstance(arm, type) or get_origin(arm) is not None:
            arm = arm.__origin__
        return arm


def require_any(**members: object) -> None:
    """Refuse a model that sets none of the members."""
    if all(value is UNSET for value in members.values()):
        raise ValueError(f"needs {' or '.join(members)}")


def require_one(**members: object) -> None:
    """Refuse a model that does not set exactly one of the members."""
    if sum(value is not UNSET for value in members.values()) != 1:
        raise ValueError(f"needs exactly one of {', '.join(members)}")
