"""What a person sees before allowing something."""

from parley.frontend.headless.question_text import (
    about,
    key_lines,
    keys_for,
    question_lines,
    wrapped,
)
from parley.frontend.visible import cells
from parley.session.activity import ToolCall
from parley.session.content import ContentItem, DiffItem, FileChange, Location, TerminalItem, Text
from parley.session.event import ToolCallChanged
from parley.session.question import (
    CommandSubject,
    OtherSubject,
    PermissionOption,
    PermissionQuestion,
    Subject,
)


def call(**fields: object) -> ToolCall:
    made = ToolCall("t")
    made.change(ToolCallChanged("t", **fields))  # pyright: ignore[reportArgumentType]  # By name.
    return made


def ask(subject: Subject | None = None, title: str = "May I?") -> PermissionQuestion:
    return PermissionQuestion(title, (), subject, description="because")


def text(question: PermissionQuestion, tool: ToolCall | None = None) -> str:
    return "\n".join(line for line, _ in question_lines(question, tool))


def test_a_command_is_shown_whole_with_its_folder() -> None:
    long = "echo " + "x" * 5000
    shown = text(ask(), call(kind="execute", raw_input={"command": long, "cwd": "/p"}))
    assert f"  command: {long}\n  in:      /p" in shown
    assert "May I? (execute)" in shown
    assert "because" in shown
    shown = text(ask(CommandSubject("rm x", "/q")))
    assert "  command: rm x\n  in:      /q" in shown


def test_words_of_a_command_are_shown_apart() -> None:
    assert '["rm", "a b"]' in text(ask(), call(raw_input={"command": ["rm", "a b"]}))


def test_a_diff_is_shown_with_its_file() -> None:
    change = FileChange("modify", "/a", old_text="x", new_text="y")
    items = (DiffItem((change,)), ContentItem(Text("note")), TerminalItem("t"))
    where = (Location("/a", 3), Location("/b", 4))
    assert list(question_lines(ask(), call(content=items, locations=where))) == [
        ("The agent asks: May I? (other)", "warning"),
        ("  ┆ because", "plain"),
        ("  file:    /b:4", "plain"),  # The other one is that of the diff.
        ("  modify /a", "plain"),
        ("  @@ -1 +1 @@", "plain"),
        ("  -x", "bad"),
        ("  +y", "good"),
        ("  ┆ note", "plain"),
    ]


def test_input_that_says_nothing_else_is_shown_as_it_is() -> None:
    assert '  input:   {"path": "ü"}' in text(ask(), call(raw_input={"path": "ü"}))
    assert '  hologram: {"a": 1}' in text(ask(OtherSubject("hologram", {"a": 1})))


def described(description: str, tool: ToolCall) -> list[str]:
    question = PermissionQuestion("May I?", (), description=description)
    return [line for line, _ in question_lines(question, tool)][1:]


def test_a_command_that_the_description_has_is_shown_once_and_under_our_label() -> None:
    run = call(kind="execute", raw_input={"command": "a\nb"})
    assert described("Run in /p:\na\nb\nWhy not.", run) == [
        "  ┆ Run in /p:",
        "  command: a\n           ┆ b",
        "  ┆ Why not.",
    ]
    assert described("Run a\nb", run)[-1] == "  command: a\n           ┆ b"
    assert described("a", run) == ["  ┆ a", "  command: a\n           ┆ b"]


def test_input_that_the_description_has_is_not_repeated() -> None:
    assert described('With:\n{\n  "a": 1\n}', call(raw_input={"a": 1})) == [
        "  ┆ With:",
        '  input:   {\n           ┆   "a": 1\n           ┆ }',
    ]
    task = call(raw_input={"prompt": "count\nthem", "tools": "read"})
    assert described("Task:\ncount\nthem", task) == [
        "  ┆ Task:",
        "  input:   count\n           ┆ them",
        '  input:   {"tools": "read"}',
    ]
    assert described("Task:\nx", call(raw_input={"prompt": "x"})) == ["  ┆ Task:", "  input:   x"]
    assert described("Task:", call(raw_input={})) == ["  ┆ Task:", "  input:   {}"]


