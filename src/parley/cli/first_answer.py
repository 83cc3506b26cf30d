"""What the agent says of itself before most of it is loaded: who it is, and how to log in."""

from parley import __version__
from parley.coder.config import Config
from parley.coder.profile import agent_profile
from parley.coder.providers.choice import Choice, sees_images
from parley.session.profile import AgentLogin, AgentProfile, Login, TerminalLogin

_LOGINS: tuple[Login, ...] = (
    TerminalLogin(
        "terminal",
        "Enter a key",
        "Choose a provider and enter its key in a terminal.",
        args=("--login",),
    ),
    AgentLogin(
        "recheck",
        "Look again",
        "Use the provider that was configured since the agent was started.",
    ),
)


def logins_for(choice: Choice) -> tuple[Login, ...]:
    """Where a provider is configured there is nothing to log in to."""
    return () if choice.configured else _LOGINS


def first_profile(config: Config, choice: Choice) -> AgentProfile:
    """The answer to `initialize`.

    Raises:
        ConfigError: a script is wanted and cannot be read.
    """
    images = sees_images(config, choice)
    return agent_profile(__version__, images=images, logins=logins_for(choice))
