"""The one that follows pages notices what is wrong with them."""

from pathlib import Path

import pytest

from pages import follow


@pytest.fixture
def said(tmp_path, monkeypatch):
    """Follow a page with this text; gives what it printed."""
    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.chdir(folder)

    def go(*lines):
        page = tmp_path / "page.md"
        page.write_text("\n".join(lines) + "\n")
        return follow(page)

    return go


def test_a_page_runs_in_order_and_in_one_folder(said):
    printed = said(
        "# A page", "```toml", "# made/of.toml", "a = 1", "```", "Then:",
        "```python", "from pathlib import Path",
        "x = Path('made/of.toml').read_text()", "print(x[-2])  # 1: the end",
        "for y in (1, 2):", "    print(y)", "# 1", "# 2", "```",
        "```python", "for _ in range(3):", "    print(x)", "```", "```text", "# made/of.toml", "...", "```",
        "```console", "$ cat made/of.toml | \\", "  tail -1", "a = 1",
        "$ echo $((1 + 1)) > two", "$ cat two", "```",
    )  # fmt: skip
    assert printed == ["1\n1\n2\n", "# made/of.toml\na = 1\n\n" * 3, "a = 1\n", "", "2\n"]


def test_commands_of_fedpact_answer_as_in_a_shell(said):
    verify = "verify alice-bob --m 3,2 | tail -1"
    here, there = said("```console", "$ fedpact verify alice-bob --m 3,2", f"$ fedpact {verify}", "```")
    assert here.splitlines()[-1] == there.rstrip("\n")


def test_a_command_left_running_ends_with_the_page(said):
    said(
        "```console", "$ bash -c 'echo $$ > pid; sleep 600' &", "$ while ! test -s pid; do sleep 0.1; done", "```"
    )
    assert not Path("/proc", Path("pid").read_text().strip()).exists()


REFUSED = [
    (["```python", "print(1)  # 2", "```"], "page.md:2 shows\n2\nwhere this is printed\n1"),
    (["```python", "print(1)  # 1, as ever", "```"], "shows"),
    (["```python", "print(1)", "# 1", "# 2", "```"], "shows"),
    (["```python", "print(1)", "```", "```text", "2", "```"], "page.md:4 shows"),
    (["```console", "$ echo 1", "2", "```"], "page.md:1: echo 1 shows"),
    (["```console", "$ false", "```"], "page.md:1: false"),
    (["```console", "$ false | true", "```"], "false"),
    (["```console", "$ fedpact verify alice-bob", "```"], "Missing option"),
    (["```console", "echo 1", "```"], "begins with"),
    (["```", "echo 1", "```"], "nobody knows what to do with ```"),
    (["```yaml", "a: 1", "```"], "nobody knows what to do with ```yaml"),
    (["```toml", "a = 1", "```"], "names the file"),
    (["Text", "", "    echo 1"], "must be fenced"),
    (["```python", "1"], "does not end"),
]


def test_what_is_wrong_is_noticed(said):
    for lines, message in REFUSED:
        with pytest.raises(AssertionError) as found:
            said(*lines)
        assert message in str(found.value)
