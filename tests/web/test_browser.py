"""The page in a real browser, as a person uses it."""

import json
import re

import httpx
import pytest

import fedpact as fp
from browser import FLAGS, find_browser, keep
from serving import serving

playwright = pytest.importorskip("playwright.sync_api")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(find_browser() is None, reason="no Chromium on this machine"),
]

PLAN = "/federations/alice-bob/plan"
TOML = """
name = "two clinics"
delta = 0.05
epsilon = 0.1
[[agents]]
name = "alice"
distribution = {xA = 0.8, xB = 0.2}
[[agents]]
name = "bob"
distribution = {xA = 0.2, xB = 0.8}
[hypotheses]
class = "all-labelings"
"""


@pytest.fixture(scope="module")
def address():
    with serving() as found:
        yield found


@pytest.fixture(scope="module")
def chromium():
    playwright.expect.set_options(timeout=30_000)
    with playwright.sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=find_browser(), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium, address):
    """Open addresses in a browser of their own; whatever goes wrong in it fails the test."""
    contexts, wrong = [], []

    def open_at(path, **options):
        context = chromium.new_context(base_url=address, accept_downloads=True, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text) if _is_wrong(said.text) else None)
        page.on(
            "request",
            lambda asked: None if asked.url.startswith((address, "data:", "blob:")) else wrong.append(asked.url),
        )
        page.goto(path)
        return page

    yield open_at
    for context in contexts:
        context.close()
    assert wrong == []


def _is_wrong(text):
    return "Content Security Policy" in text or "Uncaught" in text


def wait_until_done(page, part, *, is_draft=False):
    shown = "[data-is-draft]" if is_draft else ":not([data-is-draft])"
    page.wait_for_selector(f"#part-{part}[data-state=done]{shown}")


def figures(page, name):
    """What Plotly has drawn of a chart."""
    page.wait_for_selector(f"#chart-{name} .js-plotly-plot .main-svg")
    return page.evaluate(f"document.querySelector('#chart-{name} .js-plotly-plot').data")


def test_a_slider_plans_again_as_it_moves_and_the_address_follows(open_page, address):
    page = open_page(PLAN)
    wait_until_done(page, "plan")
    before = page.text_content("#headline-plan")
    asked = []
    page.on("request", lambda seen: asked.append(seen.url) if "/parts/plan?" in seen.url else None)
    slider = page.get_by_label("Chance to miss it, delta")
    slider.focus()
    for _ in range(50):
        page.keyboard.press("ArrowRight")
    playwright.expect(page.locator("#headline-plan")).not_to_have_text(before)
    page.wait_for_url(re.compile("delta="))
    page.wait_for_selector("#part-plan[data-state=done]:not(.is-old):not([data-is-draft])")
    page.wait_for_load_state("networkidle")
    assert len(asked) <= 25, "a drag of 50 steps asks for a plan now and then, not 50 times"
    delta = float(re.search(r"delta=([\d.]+)", page.url)[1])
    assert delta > 0.05
    plan = fp.plan(fp.examples.alice_bob().replace(delta=delta))
    assert f"cost of {plan.cost:g}" in page.text_content("#headline-plan")
    shared = open_page(page.url.removeprefix(address))
    wait_until_done(shared, "plan")
    assert shared.text_content("#headline-plan") == page.text_content("#headline-plan")
    assert "delta=" in page.get_by_role("link", name="Game", exact=True).get_attribute("href")
    keep(page, "plan-slider")
    page.go_back()
    wait_until_done(page, "plan")
    assert page.text_content("#headline-plan") == before


def test_a_cost_slider_moves_the_work_to_the_other(open_page):
    page = open_page(PLAN)
    wait_until_done(page, "plan")
    slider = page.get_by_label("alice", exact=False).and_(page.locator("input[type=range]"))
    slider.focus()
    page.keyboard.press("End")
    page.wait_for_url(re.compile("cost"))
    page.wait_for_selector("#part-plan[data-state=done]:not(.is-old):not([data-is-draft])")
    plan = fp.plan(fp.examples.alice_bob().replace(cost=[4, 1]))
    row = page.locator("#plan-table tr", has_text="bob")
    playwright.expect(row).to_contain_text(str(plan.contributions["bob"]))


