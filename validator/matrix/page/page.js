"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const SIGNS = { "holds": "✓", "violated": "✗", "not exercised": "·", "not applicable": "–", "not judged": "?" };
  const STATES = Object.keys(SIGNS);
  const css = (status) => status.replace(" ", "-");
  const claims = new Map(data.claims.map((claim) => [claim.claim, claim]));
  const captures = new Map(data.captures.map((capture) => [capture.capture, capture]));
  const outcome = new Map(data.captures.map((c) => [c.capture, new Map(c.claims.map((o) => [o.claim, o]))]));
  const count = data.versions.length;
  const cellData = new Map(data.cells.map((cell, index) => [cell.claim + "\n" + (index % count), cell]));
  const name = (version) => (version.package || "unknown") + " " + (version.version || "unknown");

  // Elements are made from text only: whatever a capture holds, it is never read as markup.
  const h = (tag, attributes, ...children) => {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key === "on") element.addEventListener("click", value);
      else if (key === "class") element.className = value;
      else element.setAttribute(key, value);
    }
    element.append(...children.flat().filter((child) => child !== null && child !== undefined).map((child) => child instanceof Node ? child : String(child)));
    return element;
  };

  const sentence = (text) => text.split(/`([^`]+)`/).map((part, index) => index % 2 ? h("code", {}, part) : part);

  const state = { q: "", package: "", made: "", off: new Set() };
  const rows = [...document.querySelectorAll("tr[data-claim]")].map((row) => ({
    row, claim: row.dataset.claim, cells: [...row.querySelectorAll(".cell")],
    text: (row.dataset.claim + " " + claims.get(row.dataset.claim).statement).toLowerCase(),
  }));
  const heads = [...document.querySelectorAll("th[data-version]")];

  // What a cell says when only captures of one making count.
  const effective = (claim, version) => {
    const cell = cellData.get(claim + "\n" + version);
    if (!state.made || cell.status === "not applicable") return cell;
    let subjects = 0, violations = 0;
    for (const id of data.versions[version].captures) {
      const found = captures.get(id).made === state.made ? outcome.get(id).get(claim) : undefined;
      if (found) { subjects += found.subjects; violations += found.violations; }
    }
    const status = violations ? "violated" : subjects ? "holds" : "not exercised";
    return { ...cell, status, subjects, violations };
  };
  const shade = (subjects) => subjects > 99 ? " s3" : subjects > 9 ? " s2" : "";
  const short = (number) => number > 9999 ? Math.round(number / 1000) + "k" : String(number);

  const paint = (button, cell) => {
    button.className = "cell " + css(cell.status) + (cell.status === "holds" ? shade(cell.subjects) : "");
    button.dataset.status = cell.status;
    const number = cell.status === "violated" ? cell.violations : cell.status === "holds" ? cell.subjects : null;
    button.replaceChildren(h("i", number === null ? {} : { class: "vh" }, SIGNS[cell.status]), number === null ? "" : h("span", { class: "count" }, short(number)));
  };

  const apply = () => {
    const columns = data.versions.map((version) => !state.package || version.package === state.package);
    const totals = Object.fromEntries(STATES.map((status) => [status, 0]));
    let shown = 0;
    heads.forEach((head) => { head.hidden = !columns[head.dataset.version]; });
    for (const { row, claim, cells, text } of rows) {
      let any = false;
      const wanted = !state.q || state.q.toLowerCase().split(/\s+/).every((word) => text.includes(word));
      cells.forEach((button) => {
        const version = Number(button.dataset.version);
        const cell = effective(claim, version);
        paint(button, cell);
        button.parentElement.hidden = !columns[version];
        button.classList.toggle("off", state.off.has(cell.status));
        if (columns[version] && wanted) totals[cell.status] += 1;
        if (columns[version] && !state.off.has(cell.status)) any = true;
      });
      row.hidden = !(wanted && any);
      shown += row.hidden ? 0 : 1;
    }
    for (const body of document.querySelectorAll("#matrix tbody")) body.hidden = ![...body.querySelectorAll("tr[data-claim]")].some((row) => !row.hidden);
    const visible = columns.filter(Boolean).length;
    document.querySelector(".grid").style.setProperty("--columns", visible);
    for (const chip of document.querySelectorAll(".chip")) {
      chip.setAttribute("aria-pressed", String(!state.off.has(chip.dataset.status)));
      chip.querySelector("b").textContent = totals[chip.dataset.status];
    }
    $("shown").textContent = shown + " of " + rows.length + " claims";
    $("none").hidden = shown > 0;
    remember();
    rove();
  };

  const remember = (open) => {
    const parts = new URLSearchParams();
    if (state.q) parts.set("q", state.q);
    if (state.package) parts.set("package", state.package);
    if (state.made) parts.set("made", state.made);
    if (state.off.size) parts.set("off", [...state.off].join(","));
    if (open) parts.set("open", open);
    const text = parts.toString();
    history.replaceState(null, "", text ? "#" + text : location.pathname + location.search);
  };

  // ---- the grid by keyboard: one cell is in the tab order, arrows move
  let current = null;
  const visibleCells = () => rows.filter((item) => !item.row.hidden).map((item) => item.cells.filter((cell) => !cell.parentElement.hidden));
  const rove = () => {
    const grid = visibleCells();
    if (!grid.some((line) => line.includes(current))) current = grid.length && grid[0].length ? grid[0][0] : null;
    for (const { cells } of rows) for (const cell of cells) cell.tabIndex = cell === current ? 0 : -1;
  };
  const move = (event) => {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    const grid = visibleCells();
    const y = grid.findIndex((line) => line.includes(event.target));
    if (y < 0 || (!step && event.key !== "Home" && event.key !== "End")) return;
    event.preventDefault();
    const x = grid[y].indexOf(event.target);
    const line = grid[Math.min(Math.max(y + (step ? step[0] : 0), 0), grid.length - 1)];
    const to = step ? x + step[1] : event.key === "Home" ? 0 : line.length - 1;
    current = line[Math.min(Math.max(to, 0), line.length - 1)];
    rove();
    current.focus();
  };

  // ---- details
  const panel = $("panel");
  const show = (title, subtitle, hash, ...content) => {
    panel.firstElementChild.replaceChildren(
      h("div", { class: "panel-top" }, h("div", {}, h("h2", { id: "panel-title" }, title), h("p", {}, subtitle)), h("button", { class: "ghost", type: "button", on: () => panel.close() }, "Close")),
      ...content.flat().filter(Boolean));
    if (!panel.open) panel.showModal();
    panel.scrollTop = 0;
    remember(hash);
  };
  const badge = (status) => h("span", { class: "badge " + css(status) }, SIGNS[status] + " " + status);
  const link = (text, go) => h("button", { class: "link", type: "button", on: go }, text);
  const facts = (head, lines) => h("table", { class: "facts" }, h("thead", {}, h("tr", {}, head.map((text, index) => h("th", index ? { class: "n" } : {}, text)))),
    h("tbody", {}, lines.map((line) => h("tr", {}, line.map((item, index) => h("td", index ? { class: "n" } : {}, item))))));
  const finding = (item, capture) => h("div", { class: "finding" }, h("b", {}, item.claim + (item.count > 1 ? " (" + item.count + " in this capture)" : "")), h("dl", {},
    [["capture", capture.capture], ...Object.entries(item.where).map(([key, value]) => [key, Array.isArray(value) ? value.join(", ") : value]), ["expected", item.expected === null ? "nothing" : item.expected], ["found", item.found === null ? "nothing" : item.found]]
      .flatMap(([key, value]) => [h("dt", {}, key), h("dd", {}, value)])));
  const findings = (ids, claim) => {
    const found = ids.map((id) => captures.get(id)).flatMap((capture) => capture.findings.filter((item) => !claim || item.claim === claim).map((item) => finding(item, capture)));
    return found.length ? [h("h3", {}, "Findings"), ...found] : [];
  };
  const sums = (capture) => {
    const c = capture.conservation;
    const bar = h("div", { class: "stack", role: "img", "aria-label": "records, excluded, lost" });
    for (const part of ["records", "excluded", "lost", "unreadable"]) {
      if (!c[part]) continue;
      const piece = h("i", { class: part, title: part + " " + c[part] });
      piece.style.flexGrow = c[part];
      bar.append(piece);
    }
    return [bar, h("p", { class: "equation" }, `${c.native} native units = ${c.records} in records + ${c.excluded} excluded` + (c.lost ? ` + ${c.lost} lost` : "") + (c.unreadable ? ` + ${c.unreadable} unreadable` : "") + (c.duplicated ? ` − ${c.duplicated} duplicated` : ""))];
  };

  const openCell = (claim, version) => {
    const cell = effective(claim, version), item = data.versions[version];
    const lines = item.captures.map((id) => [id, captures.get(id), outcome.get(id).get(claim)]).filter(([, , found]) => found)
      .map(([id, capture, found]) => [link(id, () => openCapture(id)), capture.made || "–", found.subjects, found.violations]);
    const why = cell.status === "not applicable" ? "It needs " + (cell.lacks || []).join(", ") + ", which no store of layout " + item.layout + " has yet."
      : cell.status === "not exercised" ? "No capture of this version holds anything that the claim is about." : null;
    show(claim, name(item) + (item.layout === null ? "" : ", layout " + item.layout), "cell:" + claim + ":" + version,
      h("p", { class: "statement" }, sentence(claims.get(claim).statement)), badge(cell.status), why && h("p", { class: "hint" }, why),
      lines.length ? [h("h3", {}, "Captures that exercise it"), facts(["capture", "made by", "subjects", "violations"], lines)] : null,
      findings(item.captures, claim), h("p", { class: "hint" }, link("This claim in all versions", () => openClaim(claim)), " · ", link("All of " + name(item), () => openVersion(version))));
  };
  const openClaim = (claim) => {
    const lines = data.versions.map((version, index) => [index, effective(claim, index)])
      .map(([index, cell]) => [link(name(data.versions[index]), () => openCell(claim, index)), badge(cell.status), cell.subjects, cell.violations]);
    show(claim, "level " + claims.get(claim).level, "claim:" + claim, h("p", { class: "statement" }, sentence(claims.get(claim).statement)),
      facts(["version", "", "subjects", "violations"], lines), findings([...captures.keys()], claim));
  };
  const openVersion = (version) => {
    const item = data.versions[version];
    const listed = item.captures.map((id) => captures.get(id));
    const fresh = data.timeline.flatMap((history) => history.tables.flatMap((table) => table.since === item.layout ? [table.table] : table.columns.filter((column) => column.since === item.layout).map((column) => table.table + "." + column.column)));
    show(name(item), item.layout === null ? "of an unknown layout" : "layout " + item.layout, "version:" + version,
      h("h3", {}, "Captures"), facts(["capture", "units", "records", "notices", "errors"], listed.map((c) => [link(c.capture, () => openCapture(c.capture)), c.conservation.native, c.counts.records, c.counts.notices, c.counts.errors])),
      findings(item.captures),
      fresh.length ? [h("h3", {}, "Came with layout " + item.layout), h("p", { class: "mono" }, fresh.join(", "))] : null);
  };
  const openCapture = (id) => {
    const c = captures.get(id);
    const notices = Object.entries(c.notices);
    show(id, [c.package, c.version, c.made && "made by " + (c.made === "agent" ? "the agent itself" : "a " + c.made), c.date].filter(Boolean).join(", "), "capture:" + id,
      c.about && h("p", { class: "statement" }, c.about), h("span", { class: "badge " + (c.verdict === "conforms" ? "holds" : c.verdict === "does not conform" ? "violated" : "not-judged") }, c.verdict), c.message && h("p", { class: "hint" }, c.message),
      h("h3", {}, "Sums"), sums(c), facts(["", ""], Object.entries(c.counts).map(([key, value]) => [key === "unidentifiedSources" ? "unidentified sources" : key, value])),
      notices.length ? [h("h3", {}, "Notices"), facts(["code", "number"], notices)] : null,
      c.unidentified.length ? [h("h3", {}, "Unidentified sources"), h("p", { class: "mono" }, c.unidentified.join(", "))] : null,
      findings([id]),
      h("h3", {}, "Claims that it exercises"), facts(["claim", "subjects", "violations"], c.claims.map((o) => [link(o.claim, () => openClaim(o.claim)), o.subjects, o.violations])));
  };
  const reopen = (text) => {
    const [kind, first, second] = text.split(":");
    if (kind === "cell" && claims.has(first) && data.versions[second]) openCell(first, Number(second));
    else if (kind === "claim" && claims.has(first)) openClaim(first);
    else if (kind === "version" && data.versions[first]) openVersion(Number(first));
    else if (kind === "capture" && captures.has(first)) openCapture(first);
  };

  // ---- wiring
  document.addEventListener("click", (event) => {
    const at = event.target.closest("[data-open]");
    if (!at) return;
    if (at.classList.contains("cell")) { current = at; rove(); }
    reopen(at.dataset.open);
  });
  $("matrix").addEventListener("keydown", move);
  panel.addEventListener("click", (event) => { if (event.target === panel) panel.close(); });
  panel.addEventListener("close", () => { remember(); });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !panel.open && !/INPUT|SELECT/.test(document.activeElement.tagName)) { event.preventDefault(); $("search").focus(); }
    if (event.key === "Escape" && document.activeElement === $("search")) { $("search").value = state.q = ""; apply(); }
  });
  $("search").addEventListener("input", () => { state.q = $("search").value.trim(); apply(); });
  for (const id of ["package", "made"]) $(id).addEventListener("change", () => { state[id] = $(id).value; apply(); });
  for (const chip of document.querySelectorAll(".chip")) chip.addEventListener("click", () => {
    const status = chip.dataset.status;
    if (!state.off.delete(status)) state.off.add(status);
    apply();
  });
  const clear = () => { state.q = state.package = state.made = ""; state.off.clear(); $("search").value = ""; $("package").value = ""; $("made").value = ""; apply(); };
  $("reset").addEventListener("click", clear);

  const THEMES = ["auto", "light", "dark"];
  let theme = 0;
  try { theme = Math.max(0, THEMES.indexOf(localStorage.getItem("validator-theme"))); } catch (error) { theme = 0; }
  const dress = () => {
    if (theme) document.documentElement.dataset.theme = THEMES[theme]; else delete document.documentElement.dataset.theme;
    $("theme").querySelector("span").textContent = THEMES[theme];
  };
  $("theme").addEventListener("click", () => {
    theme = (theme + 1) % THEMES.length;
    try { localStorage.setItem("validator-theme", THEMES[theme]); } catch (error) { /* it is not kept then */ }
    dress();
  });

  const given = new URLSearchParams(location.hash.slice(1));
  state.q = given.get("q") || "";
  for (const id of ["package", "made"]) {
    const value = given.get(id) || "";
    if ([...$(id).options].some((option) => option.value === value)) state[id] = $(id).value = value;
  }
  for (const status of (given.get("off") || "").split(",")) if (STATES.includes(status)) state.off.add(status);
  $("search").value = state.q;
  for (const id of ["tools", "theme", "keys"]) $(id).hidden = false;
  dress();
  const open = given.get("open");
  apply();
  if (open) reopen(open);
})();
