"""Who may ask, and what a page may load."""

import httpx
import pytest

import fedpact as fp
from fedpact.web.limits import Limits
from fedpact.web.listen import check_token
from serving import serving

TOKEN = "a-token-of-some-length"
PAGE = "/federations/alice-bob/plan"


@pytest.fixture(scope="module")
def guarded():
    with serving(token=TOKEN, limits=Limits(upload_bytes=10_000)) as address:
        yield address


def test_every_answer_forbids_what_no_page_of_ours_does(client):
    for path in (PAGE, f"{PAGE}.json", "/static/fedpact.js", "/nowhere"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "[::1"])
def test_another_name_for_this_machine_is_refused(client, host):
    assert client.get(PAGE, headers={"Host": host}).status_code == 400


@pytest.mark.parametrize("host", ["localhost", "localhost:1234", "127.0.0.1", "[::1]:8000"])
def test_names_of_this_machine_are_taken(client, host):
    assert client.get("/examples.json", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}]
)
def test_another_site_s_page_changes_nothing(client, headers):
    assert client.post("/federations.json", json={"text": "x"}, headers=headers).status_code == 403
    assert client.delete("/jobs/x.json", headers=headers).status_code == 403


def test_another_site_s_page_starts_no_work(client):
    image = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
    assert client.get(f"{PAGE}?delta=0.123", headers=image).status_code == 403
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert client.get(PAGE, headers=link).status_code == 200


@pytest.mark.parametrize("origin", ["http://[::1", "null", "://", "http://127.0.0.1.evil.example"])
def test_an_origin_that_is_none_is_another_s(client, origin):
    assert client.post("/federations.json", json={"text": "x"}, headers={"Origin": origin}).status_code == 403


def test_our_own_page_may_send(client, server):
    headers = {"Origin": server, "Sec-Fetch-Site": "same-origin"}
    assert client.post("/federations.json", json={"text": "x"}, headers=headers).status_code == 422


def test_without_the_token_nothing_is_shown(guarded):
    for path in ("/", PAGE, f"{PAGE}.json", "/openapi.json", "/jobs.json"):
        seen = httpx.get(f"{guarded}{path}")
        assert seen.status_code == 401
        assert "arizona" not in seen.text
    page = httpx.get(f"{guarded}{PAGE}", headers={"Accept": "text/html"})
    assert page.status_code == 401
    assert 'name="token" type="password"' in page.text
    wrong = httpx.get(f"{guarded}{PAGE}?token=wrong", headers={"Accept": "text/html"})
    assert "not the token" in wrong.text


def test_the_token_opens_the_page_once_and_leaves_the_address(guarded):
    with httpx.Client(base_url=guarded, follow_redirects=False) as browser:
        first = browser.get(f"{PAGE}?method=lp&token={TOKEN}")
        assert first.status_code == 303
        assert first.headers["location"] == f"{PAGE}?method=lp"
        cookie = first.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert browser.get(f"{PAGE}?method=lp").status_code == 200
        away = browser.get(f"{guarded}//evil.example/?token={TOKEN}")
        assert away.headers["location"] == "/evil.example/"


def test_a_program_sends_the_token_as_bearer(guarded):
    good = httpx.get(f"{guarded}/examples.json", headers={"Authorization": f"Bearer {TOKEN}"})
    assert good.status_code == 200
    bad = httpx.get(f"{guarded}/examples.json", headers={"Authorization": f"Bearer {TOKEN}x"})
    assert bad.status_code == 401


def test_only_this_machine_without_a_token():
    check_token("127.0.0.1", None)
    check_token("localhost", None)
    check_token("0.0.0.0", TOKEN)
    with pytest.raises(fp.FederationError, match=r"host '0\.0\.0\.0' can be reached from other machines"):
        check_token("0.0.0.0", None)
    with pytest.raises(fp.FederationError, match="at least 16"):
        check_token("127.0.0.1", "short")


def test_more_than_the_limit_is_refused_whether_it_is_announced_or_not(guarded):
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    announced = httpx.post(f"{guarded}/federations.json", content=b"x" * 20_000, headers=headers)

    def pieces():
        for _ in range(20):
            yield b"x" * 1000

    streamed = httpx.post(f"{guarded}/federations.json", content=pieces(), headers=headers)
    for seen in (announced, streamed):
        assert seen.status_code == 413
        assert "up to 0.01 MB at once" in seen.json()["problems"][0]


@pytest.mark.slow
def test_two_hundred_megabytes_are_refused_with_a_sentence(client):
    def pieces():
        yield b'--x\r\nContent-Disposition: form-data; name="files"; filename="network.toml"\r\n\r\n'
        for _ in range(200):
            yield b"x" * 1_000_000

    for content in (b"x" * 200_000_000, pieces()):
        headers = {"Content-Type": "multipart/form-data; boundary=x"}
        seen = client.post("/federations/files.json", content=content, headers=headers)
        assert seen.status_code == 413
        assert "up to 20 MB" in seen.json()["problems"][0]
    assert client.get("/examples.json").status_code == 200