def test_the_method_is_switched(open_page):
    page = open_page(PLAN)
    wait_until_done(page, "plan")
    page.click("#method-lp")
    playwright.expect(page.locator("#certificate-plan")).to_contain_text("Asked for: lp")
    assert "method=lp" in page.url
    assert f"cost of {fp.plan(fp.examples.alice_bob(), 'lp').cost:g}" in page.text_content("#headline-plan")
    assert page.get_attribute("#method-lp", "aria-current") == "true"


def test_a_file_is_uploaded_and_a_broken_one_is_refused_beside_the_field(open_page, tmp_path):
    page = open_page("/federations/arizona-hospitals/federation")
    broken = tmp_path / "broken.toml"
    broken.write_text(TOML.replace("delta = 0.05", "delta = 5").replace("xA = 0.8", "xA = 0.9"))
    page.set_input_files("#files", broken)
    page.click("#upload-send")
    page.wait_for_selector("#upload-problems .problem")
    said = page.text_content("#upload-problems")
    assert "broken.toml: delta must lie strictly between 0 and 1; it is 5" in said
    assert "alice" in said
    assert page.get_attribute("#files", "aria-invalid") == "true"
    keep(page, "upload-broken")
    good = tmp_path / "clinics.toml"
    good.write_text(TOML)
    page.set_input_files("#files", good)
    page.click("#upload-send")
    page.wait_for_url("**/federations/sent-*/plan")
    wait_until_done(page, "plan")
    assert page.text_content("h1") == "two clinics"
    assert "5 samples" in page.text_content("#headline-plan")


def test_a_text_is_pasted_and_nothing_is_lost_when_it_is_wrong(open_page):
    page = open_page("/federations/alice-bob/federation")
    page.fill("#text", "delta = oops")
    page.click("#paste-send")
    page.wait_for_selector("#paste-problems .problem")
    assert page.input_value("#text") == "delta = oops"
    page.fill(
        "#text",
        json.dumps(
            {
                "delta": 0.1,
                "epsilon": 0.1,
                "agents": [{"name": "<b>eve</b>", "distribution": {"x": 1}}],
                "hypotheses": {"class": "all-labelings"},
            }
        ),
    )
    page.click("#paste-send")
    page.wait_for_url("**/federations/sent-*/plan")
    wait_until_done(page, "plan")
    assert "<b>eve</b>" in page.text_content("#plan-table")
    page.wait_for_selector("#chart-plan .main-svg")
    assert "<b>eve</b>" in page.text_content("#chart-plan .main-svg")
    assert page.locator("b", has_text="eve").count() == 0


def test_values_are_edited_in_place_and_a_wrong_one_stands_beside_its_field(open_page):
    page = open_page("/federations/alice-bob/federation")
    page.get_by_label("Cost of a sample of bob").fill("-3")
    page.click("#apply")
    page.wait_for_selector("[aria-invalid=true]")
    field = page.get_by_label("Cost of a sample of bob")
    assert field.input_value() == "-3"
    assert "cost must be above 0; it is -3" in page.text_content(f"#{field.get_attribute('aria-describedby')}")
    keep(page, "edit-wrong")
    field.fill("3")
    page.click("#apply")
    page.wait_for_url(re.compile(r"cost%5Bbob%5D=3"))
    assert page.locator("[aria-invalid=true]").count() == 0


