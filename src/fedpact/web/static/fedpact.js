/* One script for all pages and for the export: draws charts, follows jobs, and plans again as sliders move. */
"use strict";

(() => {
  const root = document.documentElement;
  root.classList.add("has-script");
  const find = (selector, within = document) => within.querySelector(selector);
  const findAll = (selector, within = document) => [...within.querySelectorAll(selector)];

  /* Charts. A figure is plain JSON beside its place; colours such as "@accent" are those of the style sheet. */

  const PAPER = 660; // pixels between the margins of A4, for one figure
  const HALF = 318; // and for two beside each other
  const CONFIG = {
    responsive: true,
    displaylogo: false,
    displayModeBar: false,
    scrollZoom: false,
    doubleClick: "reset",
  };

  function paint(value, key = "") {
    if (typeof value === "string") {
      const isColour = /color/i.test(key) && value.startsWith("@");
      return isColour ? getComputedStyle(root).getPropertyValue(`--${value.slice(1)}`).trim() : value;
    }
    if (Array.isArray(value)) return value.map((each) => paint(each, key));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, paint(each, name)]));
  }

  function letZoom(layout) {
    layout.dragmode = "zoom";
    for (const axis of [layout.xaxis, layout.yaxis]) axis.fixedrange = false;
  }

  /* On a phone a legend is a list below the figure, and there is no room for many names beside each other. */
  function fit(layout, data, width) {
    if (width < 520 && layout.showlegend) layout.height += 17 * data.length;
    const names = layout.xaxis.ticktext ?? [];
    if (names.length * 16 > width - 200) layout.xaxis.showticklabels = false;
  }

  function draw(figure) {
    const place = find(".plot", figure);
    if (figure.hidden || !window.Plotly) return;
    const { data, layout } = paint(JSON.parse(find("script", figure).textContent));
    const paper = figure.closest(".multiples") ? HALF : PAPER;
    const isPrinting = "print" in root.dataset;
    fit(layout, data, isPrinting ? paper : place.clientWidth);
    place.style.height = `${layout.height}px`;
    if ("zoom" in figure.dataset && matchMedia("(pointer: fine)").matches) letZoom(layout);
    if (isPrinting) Object.assign(layout, { width: paper, autosize: false });
    window.Plotly.react(place, data, layout, CONFIG);
  }

  function drawAll(within = document) {
    for (const figure of findAll("figure.chart", within)) draw(figure);
  }

  function print(isPrinting) {
    if (isPrinting === "print" in root.dataset) return;
    root.toggleAttribute("data-print", isPrinting);
    drawAll();
  }

  function choose(select) {
    for (const figure of findAll(`figure[data-chart^="${select.dataset.choose}"]`)) {
      figure.hidden = figure.dataset.chart !== select.value;
      draw(figure);
    }
  }

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawAll());
  matchMedia("print").addEventListener("change", (event) => print(event.matches));
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));
  document.addEventListener("DOMContentLoaded", () => {
    if (!window.Plotly) root.classList.add("no-plot");
    drawAll();
  });
  if ("export" in root.dataset) return;

  /* The address: what is asked stands in it, and every link to the same federation follows. */

  const { federation, slot = "" } = document.body.dataset;
  const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const CHANGES = /^(delta|objective|guarantee|(epsilon|cost|capacity)(\[.*\])?)$/s;
  let query = new URLSearchParams(location.search);

  function writeAddress(method = "replaceState") {
    const text = String(query);
    try {
      history[method](null, "", `${location.pathname}${text && "?"}${text}${location.hash}`);
    } catch {
      /* A browser that is asked too often refuses; the next time will do. */
    }
    for (const link of findAll("a[data-follow]")) {
      const own = new URLSearchParams(query);
      for (const [name, value] of new URLSearchParams(link.dataset.follow)) {
        own.delete(name);
        if (value) own.set(name, value);
      }
      const [path, hash = ""] = link.getAttribute("href").split("?")[0].split("#");
      const kept = hash || (link.getAttribute("href").split("#")[1] ?? "");
      link.setAttribute("href", `${path}${String(own) && "?"}${own}${kept && "#"}${kept}`);
    }
    const changed = find("#changed");
    if (changed) changed.hidden = ![...query.keys()].some((name) => CHANGES.test(name));
  }

  /* Jobs are followed by server-sent events, a few at a time: a browser opens only six connections to a server. */

  const MOST_STREAMS = 3;
  const followed = new Map();

  function follow(job, part, isDraft) {
    if (!followed.has(job)) followed.set(job, { job, part, isDraft, stream: null });
    openStreams();
  }

  function leave(entry) {
    entry.stream?.close();
    followed.delete(entry.job);
  }

  function openStreams() {
    if (document.hidden) return;
    const entries = [...followed.values()].sort((a, b) => Number(b.isDraft) - Number(a.isDraft));
    let free = MOST_STREAMS - entries.filter((entry) => entry.stream).length;
    for (const entry of entries) {
      if (entry.stream || free-- <= 0) continue;
      entry.stream = new EventSource(`/jobs/${entry.job}/events`);
      entry.stream.onmessage = (event) => hear(entry, JSON.parse(event.data));
      entry.stream.onerror = () => lose(entry);
    }
  }

  function lose(entry) {
    const section = sectionOf(entry.part);
    if (!entry.isDraft) say(section, "the server does not answer; trying again");
    if (entry.stream.readyState !== EventSource.CLOSED) return;
    leave(entry);
    sleep(2000).then(() => load(entry.part));
  }

  function say(section, text) {
    const place = find("[data-saying]", section);
    if (place) place.textContent = text ? `: ${text}` : "";
  }

  function hear(entry, seen) {
    if (seen.state === "waiting" || seen.state === "running") {
      if (entry.isDraft) return;
      const bar = find("progress", sectionOf(entry.part));
      if (bar && seen.state === "running" && seen.share > 0) bar.value = seen.share;
      const title = find(".saying strong", sectionOf(entry.part));
      if (title && seen.state === "running" && title.textContent.startsWith("Waiting")) title.textContent = "Working on it";
      say(sectionOf(entry.part), seen.saying);
      return;
    }
    leave(entry);
    openStreams();
    const line = lineOf(entry.part);
    if (line.isOver) line.isOver(true);
    else load(entry.part, { isDraft: line.isDraft });
  }

  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) return openStreams();
    for (const entry of followed.values()) {
      entry.stream?.close();
      entry.stream = null;
    }
  });

  /* Whoever leaves a page no longer waits for its answers; whoever comes back does. */
  addEventListener("pagehide", () => slot && navigator.sendBeacon(`/pages/${slot}/leave`));
  addEventListener("pageshow", (event) => event.persisted && location.reload());

  /* Parts of a page. One request at a time for each; of those that wait only the newest is sent. */

  const BETWEEN = 250; // milliseconds between two drafts
  const lines = {};
  const sectionOf = (name) => document.getElementById(`part-${name}`);
  const parts = () => findAll("[data-part]").map((section) => section.dataset.part);

  function lineOf(name) {
    lines[name] ??= { isBusy: false, next: null, isDraft: false, isOver: null };
    return lines[name];
  }

  async function load(name, { isDraft = false, isAgain = false, isLive = false } = {}) {
    const line = lineOf(name);
    line.next = { isDraft, isAgain, isLive, query: String(query) };
    if (line.isOver && !isDraft) line.isOver(false);
    if (line.isBusy) return;
    line.isBusy = true;
    while (line.next) {
      const asked = line.next;
      line.next = null;
      line.isDraft = asked.isDraft;
      await show(name, asked);
      if (asked.isDraft && (await waitForDraft(name, line))) await show(name, { ...asked, isAgain: false });
    }
    line.isBusy = false;
  }

  /* Whether the draft that was asked for is there soon; not, if it lasts or a better plan is asked for. */
  async function waitForDraft(name, line) {
    if (!("job" in sectionOf(name).dataset)) {
      await sleep(BETWEEN);
      return false;
    }
    if (line.next && !line.next.isDraft) return false;
    const over = new Promise((resolve) => (line.isOver = resolve));
    const isThere = await Promise.race([over, sleep(1500).then(() => false)]);
    line.isOver = null;
    return isThere;
  }

  async function show(name, asked) {
    const extra = new URLSearchParams({ slot: `${slot}-${name}` });
    if (asked.isDraft) extra.set("draft", "1");
    if (asked.isDraft || asked.isLive) extra.set("wait", "1");
    if (asked.isAgain) extra.set("again", "1");
    const address = `/federations/${encodeURIComponent(federation)}/parts/${name}?${asked.query}&${extra}`;
    try {
      const answer = await fetch(address, { headers: { Accept: "application/json" } });
      if (answer.ok) return place(name, await answer.text());
      const said = await answer.json().catch(() => ({}));
      refuse(name, said.problems ?? [`the server answered ${answer.status}`]);
    } catch {
      refuse(name, ["the server does not answer; is it still running?"]);
    }
  }

  function refuse(name, problems) {
    const again = Object.assign(document.createElement("button"), { type: "button", className: "small", textContent: "Try again" });
    again.dataset.again = name;
    const box = Object.assign(document.createElement("div"), { className: "note bad" });
    box.setAttribute("role", "alert");
    box.append(...problems.map(problemOf), again);
    find(".status", sectionOf(name)).replaceChildren(box);
  }

  function problemOf(sentence) {
    return Object.assign(document.createElement("p"), { className: "problem", textContent: sentence });
  }

  function place(name, text) {
    const old = sectionOf(name);
    const fresh = new DOMParser().parseFromString(text, "text/html").getElementById(`part-${name}`);
    if (!fresh) return refuse(name, ["the server sent something else; reload the page"]);
    const before = old.getBoundingClientRect();
    const wasBusy = "job" in old.dataset;
    const focus = old.contains(document.activeElement) ? document.activeElement.id : null;
    for (const entry of [...followed.values()]) if (entry.part === name) leave(entry);
    const isWaiting = "job" in fresh.dataset && !("hasAnswer" in fresh.dataset);
    if (isWaiting && "hasAnswer" in old.dataset) keepAnswer(old, fresh);
    else replacePart(old, fresh);
    const now = sectionOf(name);
    find("#lead").textContent = fresh.dataset.lead;
    echo();
    if (before.bottom <= 0) scrollBy(0, now.getBoundingClientRect().height - before.height);
    if (focus !== null && !now.contains(document.activeElement)) {
      (document.getElementById(focus) ?? find("h2", now)).focus({ preventScroll: true });
    }
    if ("draft" in now.dataset) follow(now.dataset.draft, name, true);
    if ("job" in now.dataset) follow(now.dataset.job, name, false);
    else tellReady(now, wasBusy);
  }

  function keepAnswer(old, fresh) {
    find(".status", old).replaceWith(document.adoptNode(find(".status", fresh)));
    for (const name of ["state", "job", "draft"]) {
      if (name in fresh.dataset) old.dataset[name] = fresh.dataset[name];
      else delete old.dataset[name];
    }
    find(".saying strong", old).textContent = "Working on the new values; those before are dimmed";
    old.setAttribute("aria-busy", "true");
    old.classList.add("is-old");
  }

  function replacePart(old, fresh) {
    document.adoptNode(fresh);
    for (const details of findAll("details[id]", fresh)) {
      const same = find(`#${CSS.escape(details.id)}`, old);
      if (same) details.open = same.open;
    }
    for (const select of findAll("select[data-choose]", fresh)) {
      const same = find(`#${CSS.escape(select.id)}`, old);
      if (same && [...select.options].some((option) => option.value === same.value)) select.value = same.value;
    }
    for (const figure of findAll("figure.chart", fresh)) {
      const drawn = find(`figure[data-chart="${CSS.escape(figure.dataset.chart)}"] .js-plotly-plot`, old);
      if (drawn) {
        drawn.dataset.height = find(".plot", figure).dataset.height;
        find(".plot", figure).replaceWith(drawn);
      }
    }
    old.replaceWith(fresh);
    for (const select of findAll("select[data-choose]", fresh)) choose(select);
    drawAll(fresh);
  }

  /* On a phone the sliders fill the screen, so that the answer has to stand beside them. */
  function echo() {
    const place = find("#echo");
    if (place) place.textContent = find("#headline-plan")?.textContent ?? "";
  }

  function tellReady(section, wasBusy) {
    const title = find("h2", section).textContent;
    const name = section.dataset.part;
    if (wasBusy) find("#announcer").textContent = `${title}: ${section.dataset.state === "done" ? "ready" : section.dataset.state}.`;
    if (!("hasAnswer" in section.dataset)) return;
    for (const other of findAll(`[data-beside="${CSS.escape(name)}"]`)) load(other.dataset.part);
  }

  function loadAll() {
    for (const name of parts()) {
      sectionOf(name).classList.add("is-old");
      load(name);
    }
  }

  /* Sliders: while one moves the plan is drafted; when it rests everything is asked for. */

  const STEPS = 200;
  const REST = 500;
  const round = (value) => Number(value.toPrecision(3));
  let resting = 0;
  let writing = 0;

  function scale(base, scaled, times, digits) {
    if (typeof base === "number") return base === scaled || times === 1 ? base : Number((base * times).toPrecision(digits));
    const parts = Object.entries(base).map(([key, value]) => [key, scale(value, scaled[key], times, 6)]);
    return Array.isArray(base) ? parts.map(([, value]) => value) : Object.fromEntries(parts);
  }

  function scaleCost(base, scaled, times) {
    return JSON.stringify(scale(JSON.parse(base), JSON.parse(scaled), times, 3));
  }

  function valueOf(box, input) {
    const low = Number(box.dataset.low), high = Number(box.dataset.high);
    return round(low * (high / low) ** (Number(input.value) / STEPS));
  }

  function slide(input) {
    const box = input.closest("[data-slider]");
    const { slider, field, base, scaled } = box.dataset;
    const times = valueOf(box, input);
    const value = slider === "cost" ? scaleCost(base, scaled, times) : String(times);
    const isCurved = slider === "cost" && base.startsWith("{");
    const shown = isCurved ? `× ${times}` : value;
    find("output", box).textContent = shown;
    input.setAttribute("aria-valuetext", shown);
    for (const name of [...query.keys()]) {
      if (name === field || (slider === "epsilon" && name.startsWith("epsilon["))) query.delete(name);
    }
    const isFile = slider === "cost" ? times === 1 && "file" in box.dataset && !query.has("cost") : Number(value) === Number(base || NaN);
    if (!isFile) query.append(field, value);
    if (slider === "epsilon") find("#epsilon-hint").hidden = true;
  }

  function move(event) {
    slide(event.target);
    for (const name of parts()) if (name !== "plan") sectionOf(name).classList.add("is-old");
    if (!resting) history.pushState(null, "", location.href); // so that Back undoes the whole movement
    clearTimeout(resting);
    resting = setTimeout(settle, REST);
    writing ||= setTimeout(() => {
      writing = 0;
      writeAddress();
    }, 200);
    showMeanwhile();
  }

  /* While a slider moves: a draft of the plan; of the game, that of two, which is quickly played. */
  function showMeanwhile() {
    if (sectionOf("plan")) load("plan", { isDraft: true });
    else if ("live" in document.body.dataset) for (const name of parts()) load(name, { isLive: true });
  }

  function settle() {
    resting = 0;
    writeAddress();
    loadAll();
  }

  function useMethod(link) {
    for (const [name, value] of new URLSearchParams(link.dataset.follow)) {
      query.delete(name);
      if (value) query.set(name, value);
    }
    for (const other of findAll("a[data-in-place]")) other.removeAttribute("aria-current");
    link.setAttribute("aria-current", "true");
    writeAddress("pushState");
    loadAll();
  }

  function playAgain(form) {
    for (const field of ["order", "seconds"]) query.set(field, form.elements[field].value);
    location.assign(`${location.pathname}?${query}`);
  }

  function resetSliders() {
    const kept = [...query].filter(([name]) => !/^(epsilon|cost|delta)(\[|$)/.test(name));
    location.assign(`${location.pathname}?${new URLSearchParams(kept)}`);
  }

  addEventListener("popstate", () => location.reload());

  /* The form of the federation: only what differs from the file goes into the address. */

  const isSame = (a, b) => a === b || (a !== "" && b !== "" && Number(a) === Number(b));

  function pruneForm(form) {
    for (const field of findAll("[data-file]", form)) {
      const value = field.value.trim();
      if (value === "" && field.dataset.file !== "" && field.name.startsWith("capacity[")) field.value = "none";
      else if (value === "" || isSame(value, field.dataset.file)) field.disabled = true;
    }
  }

  addEventListener("pageshow", () => findAll("#edit [disabled]").forEach((field) => (field.disabled = false)));

  /* Files and text that are sent. */

  async function send(form, address, options) {
    const box = find(".problems", form), button = find("button", form), said = button.textContent;
    const field = find("input, textarea", form);
    box.replaceChildren();
    field.removeAttribute("aria-invalid");
    button.disabled = true;
    button.textContent = "Reading it…";
    const problems = await sendNow(address, options);
    button.disabled = false;
    button.textContent = said;
    complain(form, problems);
  }

  async function sendNow(address, options) {
    try {
      const answer = await fetch(address, { method: "POST", ...options });
      const said = await answer.json().catch(() => ({}));
      if (!answer.ok) return said.problems ?? [`the server answered ${answer.status}`];
      location.assign(said.address);
      return [];
    } catch {
      return ["the server does not answer; is it still running?"];
    }
  }

  function complain(form, problems) {
    find(".problems", form).replaceChildren(...problems.map(problemOf));
    if (problems.length) find("input, textarea", form).setAttribute("aria-invalid", "true");
  }

  function sendFiles(form) {
    const files = [...find("input", form).files], most = Number(form.dataset.most);
    if (!files.length) return complain(form, ["choose a federation file, and the files that it names"]);
    const size = files.reduce((sum, file) => sum + file.size, 0);
    const inMegabytes = (bytes) => `${Number((bytes / 1e6).toPrecision(3))} MB`;
    if (size > most) {
      const what = files.length === 1 ? files[0].name : `these ${files.length} files together`;
      const has = files.length === 1 ? "has" : "have";
      return complain(form, [
        `${what} ${has} ${inMegabytes(size)}; this page takes up to ${inMegabytes(most)} at once: use the command line, or reports instead of predictions (fedpact report)`,
      ]);
    }
    const body = new FormData();
    for (const file of files) body.append("files", file, file.name);
    send(form, "/federations/files.json", { body });
  }

  function sendText(form) {
    const text = find("textarea", form).value;
    if (!text.trim()) return complain(form, ["paste a federation file, TOML or JSON"]);
    const headers = { "Content-Type": "application/json" };
    send(form, "/federations.json", { headers, body: JSON.stringify({ text }) });
  }

  function letDrop(zone) {
    const stop = (event) => {
      event.preventDefault();
      zone.classList.toggle("is-over", event.type === "dragover");
    };
    for (const type of ["dragover", "dragleave", "drop"]) zone.addEventListener(type, stop);
    zone.addEventListener("drop", (event) => {
      if (!event.dataTransfer.files.length) return;
      find("input", zone).files = event.dataTransfer.files;
      sendFiles(zone.closest("form"));
    });
  }

  /* The export needs every answer, so say how many are there until all are. */

  async function fetchExport(link) {
    const state = find("#export-state");
    link.setAttribute("aria-disabled", "true");
    try {
      for (let isThere = false; !isThere; await sleep(isThere ? 0 : 500)) {
        const answer = await fetch(link.href.replace("/export.html", "/export.json"));
        const parts = Object.values((await answer.json()).parts);
        const left = parts.filter((part) => part.state === "waiting" || part.state === "running").length;
        state.textContent = ` (${parts.length - left} of ${parts.length} answers are there)`;
        isThere = !left;
      }
      state.textContent = "";
      Object.assign(document.createElement("a"), { href: link.href, download: link.download }).click();
    } catch {
      state.textContent = " (the server does not answer; is it still running?)";
    }
    link.removeAttribute("aria-disabled");
  }

  /* Everything that is clicked, moved or sent. */

  document.addEventListener("click", (event) => {
    const on = (selector) => event.target.closest(selector);
    const stop = on("[data-stop]"), again = on("[data-again]"), link = on("a[data-in-place]");
    if (stop) fetch(`/jobs/${stop.dataset.stop}.json`, { method: "DELETE" }).catch(() => {});
    else if (again) load(again.dataset.again, { isAgain: true });
    else if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      useMethod(link);
    } else if (on("#sliders #reset")) resetSliders();
    else if (on("#export-link")) {
      event.preventDefault();
      if (!on("#export-link").hasAttribute("aria-disabled")) fetchExport(on("#export-link"));
    }
  });
  document.addEventListener("change", (event) => {
    if (event.target.matches("select[data-choose]")) choose(event.target);
  });
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.id === "edit") return pruneForm(form);
    const handler = { upload: sendFiles, paste: sendText, sliders: () => {}, "game-options": playAgain }[form.id];
    if (!handler) return;
    event.preventDefault();
    handler(form);
  });
  find("#sliders")?.addEventListener("input", move);
  echo();
  if (find("#drop")) letDrop(find("#drop"));
  const controls = find("#controls");
  if (controls && matchMedia("(max-width: 62rem)").matches) controls.open = false;
  for (const form of findAll("form[data-keep-query]")) {
    for (const [name, value] of query) {
      if (name !== "token") form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
    }
  }
  for (const section of findAll("[data-part]")) {
    if ("draft" in section.dataset) follow(section.dataset.draft, section.dataset.part, true);
    if ("job" in section.dataset) follow(section.dataset.job, section.dataset.part, false);
  }
})();

