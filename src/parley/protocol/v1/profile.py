"""Who the two sides are and what they can do, between the neutral words and version 1.

Pure. A capability that is absent counts as unsupported (V1-INIT-05, V1-INIT-12).
"""

from typing import Any

from msgspec import UNSET, UnsetType

import parley.schema.v1 as v1
from parley.protocol.v1.content import Lose, known
from parley.schema.reading import is_object
from parley.session.patch import given
from parley.session.profile import (
    UNKNOWN,
    AgentCapabilities,
    AgentLogin,
    AgentProfile,
    ClientCapabilities,
    ClientProfile,
    Implementation,
    Login,
    OtherLogin,
    TerminalLogin,
)

# The client.


def initialize_model(profile: ClientProfile, *, unstable: bool) -> v1.InitializeRequest:
    """How a client introduces itself (V1-INIT-01, V1-INIT-03, V1-INIT-10)."""
    can = profile.capabilities
    return v1.InitializeRequest(
        protocol_version=1,
        client_capabilities=v1.ClientCapabilities(
            fs=v1.FileSystemCapabilities(
                read_text_file=can.read_files, write_text_file=can.write_files
            ),
            terminal=can.terminals,
            session=v1.ClientSessionCapabilities(
                compaction=v1.CompactionCapabilities() if can.compaction else UNSET,
                config_options=v1.SessionConfigOptionsCapabilities(
                    boolean=v1.BooleanConfigOptionCapabilities()
                )
                if can.boolean_options
                else UNSET,
                notices=v1.NoticeCapabilities() if can.notices else UNSET,
            ),
            auth=v1.AuthCapabilities(terminal=can.terminal_login),
            elicitation=_elicitation_model(can),
            plan=v1.PlanCapabilities() if unstable and can.plans else UNSET,
            subagents=v1.SubagentCapabilities() if unstable and can.subagents else UNSET,
            meta=given(can.meta),
        ),
        client_info=_implementation_model(profile.info),
        meta=given(profile.meta),
    )


def client_profile_from(request: v1.InitializeRequest, *, unstable: bool) -> ClientProfile:
    """The client as it introduces itself.

    NEG-18: a client that asked for version 2 wrote `capabilities` and `info`; what they say is
    taken when the forms of version 1 are missing.
    """
    newer = dict(request.extra) if not isinstance(request.extra, UnsetType) else {}
    if isinstance(request.client_capabilities, v1.ClientCapabilities):
        capabilities = _client_capabilities_from(request.client_capabilities, unstable=unstable)
    else:
        capabilities = _newer_capabilities(newer.get("capabilities"))
    info = known(request.client_info)
    return ClientProfile(
        _newer_info(newer.get("info")) if info is None else _implementation_from(info),
        capabilities,
        1,
        known(request.meta),
    )


def _client_capabilities_from(can: v1.ClientCapabilities, *, unstable: bool) -> ClientCapabilities:
    fs = can.fs or v1.FileSystemCapabilities()
    session = can.session or v1.ClientSessionCapabilities()
    elicitation = can.elicitation or v1.ElicitationCapabilities()
    options = session.config_options or v1.SessionConfigOptionsCapabilities()
    auth = can.auth or v1.AuthCapabilities()
    return ClientCapabilities(
        read_files=fs.read_text_file or False,
        write_files=fs.write_text_file or False,
        terminals=can.terminal or False,
        terminal_login=auth.terminal or False,
        # V1-ELI-02: an empty object and nulls advertise no mode.
        elicitation_form=_present(elicitation.form),
        elicitation_url=_present(elicitation.url),
        boolean_options=_present(options.boolean),
        notices=_present(session.notices),
        compaction=_present(session.compaction),
        plans=unstable and _present(can.plan),
        subagents=unstable and _present(can.subagents),
        meta=known(can.meta),
    )


def _elicitation_model(can: ClientCapabilities) -> v1.ElicitationCapabilities | UnsetType:
    if not (can.elicitation_form or can.elicitation_url):
        return UNSET
    return v1.ElicitationCapabilities(
        form=v1.ElicitationFormCapabilities() if can.elicitation_form else UNSET,
        url=v1.ElicitationUrlCapabilities() if can.elicitation_url else UNSET,
    )


