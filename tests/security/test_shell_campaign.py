"""No line gets past a rule that denies, however it is written and however long it is."""

from tests.security.shell_campaign import denied_lines, passed_denial


def test_no_line_does_unasked_what_a_rule_denies() -> None:
    lines = list(denied_lines())
    assert len(set(lines)) >= 150
    assert max(line.count("ls") for line in lines) >= 2_000
    assert passed_denial() == []
