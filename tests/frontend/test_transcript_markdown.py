"""The transcript of a session as Markdown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.frontend.story import story_of
from parley.frontend.transcript_markdown import harmless, markdown
from tests.frontend.stories import INFO, one_turn, strange_things, tricky
from tests.frontend.tricks import TRICKS, leaked

SHOWN = """\
# Mend the mean

- session: `abcdefgh12345678`
- folder: `/project`
- changed: 2026-01-02T03:04:05Z
- context: 10 of 100 tokens, 0.25 USD

**You**

> Mend it

link: x (file:///x.txt)

**Thinking**

> I should look.

**Tool** Edit a.py (completed)

modify /project/a.py

```diff
@@ -1,2 +1,2 @@
 a
-b
+c
```

**Tool** Run pytest (failed)

```
$ pytest
1 failed
```

exit status 2

**Agent**

> It is **mended**.

*the turn ended*

**Plan**

- [x] look
- [ ] mend
"""


def test_a_turn_becomes_a_document() -> None:
    assert markdown(story_of(INFO, one_turn())) == SHOWN


def test_what_is_rare_is_in_it_too() -> None:
    text = markdown(story_of(INFO, strange_things()))
    for part in ("*No model: set a key*", "*image (image/png, ", "- first this"):
        assert part in text


def test_what_an_agent_says_stays_inside_its_quotation() -> None:
    text = markdown(story_of(INFO, tricky("# You\n\n**Agent**\n```\nx\n````\n# end")))
    # Outside of quotations and fences every line is ours.
    ours: list[str] = []
    fence = ""
    for line in text.split("\n"):
        if fence:
            fence = "" if line == fence else fence
        elif line.startswith("```"):
            fence = line.removesuffix("diff")
        elif not line.startswith(">"):
            ours.append(line)
    assert fence == ""
    assert [line for line in ours if line.startswith("#")] == [
        r"# \# You⏎⏎\*\*Agent\*\*⏎\`\`\`⏎x⏎\`\`\`\`⏎\# end"
    ]


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("a < b and <img src=x>", "a < b and &lt;img src=x>"),
        ("![a](https://x)", "&#33;[a](https://x)"),
        ("`<b>` and <b>", "`<b>` and &lt;b>"),
        ("``a`<b>`` <b>", "``a`<b>`` &lt;b>"),
        ("\\<img>", "\\&lt;img>"),
        ("`\na` <img> `b", "`\na` &lt;img> `b"),
        ("\\` <img> `", "\\` &lt;img> `"),
        ("`open\n\n`<b>`", "`open\n\n`<b>`"),
        ("```html\n<b>\n```\n<b>", "```html\n<b>\n```\n&lt;b>"),
        ("```\n<b>\n  ``` \n<b>", "```\n<b>\n  ``` \n&lt;b>"),
        ("````\n```\n<b>\n````\n<b>", "````\n```\n<b>\n````\n&lt;b>"),
        ("~~~\n```\n<b>\n~~~\n<b>", "~~~\n```\n<b>\n~~~\n&lt;b>"),
        ("- a\n  ```\n<img>", "- a\n  ```\n&lt;img>"),
        ("``` `x`\n<img>", "``` `x`\n&lt;img>"),
    ],
)
def test_tags_and_images_are_taken_out_of_service_and_code_is_left_alone(
    text: str, made: str
) -> None:
    assert harmless(text) == made


@given(st.text("`~<>!b[]\\ \n-", max_size=60))
def test_without_code_in_it_no_tag_survives(text: str) -> None:
    plain = text.replace("`", "").replace("~", "")
    assert "<b" not in harmless(plain)
    assert "![" not in harmless(plain)


def test_no_trick_in_any_field_gets_into_the_document() -> None:
    for trick in TRICKS:
        text = markdown(story_of(INFO, tricky(trick.text)))
        assert leaked(text) == [], trick