def _newer_capabilities(value: Any) -> ClientCapabilities:
    """What a client of version 2 can do; what is baseline there is counted as said."""
    if not is_object(value):
        return ClientCapabilities()
    return ClientCapabilities(
        terminal_login=_marker(value, "auth", "terminal"),
        elicitation_form=_marker(value, "elicitation", "form"),
        elicitation_url=_marker(value, "elicitation", "url"),
        boolean_options=True,
        notices=True,
        compaction=True,
    )


def _marker(value: Any, *path: str) -> bool:
    for key in path:
        value = value.get(key) if is_object(value) else None
    return is_object(value)


def _newer_info(value: Any) -> Implementation:
    match value:
        case {"name": str(name), "version": str(version), "title": str(title)}:
            return Implementation(name, version, title)
        case {"name": str(name), "version": str(version)}:
            return Implementation(name, version)
        case _:
            return UNKNOWN


# The agent.


def initialized_model(
    profile: AgentProfile,
    client: ClientProfile,
    lose: Lose,
    *,
    unstable: bool,
    forks: bool = False,
) -> v1.InitializeResponse:
    """How an agent introduces itself to this client (V1-INIT-02, V1-INIT-04, V1-INIT-11).

    `forks` says that it forks sessions although the unstable part is not spoken.
    """
    return v1.InitializeResponse(
        protocol_version=1,
        agent_capabilities=_agent_capabilities_model(profile, unstable=unstable, forks=forks),
        auth_methods=_logins_model(profile.logins, client, lose),
        agent_info=_implementation_model(profile.info),
        meta=given(profile.meta),
    )


def agent_profile_from(response: v1.InitializeResponse, *, unstable: bool) -> AgentProfile:
    info = known(response.agent_info)
    can = response.agent_capabilities or v1.AgentCapabilities()
    logins = known(response.auth_methods) or []
    return AgentProfile(
        UNKNOWN if info is None else _implementation_from(info),
        _agent_capabilities_from(can, unstable=unstable),
        tuple(_login_from(login) for login in logins),
        1,
        known(response.meta),
    )


def _agent_capabilities_model(
    profile: AgentProfile, *, unstable: bool, forks: bool
) -> v1.AgentCapabilities:
    can = profile.capabilities
    return v1.AgentCapabilities(
        load_session=can.load,
        prompt_capabilities=v1.PromptCapabilities(
            image=can.image, audio=can.audio, embedded_context=can.embedded_context
        ),
        mcp_capabilities=v1.McpCapabilities(
            http=can.mcp_http, sse=can.mcp_sse, acp=can.mcp_acp if unstable else UNSET
        ),
        session_capabilities=_session_capabilities_model(can, unstable=unstable, forks=forks),
        auth=v1.AgentAuthCapabilities(
            logout=v1.LogoutCapabilities() if can.logout else UNSET,
            status=v1.AuthStatusCapabilities() if unstable and can.auth_status else UNSET,
        ),
        providers=v1.ProvidersCapabilities() if unstable and can.providers else UNSET,
        meta=given(can.meta),
    )


def _session_capabilities_model(
    can: AgentCapabilities, *, unstable: bool, forks: bool
) -> v1.SessionCapabilities:
    prompt: v1.SessionSystemPromptCapabilities | UnsetType = UNSET
    if unstable and can.system_prompt:
        override = v1.SessionSystemPromptOverrideCapabilities()
        prompt = v1.SessionSystemPromptCapabilities(
            mode=v1.SessionSystemPromptModeCapabilities(override=override)
            if can.system_prompt_override
            else UNSET
        )
    return v1.SessionCapabilities(
        list=v1.SessionListCapabilities() if can.list else UNSET,
        delete=v1.SessionDeleteCapabilities() if can.delete else UNSET,
        additional_directories=v1.SessionAdditionalDirectoriesCapabilities()
        if can.additional_directories
        else UNSET,
        resume=v1.SessionResumeCapabilities() if can.resume else UNSET,
        close=v1.SessionCloseCapabilities() if can.close else UNSET,
        system_prompt=prompt,
        fork=v1.SessionForkCapabilities() if (unstable and can.fork) or forks else UNSET,
        archive=v1.SessionArchiveCapabilities() if unstable and can.archive else UNSET,
        status=v1.SessionStatusCapabilities() if unstable and can.status else UNSET,
        title=v1.SessionTitleCapabilities() if unstable and can.title else UNSET,
    )


