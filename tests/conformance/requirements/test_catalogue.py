"""The requirements that come with the package can be read and are written in one manner."""

from collections import Counter
from typing import get_args

from parley.conformance.requirements.catalogue import FOLDER, Level, Side, all_requirements


def test_every_requirement_has_an_id_of_its_own() -> None:
    ids = Counter(each.id for each in all_requirements())
    assert {id for id, count in ids.items() if count > 1} == set()
    assert ids.total() > 500


def test_every_topic_is_a_file_and_has_requirements() -> None:
    topics = {each.topic for each in all_requirements()}
    assert topics == {file.stem for file in FOLDER.glob("*.toml")}


def test_every_member_has_one_of_the_values_there_are() -> None:
    for each in all_requirements():
        assert each.level in get_args(Level), each.id
        assert each.side in get_args(Side), each.id
        assert each.versions in ((1,), (2,), (1, 2)), each.id


def test_a_requirement_is_one_line_and_a_sentence() -> None:
    for each in all_requirements():
        assert each.text.endswith("."), each.id
        assert "\n" not in each.text, each.id
        assert 15 < len(each.text) < 120, each.id


def test_a_duty_binds_and_advice_does_not() -> None:
    binding = {each.level for each in all_requirements() if each.binding}
    assert binding == {"MUST", "MUST NOT"}


def test_a_requirement_of_one_version_holds_for_that_version() -> None:
    for each in all_requirements():
        if each.id.startswith(("V1-", "V2-")):
            assert each.versions == (int(each.id[1]),), each.id
        assert each.unstable is each.id.startswith("V1-U-"), each.id