def test_two_tabs_that_edit_do_not_touch_each_other(open_page):
    first, second = (open_page("/federations/alice-bob/federation") for _ in range(2))
    for page, name in ((first, "alice"), (second, "bob")):
        page.get_by_label(f"Cost of a sample of {name}").fill("7")
        page.click("#apply")
        page.wait_for_url(re.compile(rf"cost%5B{name}%5D=7"))
    first.reload()
    assert first.get_by_label("Cost of a sample of alice").input_value() == "7"
    assert first.get_by_label("Cost of a sample of bob").input_value() == "1"


def test_the_game_chart_shows_the_equilibria(open_page):
    page = open_page("/federations/alice-bob/game")
    wait_until_done(page, "dynamics")
    wait_until_done(page, "equilibria")
    playwright.expect(page.locator("#part-dynamics .legend")).to_contain_text("equilibria")
    assert read_equilibria(page) == sorted(fp.equilibria(fp.examples.alice_bob()).profiles)
    said = page.text_content("#part-equilibria")
    assert "6 pure equilibria" in said
    assert "2.8" in said
    keep(page, "game-alice-bob")


def read_equilibria(page):
    drawn = page.evaluate("document.querySelector('#part-dynamics .js-plotly-plot').data")
    marks = next((trace for trace in drawn if trace["name"] == "equilibria"), {"x": [], "y": []})
    return sorted(zip(marks["x"], marks["y"], strict=True))


def test_the_equilibria_move_with_the_slider(open_page):
    page = open_page("/federations/alice-bob/game")
    wait_until_done(page, "equilibria")
    slider = page.get_by_label("Tolerated error, epsilon")
    slider.focus()
    for _ in range(60):
        page.keyboard.press("ArrowRight")
    page.wait_for_timeout(1000)
    epsilon = float(re.search(r"epsilon=([\d.]+)", page.url)[1])
    fed = fp.examples.alice_bob()
    expected = sorted(fp.equilibria(fed.replace(epsilon=epsilon)).profiles)
    for _ in range(100):
        if read_equilibria(page) == expected:
            break
        page.wait_for_timeout(100)
    assert read_equilibria(page) == expected
    assert expected != sorted(fp.equilibria(fed).profiles)
    keep(page, "game-slider")


def test_more_agents_are_shown_in_tables_and_strips(open_page):
    page = open_page("/federations/no-pure-equilibrium/game")
    wait_until_done(page, "equilibria")
    assert "no pure equilibrium exists" in page.text_content("#part-equilibria").lower()
    keep(page, "game-no-equilibrium")


def test_payments_and_an_audit_with_its_witness(open_page):
    page = open_page("/federations/pwyc-not-dominant/payments")
    wait_until_done(page, "payments")
    assert "Pay what you contribute" in page.text_content("#part-payments")
    assert "cannot be applied: No plan does without agent-2" in page.text_content("#rules-table .spanning")
    page.select_option("#choose-payments", label="Equal split")
    shown = page.locator("#part-payments figure.chart:visible figcaption")
    playwright.expect(shown).to_contain_text("Equal split")
    keep(page, "payments")
    page.locator("#part-audit input[type=number]").fill("40")
    page.locator("#part-audit button").click()
    wait_until_done(page, "audit")
    assert "audit=40" in page.url
    said = page.text_content("#part-audit")
    assert "instead of the truth" in said
    assert "a gain of 0.1" in said
    keep(page, "audit")


def test_a_run_is_started_and_watched_to_its_end(open_page):
    page = open_page("/federations/alice-bob/run")
    page.get_by_role("button", name="Start the run").click()
    page.wait_for_url("**/runs/*")
    playwright.expect(page.locator("#run-condition")).to_contain_text("finished")
    steps = page.text_content("#run-steps")
    assert "alice is paid 3 for 3 samples" in steps
    assert "finished: 5 paid in all" in steps
    assert "bob" in page.text_content("#run-sites")
    keep(page, "run")
    page.get_by_role("button", name="Check the ledger").click()
    playwright.expect(page.locator("#run-check")).to_contain_text("The ledger is sound")
    keep(page, "run-checked")