def _agent_capabilities_from(can: v1.AgentCapabilities, *, unstable: bool) -> AgentCapabilities:
    prompt = can.prompt_capabilities or v1.PromptCapabilities()
    mcp = can.mcp_capabilities or v1.McpCapabilities()
    session = can.session_capabilities or v1.SessionCapabilities()
    auth = can.auth or v1.AgentAuthCapabilities()
    system = known(session.system_prompt) if unstable else None
    mode = None if system is None else known(system.mode)
    return AgentCapabilities(
        load=can.load_session or False,
        resume=_present(session.resume),
        list=_present(session.list),
        close=_present(session.close),
        delete=_present(session.delete),
        fork=unstable and _present(session.fork),
        additional_directories=_present(session.additional_directories),
        image=prompt.image or False,
        audio=prompt.audio or False,
        embedded_context=prompt.embedded_context or False,
        mcp_stdio=True,
        mcp_http=mcp.http or False,
        mcp_sse=mcp.sse or False,
        mcp_acp=unstable and (mcp.acp or False),
        logout=_present(auth.logout),
        archive=unstable and _present(session.archive),
        status=unstable and _present(session.status),
        title=unstable and _present(session.title),
        system_prompt=system is not None,
        system_prompt_override=mode is not None and _present(mode.override),
        auth_status=unstable and _present(auth.status),
        providers=unstable and _present(can.providers),
        meta=known(can.meta),
    )


def _logins_model(
    logins: tuple[Login, ...], client: ClientProfile, lose: Lose
) -> list[v1.AuthMethod]:
    found: list[v1.AuthMethod] = []
    for login in logins:
        match login:
            case AgentLogin():
                found.append(
                    v1.AuthMethodAgent(
                        id=login.id,
                        name=login.name,
                        description=given(login.description),
                        meta=given(login.meta),
                    )
                )
            case TerminalLogin() if client.capabilities.terminal_login:
                found.append(
                    v1.AuthMethodTerminal(
                        id=login.id,
                        name=login.name,
                        description=given(login.description),
                        args=list(login.args),
                        env=login.env,
                        meta=given(login.meta),
                    )
                )
            case TerminalLogin():
                pass  # V1-AUTH-05: not for a client that cannot open a terminal for it.
            case OtherLogin():
                # An unknown type reads as a login by the agent in version 1, which it is not.
                lose("login.type", f"the login `{login.id}` of type `{login.kind}` is left out")
    return found


def _login_from(model: v1.AuthMethod) -> Login:
    match model:
        case v1.AuthMethodAgent():  # V1-AUTH-04: a method without a type is one of the agent.
            return AgentLogin(model.id, model.name, known(model.description), known(model.meta))
        case v1.AuthMethodTerminal():
            return TerminalLogin(
                model.id,
                model.name,
                known(model.description),
                tuple(known(model.args) or ()),
                known(model.env) or {},
                known(model.meta),
            )
        case v1.OtherAuthMethod():  # DEC-17: never offered as a login by the agent.
            raw = dict(model.extra)
            return OtherLogin(str(raw.get("id", "")), str(raw.get("name", "")), model.tag, raw)


def _present(marker: object) -> bool:
    return marker is not None and marker is not UNSET


def _implementation_model(info: Implementation) -> v1.Implementation:
    return v1.Implementation(
        name=info.name, version=info.version, title=given(info.title), meta=given(info.meta)
    )


def _implementation_from(model: v1.Implementation) -> Implementation:
    return Implementation(model.name, model.version, known(model.title), known(model.meta))
