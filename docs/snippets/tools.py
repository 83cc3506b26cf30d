"""A tool call from its question to its final status."""

import asyncio

import parley

agent = parley.Agent("tools")


@agent.prompt
async def run_command(turn: parley.Turn) -> None:
    async with turn.tool(f"Run {turn.text}", kind="execute", input={"command": turn.text}) as tool:
        if not await tool.ask():
            return  # The call ends as failed, and the turn as usual.
        screen = await turn.terminal(turn.text)
        await tool.terminal(screen.id)
        process = await asyncio.create_subprocess_shell(
            turn.text, cwd=turn.cwd, stdout=asyncio.subprocess.PIPE
        )
        output, _ = await process.communicate()
        await screen.write(output)
        await screen.exit(process.returncode)
        if process.returncode:
            await tool.fail(f"It ended with status {process.returncode}.")


if __name__ == "__main__":
    agent.run()
