// The third step: set the situation, see the best plan and what had to give, change it, judge it.

import { ask, tell } from "./api.js";
import { parts, render } from "./app.js";
import { clicked } from "./boards.js";
import { button, h, plural, say } from "./dom.js";

const plan = { key: "", yes: new Set(), no: new Set(), also: "", mode: "situation", found: [], at: 0, own: null, why: null, problem: "", busy: false, model: "", asked: 0, thanks: "", none: false };
let timer;

const situation = () => ({ yes: [...plan.yes], no: [...plan.no], also: plan.also });
const best = () => plan.found[plan.at];

export function currentPlan() {
  restore();
  if (plan.own) return [...plan.own];
  return best() && best().status === "optimal" ? best().on : null;
}

// What was set stays in this tab, as long as the study's columns are the same.
function restore() {
  const key = `${parts.about.path}|${parts.layout ? parts.layout.key : ""}`;
  if (plan.key === key) return;
  Object.assign(plan, { key, yes: new Set(), no: new Set(), also: "", found: [], at: 0, own: null, why: null, problem: "", model: "", none: false });
  try {
    const kept = JSON.parse(sessionStorage.getItem(key));
    if (kept) return void Object.assign(plan, { yes: new Set(kept.yes), no: new Set(kept.no), also: kept.also, own: kept.own && new Set(kept.own), found: kept.found || [] });
  } catch { /* nothing was kept */ }
  const given = parts.layout && [...parts.layout.others, ...(parts.layout.table ? parts.layout.table.cells.flat(2).map((mark) => ({ given: mark[2] })) : [])].some((each) => each.given);
  if (given && parts.layout.situations.length) choose(parts.layout.situations[0], false);
}

function keep() {
  try {
    sessionStorage.setItem(plan.key, JSON.stringify({ ...situation(), own: plan.own && [...plan.own], found: plan.found.slice(0, 1) }));
  } catch { /* private windows may not */ }
}

function choose(given, now = true) {
  Object.assign(plan, { yes: new Set(given.yes), no: new Set(given.no), also: given.also });
  if (now) changed();
}

function changed() {
  Object.assign(plan, { own: null, why: null, problem: "", thanks: "", none: false, busy: true });
  keep();
  clearTimeout(timer);
  timer = setTimeout(solve, 60);
  render();
}

async function solve() {
  const number = ++plan.asked;
  plan.busy = true;
  const slow = setTimeout(render, 200);
  try {
    const found = await ask("plan", { situation: situation() });
    if (number !== plan.asked) return;  // something else was asked for meanwhile
    Object.assign(plan, { found: [found], at: 0, problem: "" });
    say(found.status === "optimal" ? `Best plan found, ${plural(found.gave.length, "wish", "wishes")} had to give` : "No plan keeps all rules here");
  } catch (error) {
    if (number === plan.asked) Object.assign(plan, { found: [], problem: error.message });
  } finally {
    clearTimeout(slow);
  }
  plan.busy = false;
  keep();
  render();
}

async function another() {
  const shown = plan.found.filter((each) => each.status === "optimal");
  const number = ++plan.asked;
  plan.busy = true;
  render();
  const found = await ask("plan", { situation: situation(), without: shown.map((each) => each.on) }).catch((error) => ({ status: "unknown", said: error.message }));
  if (number !== plan.asked) return;
  plan.busy = false;
  if (found.status === "optimal" && found.units === shown[0].units) {
    plan.found = [...shown, found];
    plan.at = plan.found.length - 1;
  } else {
    plan.none = true;
    say("There is no other plan as good.");
  }
  render();
}

async function judgeOwn() {
  const number = ++plan.asked;
  plan.busy = false;
  try {
    const why = await ask("whynot", { situation: situation(), on: [...plan.own] });
    if (number === plan.asked) plan.why = why;
  } catch (error) {
    if (number === plan.asked) plan.why = { error: error.message };
  }
  render();
}

