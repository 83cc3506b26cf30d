"""What a process that holds keys does for itself. Light: it runs before the first answer."""

import resource


def leave_no_core() -> None:
    """Write no image of our memory when we crash: there are keys in it.

    Only the limit that everybody may raise again is lowered, for the sake of who debugs a command.
    """
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, most))
