"""Which version is spoken: our agent and their clients, our client and their agents and router."""

import pytest

from parley.errors import AcpError, RemoteProtocolError, VersionMismatch
from parley.protocol.settings import Settings
from tests.interop.bounds import bounded
from tests.interop.node import script
from tests.interop.our_client import driving
from tests.interop.typescript_client import INFO, Refused, typescript

pytestmark = pytest.mark.usefixtures("typescript_packages")

BOTH, ONE, TWO = (1, 2), (1,), (2,)


@pytest.mark.parametrize(
    ("flags", "asked", "answered"),
    [
        ((), 1, 1),
        ((), 2, 2),
        ((), 3, 2),
        ((), 65535, 2),
        (("--version=1",), 0, 1),
        (("--version=1",), 1, 1),
        (("--version=1",), 2, 1),
        (("--version=1",), 3, 1),
        (("--version=2",), 2, 2),
        (("--version=2",), 3, 2),
    ],
)
def test_our_agent_answers_with_the_version_it_speaks(
    flags: tuple[str, ...], asked: int, answered: int
) -> None:
    async def scenario() -> None:
        async with typescript("v1", *flags) as client:
            # The first entry point sends any version, and does not judge the answer.
            params = {"protocolVersion": asked, "info": INFO, "capabilities": {}}
            answer = await client.request("initialize", params)
            assert answer["protocolVersion"] == answered
            name = answer["agentInfo" if answered == 1 else "info"]["name"]
            assert name == "parley-interop"
            assert await client.new_session()

    bounded(scenario())


@pytest.mark.parametrize(
    ("flags", "asked", "supported"), [((), 0, [1, 2]), (("--version=2",), 1, [2])]
)
def test_our_agent_refuses_a_version_below_its_own_and_can_be_asked_again(
    flags: tuple[str, ...], asked: int, supported: list[int]
) -> None:
    async def scenario() -> None:
        async with typescript("v1", *flags) as client:
            params = {"protocolVersion": asked, "clientCapabilities": {}}
            with pytest.raises(Refused) as refused:
                await client.request("initialize", params)
            assert refused.value.code == -32022
            assert refused.value.data == {"requested": asked, "supported": supported}
            answer = await client.initialize(supported[-1])
            assert answer["protocolVersion"] == supported[-1]

    bounded(scenario())


def test_their_client_of_version_2_may_initialize_again_until_it_asks_something_else() -> None:
    async def scenario() -> None:
        async with typescript("v2") as client:
            await client.initialize(2)
            assert (await client.initialize(2))["protocolVersion"] == 2
            await client.new_session()
            with pytest.raises(Refused) as refused:
                await client.initialize(2)
            assert refused.value.code == -32600
            assert await client.new_session()

    bounded(scenario())


def test_their_client_of_version_2_cannot_use_an_agent_of_version_1_and_says_so() -> None:
    async def scenario() -> None:
        async with typescript("v2", "--version=1") as client:
            with pytest.raises(Refused):
                await client.initialize(2)

    bounded(scenario())


def test_what_a_client_of_version_2_can_do_is_known_to_an_agent_of_version_1() -> None:
    async def scenario() -> None:
        async with typescript("v1", "--version=1") as client:
            capabilities = {"elicitation": {"form": {}}}
            params = {"protocolVersion": 2, "info": INFO, "capabilities": capabilities}
            await client.request("initialize", params)
            session = await client.new_session()
            await client.prompt(session, "about")
            assert client.said().endswith("interop form=True")

    bounded(scenario())


@pytest.mark.parametrize(
    ("kind", "versions", "spoken"),
    [
        ("v1", BOTH, 1),
        ("v1", ONE, 1),
        ("v2", BOTH, 2),
        ("v2", TWO, 2),
        ("router", BOTH, 2),
        ("router", ONE, 1),
        ("router", TWO, 2),
        ("router-1", BOTH, 1),
        ("router-1", ONE, 1),
        ("router-2", BOTH, 2),
    ],
)
def test_our_client_speaks_the_newest_version_that_both_know(
    kind: str, versions: tuple[int, ...], spoken: int
) -> None:
    async def scenario() -> None:
        async with driving(
            script("agent.mjs", kind), settings=Settings(versions=versions)
        ) as agent:
            assert agent.profile.version == spoken
            assert agent.profile.info.name == "typescript"
            assert agent.profile.capabilities.image
            about = await agent.call("_interop/client", {})
            can = about["clientCapabilities" if spoken == 1 else "capabilities"]
            assert can["elicitation"] == {"form": {}, "url": {}}
            assert await (await agent.new_session("/project")).ask("hello") == "hello"

    bounded(scenario())


@pytest.mark.parametrize(
    ("kind", "versions", "error"),
    [
        ("v1", TWO, RemoteProtocolError),
        ("router-1", TWO, RemoteProtocolError),
        ("router-2", ONE, VersionMismatch),
        ("v2", ONE, AcpError),
    ],
)
def test_our_client_says_so_when_no_version_is_common(
    kind: str, versions: tuple[int, ...], error: type[Exception]
) -> None:
    async def scenario() -> None:
        with pytest.raises(error):
            async with driving(script("agent.mjs", kind), settings=Settings(versions=versions)):
                pass

    bounded(scenario())