export function planView() {
  const { layout, rules } = parts;
  if (!layout || !rules) return h("p", { class: "empty" }, "There is nothing to plan yet. ", h("a", { href: "#/data" }, "To the data"));
  restore();
  const model = rules.rules.map((rule) => rule.line).join("\n");
  if (plan.model !== model) {
    plan.model = model;
    clearTimeout(timer);
    timer = setTimeout(() => (plan.own ? judgeOwn() : solve()), 30);
  }
  const on = plan.own || new Set(best() && best().status === "optimal" ? best().on : []);
  return [
    h("div", { class: "heading" }, h("h1", {}, "What if"), modes()),
    h("div", { class: "planning" },
      h("div", { class: "board" }, situationBox(layout), layout.table ? table(layout, on) : null, others(layout, on), legend()),
      h("aside", { class: "answer", "aria-label": "The plan", "aria-busy": plan.busy }, answer(rules))),
  ];
}

function modes() {
  const mode = (key, label) => h("label", { class: plan.mode === key ? "chosen" : "" },
    h("input", { type: "radio", name: "mode", value: key, checked: plan.mode === key, "data-key": `mode:${key}`, onchange: () => { plan.mode = key; render(); } }), label);
  return h("fieldset", { class: "segments" }, h("legend", { class: "hidden-text" }, "What a click does"), mode("situation", "Set the situation"), mode("plan", "Change the plan"));
}

function situationBox(layout) {
  const set = plan.yes.size + plan.no.size + (plan.also ? 1 : 0);
  return h("div", { class: "situation" },
    layout.situations.length > 1 ? h("select", { "data-key": "situations", "aria-label": "A situation from the examples",
      onchange: (event) => event.target.value && choose(layout.situations[Number(event.target.value)]) },
    h("option", { value: "", selected: true }, "A situation from your examples…"),
    layout.situations.map((each, i) => h("option", { value: i }, each.text.length > 90 ? `${each.text.slice(0, 90)}…` : each.text))) : null,
    h("input", { "data-key": "also", "aria-label": "What else holds, as a formula", placeholder: "what else holds, such as: at least 2 of a, b, c", value: plan.also, spellcheck: "false",
      onchange: (event) => { plan.also = event.target.value; changed(); } }),
    set ? button("Clear", { class: "small", "data-key": "clear", onclick: () => { Object.assign(plan, { yes: new Set(), no: new Set(), also: "" }); changed(); } }) : null);
}

const groupOf = (item) => parts.layout.groups.find((group) => group.includes(item));

function click(item, given) {
  if (plan.mode === "situation") {
    const { yes, no } = plan;
    const group = groupOf(item);
    if (yes.has(item)) yes.delete(item);
    else if (no.has(item)) { no.delete(item); if (group) for (const each of group) yes.delete(each); yes.add(item); }
    else if (given) { if (group) for (const each of group) yes.delete(each); yes.add(item); }
    else no.add(item);
    return changed();
  }
  const shown = currentPlan();
  if (!shown) return undefined;
  plan.own = clicked(shown, item);
  plan.thanks = "";
  keep();
  render();
  return judgeOwn();
}

// Rules out all that is in a cell, a row or a column, or lets it be again.
function block(items) {
  if (plan.mode !== "situation" || !items.length) return;
  const out = items.every((item) => plan.no.has(item));
  for (const item of items) {
    plan.yes.delete(item);
    if (out) plan.no.delete(item); else plan.no.add(item);
  }
  changed();
}

function mark(item, label, name, given, on, place) {
  const state = plan.yes.has(item) ? "fixed" : plan.no.has(item) ? "out" : "";
  const before = best() && best().status === "optimal" && plan.own ? best().on.includes(item) : on.has(item);
  const words = `${name}: ${on.has(item) ? "in the plan" : "not in the plan"}${state === "fixed" ? ", fixed" : state === "out" ? ", ruled out" : ""}`;
  return h("button", { type: "button", class: `mark ${state}${on.has(item) ? " on" : ""}${before !== on.has(item) ? " differs" : ""}${given ? " given" : ""}`, "aria-label": words,
    "aria-pressed": on.has(item), "data-key": `mark:${item}`, "data-item": item, tabindex: place === focused.place ? 0 : -1, "data-place": place,
    onclick: () => click(item, given), onfocus: () => { focused.place = place; } }, label);
}

const focused = { place: "0:0:0" };

