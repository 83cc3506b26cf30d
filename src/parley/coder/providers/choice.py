"""Which provider answers, by the configuration alone. Pure apart from a script that is asked for.

It is part of every start, so it imports little; `parley.coder.providers.making` makes the
providers.
"""

from pathlib import Path

from msgspec import Struct

from parley.coder.config import Config, ProviderConfig
from parley.coder.providers.catalogue import known, offered_by
from parley.coder.vendors import BY_NAME, OFFLINE, OFFLINE_MODEL, SCRIPTED, VENDORS


class Choice(Struct, frozen=True):
    """The model to begin with, and why."""

    model: str
    """`provider/model`; nothing behind the slash means the provider's preferred one."""
    reason: str
    notices: tuple[str, ...] = ()
    """What the user should know: something else was meant, or could be meant."""
    configured: bool = True
    """Whether this is what the user wants; otherwise it stands in for what is missing."""
    local: bool = False
    """Whether a model server on this machine may take its place."""

    @property
    def provider(self) -> str:
        return self.model.partition("/")[0]


def choose(config: Config) -> Choice:
    """The provider that the configuration means."""
    wanted, model = config.agent.provider, config.agent.model
    if wanted is not None:
        return _named(config, wanted, model)
    if model is not None:
        return _by_model(config, model)
    if not config.providers:
        return Choice(OFFLINE_MODEL, "no model is configured", configured=False, local=True)
    first = config.providers[0]
    if len(config.providers) == 1:
        return Choice(_first_model(first), f"it is the only one configured ({first.source})")
    others = ", ".join(each.name for each in config.providers[1:])
    notice = (
        f"Several providers are configured; {first.name} is used ({first.source}). "
        f"To use another one ({others}), set PARLEY_PROVIDER or PARLEY_MODEL."
    )
    return Choice(_first_model(first), "it comes first of those configured", (notice,))


def sees_images(config: Config, choice: Choice) -> bool:
    """Whether the model to begin with can see, as far as that is known without asking anybody.

    Raises:
        ConfigError: a script is wanted and cannot be read.
    """
    name, _, model = choice.model.partition("/")
    if name == SCRIPTED:
        # A start without a script need not know how to read one.
        from parley.coder.providers.scripted import read_script  # noqa: PLC0415

        return read_script(Path(config.script or "")).models[0].images
    if model:
        return known(model).images
    return any(each.images for each in offered_by(name)[:1])


def _first_model(entry: ProviderConfig) -> str:
    return f"{entry.name}/{entry.models[0] if entry.models else ''}"


def _named(config: Config, wanted: str, model: str | None) -> Choice:
    """The provider that the user names, and nothing else: another one may cost money."""
    source = config.sources.get("provider", "")
    reason = f"chosen by {source}"
    plain = model.removeprefix(f"{wanted}/") if model else None
    entry = config.provider(wanted)
    if entry is not None:
        return Choice(f"{wanted}/{plain}" if plain else _first_model(entry), reason)
    if wanted == SCRIPTED:
        return Choice(f"{SCRIPTED}/{plain or ''}", reason)
    if wanted == OFFLINE:
        return Choice(OFFLINE_MODEL, reason)
    return _lack(wanted, source)


def _lack(wanted: str, source: str) -> Choice:
    vendor = BY_NAME.get(wanted)
    fix = f"set {vendor.key_variables[0]}" if vendor else f"add [providers.{wanted}] to the file"
    notice = f"The provider {wanted!r} ({source}) is not configured, so no model is used: {fix}."
    reason = "what is chosen is not configured"
    return Choice(OFFLINE_MODEL, reason, (notice,), configured=False)


def _by_model(config: Config, model: str) -> Choice:
    name, _, _ = model.partition("/")
    reason = f"chosen by {config.sources.get('model', '')}"
    if name in (OFFLINE, SCRIPTED) or config.provider(name) is not None:
        return Choice(model, reason)
    if not config.providers:
        if name in BY_NAME:
            return _lack(name, config.sources.get("model", ""))
        # It may be one of a local server.
        return Choice(OFFLINE_MODEL, "no model is configured", configured=False, local=True)
    listed = [each for each in config.providers if model in each.models]
    signed = [each for each in config.providers if each.name in _vendors_of(model)]
    routing = [each for each in config.providers if each.name == "openrouter" and "/" in model]
    entry = (*listed, *signed, *routing, *config.providers)[0]
    certain = listed or signed or routing or len(config.providers) == 1
    doubt = f"Nothing says which provider has the model {model!r}; {entry.name} is asked for it."
    return Choice(f"{entry.name}/{model}", reason, () if certain else (doubt,))


def _vendors_of(model: str) -> set[str]:
    return {each.name for each in VENDORS if model.startswith(each.model_signs or ("\0",))}