def test_the_report_is_downloaded_and_opened(open_page, chromium, tmp_path):
    page = open_page(f"{PLAN}?delta=0.2")
    wait_until_done(page, "plan")
    with page.expect_download() as started:
        page.get_by_role("link", name="Download as one file").click()
    path = tmp_path / "plan.html"
    started.value.save_as(path)
    context = chromium.new_context(offline=True)
    report, wrong = context.new_page(), []
    report.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    report.on("pageerror", lambda error: wrong.append(str(error)))
    report.goto(path.as_uri())
    report.wait_for_selector("#chart-plan .js-plotly-plot .main-svg")
    plan = fp.plan(fp.examples.alice_bob().replace(delta=0.2))
    assert f"cost of {plan.cost:g}" in report.text_content("body")
    assert report.locator("input, form, progress").count() == 0
    assert wrong == []
    keep(report, "report")
    context.close()


@pytest.mark.parametrize("name", ["federation", "plan", "game", "payments", "run"])
def test_a_phone_and_the_dark_are_readable(open_page, name):
    page = open_page(f"/federations/alice-bob/{name}", viewport={"width": 360, "height": 740}, color_scheme="dark")
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    back, ink = page.evaluate(
        "['background-color', 'color'].map(name => getComputedStyle(document.body).getPropertyValue(name))"
    )
    brightness = [sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in (back, ink)]
    assert brightness[0] < 150
    assert brightness[1] > 450
    keep(page, f"phone-{name}")


def test_everything_is_reached_by_keyboard(open_page):
    page = open_page(PLAN)
    wait_until_done(page, "plan")
    reached = []
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()"))
    assert "Game" in reached
    assert "slider-1" in reached
    assert "method-union" in reached
    page.focus("#method-union")
    page.keyboard.press("Enter")
    playwright.expect(page.locator("#certificate-plan")).to_contain_text("Asked for: union")


def test_without_a_script_the_page_says_what_is_known(open_page, address):
    httpx.get(f"{address}{PLAN}.json", params={"wait": 30}, timeout=60)
    page = open_page(PLAN, java_script_enabled=False)
    assert "5 samples" in page.text_content("#headline-plan")
    assert page.locator("#plan-table").count() == 1


def test_long_work_shows_how_far_it_is_and_can_be_stopped(open_page):
    page = open_page("/federations/arizona-hospitals/plan?method=exact&seconds=200&delta=0.043")
    page.wait_for_selector("#part-plan[data-state=running]")
    page.wait_for_selector("#progress-plan")
    page.click("#stop-plan")
    page.wait_for_selector("#part-plan[data-state=cancelled]")
    page.wait_for_selector("#again-plan")
    keep(page, "stopped")


def test_a_page_that_is_left_lets_go_of_its_searches(open_page, address):
    page = open_page("/federations/arizona-hospitals/plan?method=exact&seconds=200&delta=0.044")
    job = page.get_attribute("#part-plan", "data-job")
    page.goto("/federations/alice-bob/federation")
    for _ in range(300):
        state = httpx.get(f"{address}/jobs/{job}.json").json()["state"]
        if state == "cancelled":
            return
        page.wait_for_timeout(100)
    pytest.fail(f"the search is {state}")


def test_it_opens_on_the_arizona_hospitals_with_a_plan_and_its_certificate(open_page):
    page = open_page("/")
    page.wait_for_url("**/federations/arizona-hospitals/plan")
    page.wait_for_selector("#part-plan[data-has-answer]")
    assert "17 agents" in page.text_content("main")
    assert re.search(r"\d+ samples", page.text_content("#headline-plan"))
    assert "No plan costs less than" in page.text_content("#certificate-plan")
    assert figures(page, "plan")
    keep(page, "plan-arizona")
    page.get_by_role("link", name="Federation", exact=True).click()
    wait_until_done(page, "divergence")
    (heat,) = figures(page, "divergence")
    assert heat["type"] == "heatmap"
    keep(page, "federation-arizona")
