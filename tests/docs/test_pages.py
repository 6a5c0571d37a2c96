"""Every page with code, followed from its first line to its last."""

import pytest

from pages import PAGES, ROOT, follow, read_blocks

SERVED = {
    "run-on-flower-with-tls.md": "tests/docs/test_served_pages.py",
    "scale-a-sweep-on-ray.md": "tests/docs/test_served_pages.py",
    "train-with-flower.md": "tests/protocol/flower/test_training_page.py",
    "use-postgresql.md": "tests/docs/test_served_pages.py",
}
"""Pages that need a server, and the tests that follow them."""
FOLLOWED = [
    page for page in PAGES if page.parent.name != "results" and page.name not in SERVED and read_blocks(page)
]


@pytest.mark.docs
@pytest.mark.parametrize("page", FOLLOWED, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_what_a_page_shows_is_what_happens(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # pages on experiments are followed in a clone
    follow(page)


@pytest.mark.parametrize("name", SERVED)
def test_a_page_that_needs_a_server_is_followed_elsewhere(name):
    assert name in {page.name for page in PAGES}
    assert f'"{name}"' in (ROOT / SERVED[name]).read_text()
