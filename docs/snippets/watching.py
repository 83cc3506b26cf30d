"""Three ways to follow a turn."""

import parley
from parley.session.event import Event


async def follow(agent: parley.AgentConnection) -> list[str]:
    session = await agent.new_session(".")

    # The text of the answer.
    text = await session.ask("Hello")

    # How the turn ended; what happened is in `session.state`.
    ending = await session.prompt("Hello")
    calls = [call.title for call in session.state.tool_calls.values()]

    # Every event, as it comes.
    turn = session.prompt("Hello")
    async for event in turn:
        print(event)
    return [text, ending.stop_reason, *map(str, calls), turn.result().stop_reason]


client = parley.Client("watching", "1.0")


@client.event
def note(session: parley.RemoteSession, event: Event) -> None:
    """Sees every event of every session, also between turns. It must not block."""
    print(session.id, type(event).__name__)
