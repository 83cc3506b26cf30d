"""What a turn can say besides text."""

import parley
from parley.session.option import PlanEntry

agent = parley.Agent("saying")


@agent.prompt
async def answer(turn: parley.Turn) -> str:
    await turn.think("Two steps will do.")
    await turn.plan(["Look", PlanEntry("Leap", priority="high")])
    await turn.say("First I look. ")
    await turn.say("Then I leap.")
    await turn.title("Looking and leaping")
    await turn.usage(1_200, 200_000, cost=(0.01, "USD"))
    await turn.notice("The next turn may be slow", severity="warning")
    return "end_turn"


if __name__ == "__main__":
    agent.run()