function table(layout, on) {
  const { rows, columns, cells, of } = layout.table;
  if (!document.querySelector(`[data-place="${focused.place}"]`) && !cells.some((row, r) => row.some((cell, c) => cell.some((_, m) => `${r}:${c}:${m}` === focused.place)))) focused.place = "0:0:0";
  const all = (r, c) => cells.flatMap((row, i) => (r === null || r === i ? row.flatMap((cell, j) => (c === null || c === j ? cell.map((each) => each[0]) : [])) : []));
  return h("div", { class: "scroll" }, h("table", { class: "plan", "aria-label": `Plan: ${of.join(", ")}`, onkeydown: arrows },
    h("thead", {}, h("tr", {}, h("td", {}), columns.map((name, c) => h("th", { scope: "col" },
      button(name, { class: "head", "data-key": `column:${c}`, tabindex: -1, title: "Rule out, or let be", onclick: () => block(all(null, c)) }))))),
    h("tbody", {}, rows.map((name, r) => h("tr", {},
      h("th", { scope: "row" }, button(name, { class: "head", "data-key": `row:${r}`, tabindex: -1, title: "Rule out, or let be", onclick: () => block(all(r, null)) })),
      columns.map((column, c) => h("td", { onclick: (event) => event.target.tagName === "TD" && block(all(r, c)) },
        cells[r][c].map(([item, label, given], m) => mark(item, label || (on.has(item) ? "●" : "○"), [name, column, label].filter(Boolean).join(", "), given, on, `${r}:${c}:${m}`)))))))));
}

// Arrows go from mark to mark; Delete rules out the whole cell.
function arrows(event) {
  const place = event.target.getAttribute("data-place");
  if (!place) return;
  const [r, c, m] = place.split(":").map(Number);
  const { cells } = parts.layout.table;
  const go = (row, column, which) => {
    const cell = cells[row] && cells[row][column];
    if (!cell || !cell.length) return;
    event.preventDefault();
    document.querySelector(`[data-place="${row}:${column}:${Math.max(0, Math.min(which, cell.length - 1))}"]`)?.focus();
  };
  if (event.key === "ArrowUp") go(r - 1, c, m);
  else if (event.key === "ArrowDown") go(r + 1, c, m);
  else if (event.key === "ArrowRight") (m + 1 < cells[r][c].length ? go(r, c, m + 1) : go(r, c + 1, 0));
  else if (event.key === "ArrowLeft") (m > 0 ? go(r, c, m - 1) : go(r, c - 1, 99));
  else if (event.key === "Delete") { event.preventDefault(); block(cells[r][c].map((each) => each[0])); }
}

function others(layout, on) {
  if (!layout.others.length) return null;
  const rows = [...layout.others].sort((a, b) => b.given - a.given);
  return h("div", { class: "scroll" }, h("table", { class: "list", "aria-label": layout.table ? "Other decisions" : "Decisions" }, h("tbody", {}, rows.map((column, r) => h("tr", { class: column.given ? "given" : "" },
    h("th", { scope: "row" }, column.name, column.given ? h("span", { class: "quiet" }, " given") : null),
    h("td", {}, column.items.map(([item, value], m) => {
      const node = mark(item, value, `${column.name} ${value}`, column.given, on, `other:${r}:${m}`);
      node.tabIndex = 0;
      return node;
    })))))));
}

function legend() {
  return h("p", { class: "legend quiet" }, h("span", { class: "mark on" }, "in"), " in the plan", h("span", { class: "mark out" }, "out"), " ruled out",
    h("span", { class: "mark fixed on" }, "set"), " fixed by you",
    h("span", { class: "hint" }, plan.mode === "situation" ? "Click once to rule out, again to fix, again to let be. Names rule out all of theirs." : "Click to put in or take out, and see what that costs."));
}

function answer(rules) {
  if (plan.problem) return h("p", { class: "problem", role: "alert" }, plan.problem);
  const found = best();
  if (!found) return h("p", { class: "quiet" }, "Looking for the best plan…");
  if (found.status === "unknown") return h("p", { class: "problem" }, found.said);
  if (found.status === "infeasible") {
    return [h("h2", {}, "No plan keeps all rules here"),
      found.blame.length ? [h("p", {}, "There would be one without"), h("ul", { class: "gave" }, found.blame.map((words) => h("li", {}, words)))]
        : h("p", { class: "quiet" }, "No single rule stands in the way; several do together.")];
  }
  if (!rules.rules.length) return h("p", { class: "quiet" }, "There are no rules yet, so that every plan is as good as any other.");
  return plan.own ? ownAnswer() : bestAnswer(found);
}

