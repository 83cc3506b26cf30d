"""What an application chooses about a connection, and where losses go."""

from parley.protocol.settings import Loss, Settings


def test_the_defaults_speak_both_versions_and_nothing_unstable() -> None:
    settings = Settings()
    assert (settings.versions, settings.unstable) == ((1, 2), False)
    assert settings.deadline > 0
    assert settings.question_deadline is None


def test_a_loss_is_reported_to_whoever_wants_to_know() -> None:
    losses: list[Loss] = []
    Settings(on_loss=losses.append).lose("tool_call.status", "it is gone", "s")
    assert losses == [Loss("tool_call.status", "it is gone", "s")]


def test_a_loss_that_nobody_wants_to_know_is_no_error() -> None:
    Settings().lose("tool_call.status", "it is gone")
