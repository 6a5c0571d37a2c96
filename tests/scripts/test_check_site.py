"""The check of the built site finds what it is for."""

from check_site import loaded_from_elsewhere, names_without_heading
from reference_pages import public_names


def test_what_is_loaded_from_elsewhere_is_found(tmp_path):
    (tmp_path / "good.html").write_text(
        '<link rel="canonical" href="https://a.org"><a href="https://b.org">b</a>'
        '<img src="data:image/png;base64,x"><script src="own.js"></script>'
    )
    assert loaded_from_elsewhere(tmp_path) == []
    (tmp_path / "bad.html").write_text(
        '<script src="https://c.org/c.js"></script><link rel="stylesheet" href="//d.org/d.css">'
        "<style>body {background: url('https://e.org/e.png')}</style>"
    )
    (tmp_path / "bad.css").write_text('@import "https://f.org/f.css";')
    assert loaded_from_elsewhere(tmp_path) == [
        "bad.html: https://c.org/c.js",
        "bad.html: //d.org/d.css",
        "bad.html: https://e.org/e.png",
        "bad.css: https://f.org/f.css",
    ]


def test_a_public_name_without_a_heading_is_found(tmp_path):
    folder = tmp_path / "reference" / "api"
    folder.mkdir(parents=True)
    names = [name.path for name in public_names()]
    (folder / "all.html").write_text(
        "".join(f'<h2 id="{name}">x</h2>' for name in names if name != "fedpact.plan")
    )
    assert names_without_heading(tmp_path) == ["fedpact.plan"]