const number = (value) => Number(Number(value).toFixed(3)).toString();

function gave(list, none) {
  if (!list.length) return h("p", { class: "quiet" }, none);
  const most = Math.max(...list.map((each) => each.cost));
  return h("ul", { class: "gave" }, list.map((each) => h("li", { "data-key": `gave:${each.words}` },
    h("span", { class: "words" }, each.words, each.times > 1 ? h("span", { class: "quiet" }, ` ${each.times} times`) : null),
    h("span", { class: "cost", title: `costs ${number(each.cost)}` }, h("span", { class: "fill", "width%": (100 * each.cost) / most })),
    each.where.length ? h("details", {}, h("summary", {}, "where"), h("ul", {}, each.where.map((words) => h("li", {}, words)))) : null)));
}

function bestAnswer(found) {
  return [
    h("h2", {}, plan.found.length > 1 ? `Best plan ${plan.at + 1} of ${plan.found.length}` : "The best plan"),
    h("p", { class: "value" }, "worth ", h("b", {}, number(found.value)), plan.busy ? h("span", { class: "dot" }) : null),
    h("h3", {}, "What had to give"),
    gave(found.gave, "Nothing: every wish is fulfilled."),
    h("div", { class: "choices" },
      plan.at > 0 ? button("Previous", { class: "small", onclick: () => { plan.at -= 1; render(); } }) : null,
      plan.at < plan.found.length - 1 ? button("Next", { class: "small", onclick: () => { plan.at += 1; render(); } })
        : plan.none ? h("span", { class: "quiet" }, "There is no other as good.") : button("Another as good", { class: "small", "data-key": "another", disabled: plan.busy, onclick: another })),
    h("h3", {}, "Is it?"),
    h("div", { class: "choices" },
      button("Good", { class: "good-button", onclick: () => judge(found.on, true) }),
      button("Bad", { class: "bad-button", onclick: () => judge(found.on, false) })),
    h("p", { class: "quiet" }, plan.thanks || "Or change it, and say which one is right."),
  ];
}

async function judge(on, good, instead = null) {
  if (await tell("judge", { situation: situation(), on, good, instead_of: instead })) {
    plan.thanks = "Noted; learning goes on with it.";
    say(plan.thanks);
    render();
  }
}

function ownAnswer() {
  const { why } = plan;
  const back = button("Back to the best plan", { class: "small", onclick: () => { Object.assign(plan, { own: null, why: null }); keep(); render(); } });
  if (!why) return [h("h2", {}, "Your plan"), h("p", { class: "quiet" }, "Looking…"), back];
  if (why.error) return [h("h2", {}, "Your plan"), h("p", { class: "problem", role: "alert" }, why.error), back];
  const cost = why.loss === null ? "" : why.loss > 0 ? `costs ${number(why.loss)} more than the best` : why.loss < 0 ? "" : "as good as the best";
  return [
    h("h2", {}, "Why not this?"),
    why.broken.length ? [h("p", { class: "bad" }, `It breaks ${plural(why.broken.length, "rule")}`), h("ul", { class: "broken" }, why.broken.map((each) => h("li", {}, each.words,
      each.where.length ? h("details", {}, h("summary", {}, "where"), h("ul", {}, each.where.map((words) => h("li", {}, words)))) : null)))]
      : h("p", { class: "good" }, "It breaks no rule."),
    cost && !why.broken.length ? h("p", { class: "value" }, cost) : null,
    why.fits ? null : h("p", { class: "problem" }, "It does not fit the situation that you set."),
    why.new && why.new.length ? [h("h3", {}, "What it gives up besides"), gave(why.new, "")] : null,
    h("div", { class: "choices" },
      button("This one", { class: "primary", disabled: !why.fits, onclick: () => judge([...plan.own], true, best() && best().status === "optimal" ? best().on : null) }), back),
    h("p", { class: "quiet" }, plan.thanks || "“This one” tells hassle that your plan is better; it learns from that."),
  ];
}
