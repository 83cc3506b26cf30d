"""Who the two sides are and what they can do, in the words of version 2 and back. Pure.

A marker stands for yes if it is an object and for no if it is anything else (V2-INIT-03).
"""

from msgspec import UNSET, UnsetType

from parley.protocol.v2.loss import given, members_of, told
from parley.protocol.v2.values import env_from, env_models
from parley.schema import v2
from parley.schema.base import Extra
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

VERSION = 2


def client_request(profile: ClientProfile) -> v2.InitializeRequest:
    return v2.InitializeRequest(
        protocol_version=VERSION,
        info=_info_model(profile.info),
        capabilities=_client_model(profile.capabilities),
        meta=given(profile.meta),
    )


def client_profile(request: v2.InitializeRequest) -> ClientProfile:
    return ClientProfile(
        _info_from(request.info),
        _client_from(request.capabilities or v2.ClientCapabilities()),
        VERSION,
        told(request.meta),
    )


def agent_answer(
    profile: AgentProfile, logins: tuple[Login, ...], *, unstable: bool
) -> v2.InitializeResponse:
    return v2.InitializeResponse(
        protocol_version=VERSION,
        info=_info_model(profile.info),
        capabilities=_agent_model(profile.capabilities, unstable=unstable),
        auth_methods=[_login_model(login) for login in logins] or UNSET,
        meta=given(profile.meta),
    )


def agent_profile(answer: v2.InitializeResponse) -> AgentProfile:
    logins = tuple(_login_from(method) for method in answer.auth_methods or [])
    capabilities = answer.capabilities or v2.AgentCapabilities()
    return AgentProfile(
        _info_from(answer.info),
        _agent_from(capabilities, logout=bool(logins)),
        logins,
        VERSION,
        told(answer.meta),
    )


def has_sessions(answer: v2.InitializeResponse) -> bool:
    """V2-INIT-05: without `session` there are no sessions at all."""
    return bool(answer.capabilities) and told(answer.capabilities.session) is not None


def offered_logins(profile: AgentProfile, client: ClientCapabilities) -> tuple[Login, ...]:
    """V2-AUTH-06: a login in a terminal is only for clients that have one."""
    return tuple(
        login
        for login in profile.logins
        if client.terminal_login or not isinstance(login, TerminalLogin)
    )


def _info_model(info: Implementation) -> v2.Implementation:
    return v2.Implementation(
        name=info.name, version=info.version, title=given(info.title), meta=given(info.meta)
    )


def _info_from(model: v2.Implementation) -> Implementation:
    info = Implementation(model.name, model.version, told(model.title), told(model.meta))
    return UNKNOWN if info == UNKNOWN else info


def _client_model(capabilities: ClientCapabilities) -> v2.ClientCapabilities:
    auth, elicitation = UNSET, UNSET
    if capabilities.terminal_login:
        auth = v2.ClientAuthCapabilities(terminal=v2.TerminalAuthCapabilities())
    if capabilities.elicitation_form or capabilities.elicitation_url:
        elicitation = v2.ElicitationCapabilities(
            form=v2.ElicitationFormCapabilities() if capabilities.elicitation_form else UNSET,
            url=v2.ElicitationUrlCapabilities() if capabilities.elicitation_url else UNSET,
        )
    return v2.ClientCapabilities(auth=auth, elicitation=elicitation, meta=given(capabilities.meta))


def _client_from(model: v2.ClientCapabilities) -> ClientCapabilities:
    auth = told(model.auth)
    elicitation = told(model.elicitation) or v2.ElicitationCapabilities()
    return ClientCapabilities(
        terminal_login=auth is not None and _marked(auth.terminal),
        # V1-ELI-02: an object without a mode advertises none.
        elicitation_form=_marked(elicitation.form),
        elicitation_url=_marked(elicitation.url),
        # These need no word in version 2.
        boolean_options=True,
        notices=True,
        compaction=True,
        plans=True,
        subagents=True,
        meta=told(model.meta),
    )


def _marked(marker: object) -> bool:
    return marker is not None and not isinstance(marker, UnsetType)


def _agent_model(capabilities: AgentCapabilities, *, unstable: bool) -> v2.AgentCapabilities:
    auth, providers = UNSET, UNSET
    if unstable and capabilities.auth_status:
        auth = v2.AgentAuthCapabilities(status=v2.AuthStatusCapabilities())
    if unstable and capabilities.providers:
        providers = v2.ProvidersCapabilities()
    return v2.AgentCapabilities(
        session=_session_model(capabilities, unstable=unstable),
        auth=auth,
        providers=providers,
        meta=given(capabilities.meta),
    )


