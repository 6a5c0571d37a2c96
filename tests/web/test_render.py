import base64
import hashlib
import html
import re
from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest

import fedpact as fp
from fedpact.explain import explain
from fedpact.web import export
from fedpact.web.jobs import Job, JobState
from fedpact.web.library import Library
from fedpact.web.limits import Limits
from fedpact.web.parts import PAGES, PARTS
from fedpact.web.render import PartState, render, render_page, render_part
from web_answers import ENDING, EVIL, answer_example, answer_many_strangers, answer_parts, answer_strangers, read

MADE = datetime(2026, 2, 3, 14, 5, tzinfo=UTC)
EXAMPLES = ("alice-bob", "no-pure-equilibrium", "coupon-collector", "expected-min-counterexample")
STRANGERS = (answer_strangers, answer_many_strangers)
VOID = {"meta", "link", "input", "br", "img", "hr"}


class Seen(HTMLParser):
    """What a browser sees: elements with attributes, what stands in scripts and styles, and text."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.raw, self.text, self.stack = [], [], [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.stack.append(tag)
        if tag in ("script", "style"):
            self.raw.append((tag, dict(attrs), []))

    def handle_endtag(self, tag):
        if tag in self.stack:
            while self.stack.pop() != tag:
                pass

    def handle_data(self, data):
        if self.stack and self.stack[-1] in ("script", "style"):
            self.raw[-1][2].append(data)
        else:
            self.text.append(data)

    def tags(self):
        return {tag for tag, _ in self.elements}

    def find(self, tag, **wanted):
        return [
            attrs
            for name, attrs in self.elements
            if name == tag
            and all(attrs.get(key.rstrip("_").replace("_", "-")) == value for key, value in wanted.items())
        ]

    def says(self, text):
        return text in "".join(self.text)

    def scripts(self):
        return ["".join(text) for tag, attrs, text in self.raw if tag == "script" and attrs.get("type") is None]


def show(view, page, parts, **more):
    limits = Limits()
    values = {"slot": "ab12", "examples": Library(limits).examples, "limits": limits, **more}
    return render_page(view, PAGES[page], [parts[name] for name in PAGES[page].parts], **values)


def make_export(view, parts):
    return export.render_export(view, parts.values(), made=MADE)


def state_of(name, state, **more):
    question = PARTS[name].ask(answer_example("alice-bob")[0])
    return PartState(part=PARTS[name], job=Job(id="j1", name=name, question=question, state=state, **more))


def draft_of(name):
    answer = answer_example("alice-bob")[1][name].answer
    return Job(id="j2", name=name, question=None, state=JobState.DONE, answer=answer)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("strangers", STRANGERS)
def test_names_from_strangers_are_text_on_pages(strangers, page):
    view, parts = strangers()
    seen = Seen(show(view, page, parts))
    assert not seen.tags() & {"img", "b", "iframe", "object"}
    assert not [attrs for _, attrs in seen.elements if any(name.startswith("on") for name in attrs)]
    assert {attrs.get("src") for tag, attrs in seen.elements if tag == "script" and attrs.get("type") is None} == {
        "/static/plotly.min.js",
        "/static/fedpact.js",
    }
    assert all(text == "" for text in seen.scripts())
    assert seen.says(EVIL)


@pytest.mark.parametrize("strangers", STRANGERS)
def test_names_from_strangers_are_text_in_the_report(strangers):
    view, parts = strangers()
    seen = Seen(make_export(view, parts))
    assert not seen.tags() & {"img", "b", "iframe", "object"}
    assert seen.says(EVIL)
    assert seen.says(ENDING)
    assert len(seen.scripts()) == 2


def test_problems_from_strangers_are_text():
    seen = Seen(render("problem.html", problems=[EVIL], status=404))
    assert "img" not in seen.tags()
    assert seen.says(EVIL)


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_report_loads_nothing(example):
    view, parts = answer_example(example)
    seen = Seen(make_export(view, parts))
    loading = [
        (tag, value)
        for tag, attrs in seen.elements
        for name, value in attrs.items()
        if name in ("src", "srcset", "data", "action", "poster") or (name == "href" and not value.startswith("#"))
    ]
    assert not loading
    assert "link" not in seen.tags()
    (style,) = ["".join(text) for tag, _, text in seen.raw if tag == "style"]
    assert "url(" not in style
    assert "@import" not in style
    places = {attrs["id"] for _, attrs in seen.elements if "id" in attrs}
    assert {attrs["href"][1:] for attrs in (attrs for tag, attrs in seen.elements if tag == "a")} <= places


def test_the_policy_of_a_report_allows_its_scripts_and_no_others():
    view, parts = answer_example("alice-bob")
    page = make_export(view, parts)
    (meta,) = Seen(page).find("meta", http_equiv="Content-Security-Policy")
    inline = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    hashes = {base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in inline}
    assert set(re.findall(r"'sha256-([^']+)'", meta["content"])) == hashes
    assert len(hashes) == 2
    assert meta["content"].startswith("default-src 'none'; ")
    assert "unsafe-inline" not in meta["content"].split("style-src")[0]
    assert page.index("Content-Security-Policy") < page.index("<script")
    assert "\r" not in page


def test_a_script_cannot_end_itself(monkeypatch):
    monkeypatch.setattr(
        export, "read_plotly", lambda: b"var a = '</script><b>', c = '<!--<SCRIPT>', d = '</SCRIPT >';"
    )
    view, parts = answer_example("alice-bob")
    seen = Seen(make_export(view, parts))
    assert "b" not in seen.tags()
    assert len(seen.scripts()) == 2
    assert seen.scripts()[0] == r"var a = '<\/script><b>', c = '<\!--<SCRIPT>', d = '<\/SCRIPT >';"


def test_a_report_has_no_controls_and_all_chapters():
    view, parts = answer_example("alice-bob")
    seen = Seen(make_export(view, parts))
    assert not seen.tags() & {"button", "form", "input", "select", "textarea", "progress", "noscript"}
    assert not [attrs for _, attrs in seen.elements if "data-job" in attrs or "data-follow" in attrs]
    for page in PAGES:
        assert seen.find("div", id=f"chapter-{page}")
    for part in PARTS:
        assert seen.find("section", id=f"part-{part}")
    assert seen.says("2 of 2 agents label 5 samples")
    assert seen.says("3 February 2026, 14:05 UTC")
    assert seen.says(f"fedpact {fp.__version__}")


def test_a_report_says_what_was_not_computed():
    view, _ = answer_example("alice-bob")
    page = export.render_export(view, [], made=MADE)
    assert page.count("This was not computed for this file.") == len(PARTS)
    failed = state_of("plan", JobState.FAILED, problems=("nobody <has> the time",))
    seen = Seen(export.render_export(view, [failed], made=MADE))
    assert seen.says("nobody <has> the time")


def test_a_report_says_that_it_shows_a_draft():
    view, _ = answer_example("alice-bob")
    waiting = state_of("plan", JobState.RUNNING)
    drafted = PartState(part=waiting.part, job=waiting.job, draft=draft_of("plan"))
    seen = Seen(export.render_export(view, [drafted], made=MADE))
    assert seen.says("This is a quick draft")
    assert seen.says("2 of 2 agents label 5 samples")


def part_of(state):
    view, _ = answer_example("alice-bob")
    return Seen(render_part(view, state))


def test_a_part_under_way_shows_how_far_it_is():
    seen = part_of(state_of("plan", JobState.RUNNING, share=0.25, saying="<halfway>"))
    (section,) = seen.find("section", id="part-plan")
    assert (section["data-state"], section["data-job"], section["aria-busy"]) == ("running", "j1", "true")
    assert seen.find("progress")[0]["value"] == "0.250"
    assert seen.find("button", data_stop="j1")
    assert seen.says("<halfway>")


def test_a_part_that_waits_has_no_value_yet():
    seen = part_of(state_of("plan", JobState.WAITING))
    assert "value" not in seen.find("progress")[0]
    assert seen.says("Waiting for its turn")


def test_a_draft_is_shown_and_said_until_the_answer_is_there():
    under_way = state_of("plan", JobState.RUNNING, saying="the best plan costs 5")
    seen = part_of(PartState(part=under_way.part, job=under_way.job, draft=draft_of("plan")))
    assert seen.says("A quick draft; a better answer is being looked for: the best plan costs 5")
    assert seen.says("2 of 2 agents label 5 samples")


def test_where_only_a_draft_was_asked_for_it_is_called_one():
    job = draft_of("plan")
    state = PartState(part=PARTS["plan"], job=job, draft=job)
    assert state.is_draft
    assert part_of(state).says("as soon as the slider rests")


def test_a_draft_under_way_is_followed_too():
    state = state_of("plan", JobState.WAITING)
    drafting = Job(id="j2", name="plan", question=None, state=JobState.RUNNING)
    seen = part_of(PartState(part=state.part, job=state.job, draft=drafting))
    assert seen.find("section", data_job="j1", data_draft="j2")


@pytest.mark.parametrize(
    ("state", "said", "button"),
    [(JobState.FAILED, "This did not work", "Try again"), (JobState.CANCELLED, "Stopped.", "Start again")],
)
def test_what_is_over_without_an_answer_can_be_asked_again(state, said, button):
    seen = part_of(state_of("plan", state, problems=("too much memory",) if state is JobState.FAILED else ()))
    assert seen.says(said)
    assert seen.says(button)
    assert seen.find("button", data_again="plan")


def test_that_no_plan_exists_is_said_with_what_blocks_it():
    seen = part_of(state_of("plan", JobState.FAILED, problems=("bob still misses the target",), has_no_plan=True))
    assert seen.says("There is no plan")
    assert seen.says("bob still misses the target")
    assert not seen.find("button")


def test_an_audit_that_nobody_asked_for_is_explained():
    view, _ = answer_example("alice-bob")
    asked = read(view.fed, [("cost[bob]", "2"), ("method", "lp")])
    seen = Seen(render_part(asked, PartState(part=PARTS["audit"])))
    assert seen.find("input", id="audit", value="200")
    assert seen.find("input", name="cost[bob]", value="2", type="hidden")
    assert seen.find("input", name="method", value="lp", type="hidden")


def test_what_is_wrong_stands_beside_its_field_and_the_value_is_kept():
    given = [("delta", "7"), ("cost[bob]", "<x>"), ("epsilon[alice]", "0.2"), ("fee", "much")]
    view = read(fp.examples.alice_bob(), given)
    parts = {name: PartState(part=PARTS[name]) for name in ("divergence",)}
    parts["divergence"] = answer_example("alice-bob")[1]["divergence"]
    seen = Seen(show(view, "federation", parts))
    (delta,) = seen.find("input", id="delta")
    assert (delta["value"], delta["aria-invalid"], delta["aria-describedby"]) == ("7", "true", "delta-problem")
    assert seen.find("p", id="delta-problem")
    (cost,) = seen.find("input", name="cost[bob]")
    assert (cost["value"], cost["data-file"], cost["aria-invalid"]) == ("<x>", "1", "true")
    (epsilon,) = seen.find("input", name="epsilon[alice]")
    assert (epsilon["value"], epsilon["data-file"]) == ("0.2", "0.1")
    assert "aria-invalid" not in epsilon
    assert seen.says("fee must be a number")


def test_pages_link_to_each_other_with_what_was_asked():
    view = read(fp.examples.alice_bob(), [("delta", "0.1"), ("method", "lp")])
    seen = Seen(show(view, "game", answer_example("alice-bob")[1]))
    links = {attrs["href"] for tag, attrs in seen.elements if tag == "a"}
    for page in ("federation", "plan", "payments", "run"):
        assert f"/federations/sent-1/{page}?delta=0.1&method=lp" in links
    assert seen.find("a", aria_current="page", href="/federations/sent-1/game?delta=0.1&method=lp")
    assert "/federations/sent-1/game?method=lp" in links


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("page", PAGES)
def test_ids_on_a_page_are_its_own(page, example):
    view, parts = answer_example(example)
    ids = [attrs["id"] for _, attrs in Seen(show(view, page, parts)).elements if "id" in attrs]
    assert len(set(ids)) == len(ids)
    seen = Seen(show(view, page, parts))
    named = {name for _, attrs in seen.elements for key in ("for", "aria-labelledby", "aria-describedby")
             for name in attrs.get(key, "").split()}  # fmt: skip
    assert named <= set(ids)


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_chart_has_words_and_a_table(example):
    view, parts = answer_example(example)
    for page in PAGES:
        seen = Seen(show(view, page, parts))
        for figure in seen.find("figure"):
            name = figure["data-chart"]
            assert seen.find("figcaption", id=f"caption-{name}")
            assert seen.find("div", role="img", aria_labelledby=f"caption-{name}")
            assert seen.find("details", id=f"numbers-{name}")


def lines_before(page, mark):
    """The text of a page up to where something stands in its source."""
    seen = Seen(page.partition(mark)[0])
    return " ".join("".join(seen.text).split())


def test_the_first_lines_say_what_is_assumed():
    _, parts = answer_example("alice-bob")
    for terms, said in (
        ({}, "some candidate agrees with every label."),
        ({"noise": 0.05}, "with probability 0.05"),
    ):
        view = read(fp.examples.alice_bob().replace(**terms))
        for page in PAGES:
            assert said in lines_before(show(view, page, parts), 'class="source"')
        assert said in lines_before(make_export(view, parts), 'class="source"')


def test_what_a_plan_says_stands_before_its_charts_and_tables():
    fed = fp.Federation.from_predictions({"a": [[0, 1, 1]], "b": [[1, 0]]}, epsilon=0.1, delta=0.05)
    view = read(fed, [("seconds", "1")])
    parts = answer_parts(view)
    sentences = explain(fp.plan(fed)).sentences
    assert sentences
    for page in (show(view, "plan", parts), make_export(view, parts)):
        answer = page.partition('id="headline-plan"')[2]
        first = min(answer.index(tag) for tag in ("<table", "<figure", "<h3") if tag in answer)
        for sentence in sentences:
            assert sentence in html.unescape(answer[:first])


def test_one_candidate_is_not_all_that_is_needed_on_pages():
    fed = fp.Federation.from_predictions({"a": [[0, 1, 1]], "b": [[1, 0]]}, epsilon=0.1, delta=0.05)
    view = read(fed, [("seconds", "1")])
    parts = answer_parts(view)
    for page in (show(view, "plan", parts), make_export(view, parts)):
        seen = Seen(page)
        assert seen.says("nothing is known of its errors")
        assert seen.says("To measure its errors, label samples and ask fedpact realizability.")
        assert seen.says("nothing to choose")
        assert not seen.says("every target is met")
        assert not seen.says("Nothing has to be labelled")