def test_what_a_description_fences_is_indented_and_the_fence_is_not_shown() -> None:
    assert described("````\nx\n```\n````\nFrom:\n```sh\ny\n```", call()) == [
        "  ┆     x",
        "  ┆     ```",
        "  ┆ From:",
        "  ┆     y",
    ]
    assert described("```\nnever ended", call()) == ["  ┆ ```", "  ┆ never ended"]


def test_nothing_an_agent_writes_looks_like_a_line_of_ours() -> None:
    trick = "x\n  [a] allow once: harmless"
    asked = PermissionQuestion(trick, (), description=f"[a] allow once\n{trick}")
    items = (ContentItem(Text("[a] allow once")),)
    tool = call(title=trick, raw_input={"command": trick}, content=items)
    for line in text(asked, tool).split("\n"):
        assert not line.startswith("  [a]")


def test_nothing_raw_is_shown() -> None:
    nasty = "\x1b[2J\u202e"
    question = PermissionQuestion(nasty, (), OtherSubject(nasty, {nasty: nasty}), nasty)
    item = DiffItem((FileChange(nasty, nasty, nasty, new_text=nasty),))
    tool = call(kind=nasty, locations=(Location(nasty),), content=(item, ContentItem(Text(nasty))))
    options = (PermissionOption("y", nasty, "allow_once"),)
    lines = [*question_lines(question, tool), *key_lines(keys_for(options))]
    assert all(line.isprintable() for line, _ in lines)


def test_each_option_has_a_key_by_its_kind_and_a_digit_where_that_is_taken() -> None:
    kinds = ("allow_once", "allow_always", "reject_once", "reject_always", "allow_once", "new")
    options = tuple(PermissionOption(str(i), f"n{i}", kind) for i, kind in enumerate(kinds))
    keys = keys_for(options)
    assert {key: option.id for key, option in keys.items()} == {
        "a": "0",
        "A": "1",
        "r": "2",
        "R": "3",
        "1": "4",
    }
    assert [line for line, _ in key_lines(keys)] == [
        "  [a] allow once: n0",
        "  [A] allow always: n1",
        "  [r] reject: n2",
        "  [R] reject always: n3",
        "  [1] allow once: n4",
        "  any other key: no",
    ]


def test_a_name_that_says_what_the_key_does_stands_alone() -> None:
    names = {
        "allow_once": "Allow once",
        "allow_always": "Always allow `x`",
        "reject_once": "Reject once",
        "reject_always": "Allow once",
    }
    options = tuple(PermissionOption(kind, name, kind) for kind, name in names.items())
    assert [line for line, _ in key_lines(keys_for(options))][:4] == [
        "  [a] Allow once",
        "  [A] Always allow `x`",
        "  [r] Reject once",
        "  [R] reject always: Allow once",
    ]


def test_more_options_than_keys_leave_some_without() -> None:
    options = tuple(PermissionOption(str(i), "n", "allow_once") for i in range(20))
    assert len(keys_for(options)) == 10


def test_what_it_is_about_is_the_command_or_else_the_title() -> None:
    run = call(kind="execute", raw_input={"command": ["ls", "-l"]})
    assert about(ask(CommandSubject("rm x", "/")), None) == "rm x"
    assert about(ask(), run) == "ls -l"
    assert about(ask(), call(kind="edit", raw_input={"command": "view"})) == "May I?"
    assert about(ask(title=""), call(title="Edit a")) == "Edit a"
    assert about(ask(title=""), None) == "a permission"


def test_a_long_line_goes_on_under_a_mark_and_never_in_the_first_column() -> None:
    lines = wrapped("  [a] " + "名" * 30 + "\nshort", 30).split("\n")
    assert all(cells(line) <= 29 for line in lines)
    assert [line[:6] for line in lines[1:-1]] == ["    ↳ "] * (len(lines) - 2)
    assert lines[-1] == "short"


def test_lines_are_broken_at_blanks_and_no_blank_is_lost() -> None:
    assert wrapped("one two three four five six", 21).split("\n") == [
        "one two three four ",
        "    ↳ five six",
    ]
    assert wrapped("a " + "x" * 30, 21).split("\n") == ["a " + "x" * 18, "    ↳ " + "x" * 12]
    for text in ("x" * 20 + " y", "a" + " " * 50 + "b", "ab " * 30):
        assert wrapped(text, 21).replace("\n    ↳ ", "") == text