/* A run: steps appear as they are written, and what the sites have done is fetched anew, but not too often. */
(() => {
  const run = document.getElementById("run");
  if (!run) return;
  const { address, events } = run.dataset;
  const find = (id) => document.getElementById(id);
  const BETWEEN = 700;
  const MOST_ROWS = 2000;

  function fetchText(place) {
    return fetch(place, { headers: { Accept: "text/html" } }).then((answer) => (answer.ok ? answer.text() : null));
  }

  /* Put what was fetched in the place of what has the same id, unless nothing has changed. */
  function place(text) {
    const fresh = new DOMParser().parseFromString(text, "text/html");
    for (const element of [...fresh.body.children]) {
      const old = find(element.id);
      for (const details of element.querySelectorAll("details[id]")) details.open = find(details.id)?.open ?? details.open;
      if (!old || old.isEqualNode(element)) continue;
      const focus = old.contains(document.activeElement) ? document.activeElement.id : "";
      old.replaceWith(document.adoptNode(element));
      if (focus) find(focus)?.focus({ preventScroll: true });
    }
    run.dataset.condition = find("run-controls").dataset.condition;
  }

  /* One request at a time; whatever happens meanwhile makes for one more. */
  let isBusy = false;
  let isWanted = false;

  async function refresh() {
    isWanted = true;
    if (isBusy) return;
    isBusy = true;
    while (isWanted) {
      isWanted = false;
      const text = await fetchText(`${address}/progress`).catch(() => null);
      if (text !== null) place(text);
      await new Promise((resolve) => setTimeout(resolve, BETWEEN));
    }
    isBusy = false;
  }

  function cell(text, name = "") {
    return Object.assign(document.createElement("td"), { textContent: text, className: name });
  }

  function addStep(step) {
    const log = find("run-log"), rows = find("run-steps");
    const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
    const hash = document.createElement("td");
    hash.append(Object.assign(document.createElement("code"), { textContent: step.hash.slice(0, 12) }));
    const row = document.createElement("tr");
    Object.assign(row.dataset, { seq: step.seq, kind: step.kind });
    row.append(cell(step.seq, "number"), cell(step.time), cell(step.what), hash);
    rows.append(row);
    if (rows.childElementCount > MOST_ROWS) rows.firstElementChild.remove();
    if (isAtEnd) log.scrollTop = log.scrollHeight;
    run.dataset.last = step.seq;
  }

  function sayTrouble(trouble) {
    const box = find("run-trouble");
    box.querySelector("p").textContent = trouble ?? "";
    box.hidden = !trouble;
  }

  let stream = null;

  function open() {
    if (stream || isOver || document.hidden) return;
    stream = new EventSource(`${events}?after=${run.dataset.last}`);
    const on = (kind, hear) => stream.addEventListener(kind, (event) => hear(JSON.parse(event.data)));
    on("entry", (step) => {
      addStep(step);
      refresh();
    });
    on("run", refresh);
    on("trouble", (seen) => sayTrouble(seen.trouble));
    on("over", () => {
      close();
      isOver = true;
      refresh();
    });
  }

  function close() {
    stream?.close();
    stream = null;
  }

  async function check(event) {
    event.preventDefault();
    const button = find("run-check-now");
    button.disabled = true;
    find("run-check").replaceChildren("The ledger is being looked through.");
    const text = await fetchText(`${address}/check`).catch(() => null);
    if (text !== null) place(text);
    else find("run-check").replaceChildren("The server does not answer; is it still running?");
    button.disabled = false;
  }

  let isOver = !["preparing", "running", "followed"].includes(run.dataset.condition);
  const log = find("run-log");
  log.scrollTop = log.scrollHeight;
  find("run-check-form").addEventListener("submit", check);
  if ("more" in run.dataset) return; // an earlier page of a long ledger stays as it is
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  open();
})();
