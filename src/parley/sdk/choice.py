"""Values of options: reading them, and changing one. Pure."""

import msgspec

from parley.session.option import Option, OptionValue, Select, Toggle


def value_of(options: tuple[Option, ...], id: str) -> OptionValue:
    """The current value of an option.

    Raises:
        LookupError: there is no such option.
    """
    option = _find(options, id)
    if not isinstance(option, (Select, Toggle)):
        raise LookupError(f"the option {id!r} is of a kind that has no known value")
    return option.current


def with_value(options: tuple[Option, ...], id: str, value: OptionValue) -> tuple[Option, ...]:
    """The options after one of them got another value.

    Raises:
        LookupError: there is no such option.
        ValueError: it does not offer the value (V1-CFG-10, V2-CFG-02).
    """
    chosen = _find(options, id)
    return tuple(_changed(each, value) if each is chosen else each for each in options)


def _find(options: tuple[Option, ...], id: str) -> Option:
    for option in options:
        if option.id == id:
            return option
    names = ", ".join(repr(option.id) for option in options) or "none"
    raise LookupError(f"there is no option {id!r}; the options are: {names}")


def _changed(option: Option, value: OptionValue) -> Option:
    match option:
        case Select():
            offered = [choice.value for choice in option.flat()]
            if value in offered:
                return msgspec.structs.replace(option, current=value)
            names = ", ".join(map(repr, offered))
            raise ValueError(f"the option {option.id!r} has no value {value!r}; it has: {names}")
        case Toggle() if isinstance(value, bool):
            return msgspec.structs.replace(option, current=value)
        case _:
            raise ValueError(f"the option {option.id!r} has no value {value!r}")
