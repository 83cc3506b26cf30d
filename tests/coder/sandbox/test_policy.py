"""What a command may touch, as plain paths."""

from parley.coder.sandbox.policy import Limits, around, is_below, key_stores, protected_in, without

TREE = {
    "/": ("etc", "home"),
    "/home": ("ann",),
    "/home/ann": (".config", "notes", "work"),
    "/home/ann/.config": ("editor", "parley"),
}


def parts(path: str, *holes: str) -> list[str]:
    return list(without(path, holes, lambda folder: TREE.get(folder, ())))


def test_a_folder_without_holes_is_one_part() -> None:
    assert parts("/") == ["/"]
    assert parts("/etc", "/home/ann") == ["/etc"]


def test_everything_around_a_hole_is_named_and_the_hole_is_not() -> None:
    assert parts("/", "/home/ann/.config/parley") == [
        "/etc",
        "/home/ann/.config/editor",
        "/home/ann/notes",
        "/home/ann/work",
    ]


def test_what_lies_in_a_hole_is_no_part() -> None:
    assert parts("/home/ann/.config/parley/x", "/home/ann/.config/parley") == []


def test_the_folders_around_a_path_are_those_below_what_may_be_written() -> None:
    paths = ("/h/.config/parley/config.toml", "/h/x", "/etc/passwd", "/h/w/in/y")
    assert around(paths, ("/h", "/h/w")) == ("/h/.config", "/h/.config/parley", "/h/w/in")
    assert around(paths, ("/",))[:2] == ("/etc", "/h")
    assert around(paths, ()) == ()


def test_what_lies_in_a_hidden_folder_need_not_be_kept() -> None:
    limits = Limits(("/h",), ("/h/d",), ("/h/d/x", "/h/.git/hooks"), own=("/h/own", "/h/d"))
    assert limits.kept == ("/h/.git/hooks", "/h/own")


def test_a_hole_is_not_the_path_that_begins_like_it() -> None:
    assert parts("/home/ann/work", "/home/ann/wo") == ["/home/ann/work"]
    assert is_below("/a/b", "/a")
    assert is_below("/a", "/a")
    assert is_below("/a", "/")
    assert not is_below("/ab", "/a")


def test_hooks_and_configuration_are_protected_and_the_rest_of_git_is_not() -> None:
    paths = protected_in("/w")
    assert {"/w/.git/hooks", "/w/.git/config", "/w/.vscode", "/w/.bashrc"} <= set(paths)
    assert "/w/.git" not in paths


def test_keys_of_a_person_are_looked_for_below_the_home_folder() -> None:
    assert {"/h/.ssh", "/h/.aws", "/h/.config/gh"} <= set(key_stores("/h"))