def _session_model(capabilities: AgentCapabilities, *, unstable: bool) -> v2.SessionCapabilities:
    # NEG-17: speaking version 2 switches nothing on that is unstable.
    now = unstable
    system_prompt = UNSET
    if now and capabilities.system_prompt:
        mode = UNSET
        if capabilities.system_prompt_override:
            override = v2.SessionSystemPromptOverrideCapabilities()
            mode = v2.SessionSystemPromptModeCapabilities(override=override)
        system_prompt = v2.SessionSystemPromptCapabilities(mode=mode)
    return v2.SessionCapabilities(
        prompt=_prompt_model(capabilities),
        mcp=_mcp_model(capabilities, unstable=unstable),
        delete=v2.SessionDeleteCapabilities() if capabilities.delete else UNSET,
        additional_directories=v2.SessionAdditionalDirectoriesCapabilities()
        if capabilities.additional_directories
        else UNSET,
        system_prompt=system_prompt,
        fork=v2.SessionForkCapabilities() if now and capabilities.fork else UNSET,
        archive=v2.SessionArchiveCapabilities() if now and capabilities.archive else UNSET,
        status=v2.SessionStatusCapabilities() if now and capabilities.status else UNSET,
        title=v2.SessionTitleCapabilities() if now and capabilities.title else UNSET,
    )


def _prompt_model(capabilities: AgentCapabilities) -> v2.PromptCapabilities | UnsetType:
    if not (capabilities.image or capabilities.audio or capabilities.embedded_context):
        return UNSET
    embedded = v2.PromptEmbeddedContextCapabilities() if capabilities.embedded_context else UNSET
    return v2.PromptCapabilities(
        image=v2.PromptImageCapabilities() if capabilities.image else UNSET,
        audio=v2.PromptAudioCapabilities() if capabilities.audio else UNSET,
        embedded_context=embedded,
    )


def _mcp_model(
    capabilities: AgentCapabilities, *, unstable: bool
) -> v2.McpCapabilities | UnsetType:
    acp = unstable and capabilities.mcp_acp
    if not (capabilities.mcp_stdio or capabilities.mcp_http or acp):
        return UNSET
    return v2.McpCapabilities(
        stdio=v2.McpStdioCapabilities() if capabilities.mcp_stdio else UNSET,
        http=v2.McpHttpCapabilities() if capabilities.mcp_http else UNSET,
        acp=v2.McpAcpCapabilities() if acp else UNSET,
    )


def _agent_from(model: v2.AgentCapabilities, *, logout: bool) -> AgentCapabilities:
    found = told(model.session)
    auth = told(model.auth)
    session = found or v2.SessionCapabilities()
    prompt = told(session.prompt) or v2.PromptCapabilities()
    mcp = told(session.mcp) or v2.McpCapabilities()
    system_prompt = told(session.system_prompt)
    mode = None if system_prompt is None else told(system_prompt.mode)
    baseline = found is not None  # V2-INIT-04
    return AgentCapabilities(
        load=baseline,
        resume=baseline,
        list=baseline,
        close=baseline,
        delete=_marked(session.delete),
        fork=_marked(session.fork),
        additional_directories=_marked(session.additional_directories),
        image=_marked(prompt.image),
        audio=_marked(prompt.audio),
        embedded_context=_marked(prompt.embedded_context),
        mcp_stdio=_marked(mcp.stdio),
        mcp_http=_marked(mcp.http),
        mcp_acp=_marked(mcp.acp),
        logout=logout,
        archive=_marked(session.archive),
        status=_marked(session.status),
        title=_marked(session.title),
        system_prompt=system_prompt is not None,
        system_prompt_override=mode is not None and _marked(mode.override),
        auth_status=auth is not None and _marked(auth.status),
        providers=_marked(model.providers),
        meta=told(model.meta),
    )


def _login_model(login: Login) -> v2.AuthMethod:
    match login:
        case AgentLogin():
            return v2.AuthMethodAgent(
                method_id=login.id,
                name=login.name,
                description=given(login.description),
                meta=given(login.meta),
            )
        case TerminalLogin():
            return v2.AuthMethodTerminal(
                method_id=login.id,
                name=login.name,
                description=given(login.description),
                args=list(login.args) or UNSET,
                env=env_models(login.env) or UNSET,
                meta=given(login.meta),
            )
        case OtherLogin():
            raw = Extra({**login.raw, "type": login.kind})
            return v2.OtherAuthMethod(method_id=login.id, name=login.name, extra=raw)


def _login_from(model: v2.AuthMethod) -> Login:
    match model:
        case v2.AuthMethodAgent():
            return AgentLogin(
                model.method_id, model.name, told(model.description), told(model.meta)
            )
        case v2.AuthMethodTerminal():
            return TerminalLogin(
                model.method_id,
                model.name,
                told(model.description),
                tuple(model.args or ()),
                env_from(model.env or []),
                told(model.meta),
            )
        case v2.OtherAuthMethod():
            # V2-AUTH-05: preserved, and never offered as another kind.
            return OtherLogin(model.method_id, model.name, model.tag, members_of(model))
