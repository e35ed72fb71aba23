// The second step: rules as they are found, what speaks for each, and what a person says about them.

import { ask, tell } from "./api.js";
import { parts, render } from "./app.js";
import { button, h, percent, plural, s } from "./dom.js";

const opened = { rule: null, details: null, editing: false, text: "", error: "" };
const writing = { text: "", error: "" };

export function rulesView() {
  const { rules, run } = parts;
  if (!rules) return h("p", { class: "empty" }, "There are no rules yet: the file needs a look first. ", h("a", { href: "#/data" }, "To the data"));
  const hard = rules.rules.filter((rule) => rule.hard);
  const soft = rules.rules.filter((rule) => !rule.hard).sort((a, b) => b.share - a.share);
  return [
    h("div", { class: "heading" }, h("h1", {}, "What good plans have in common"), controls(run, rules)),
    figures(rules, run),
    strayEdit(rules),
    rules.rules.length ? null : h("p", { class: "empty" }, run.running ? "The first rules appear in a moment." : "No rules yet. Start learning, or write one yourself."),
    section("Must hold", "Plans that break one of these were never good.", hard),
    section("Wishes", "Good plans keep these where they can; the heavier, the more.", soft),
    writeBox(),
    rules.forbidden.length ? h("section", { "aria-label": "Forbidden rules" }, h("h2", {}, "Forbidden"),
      h("ul", { class: "rules" }, rules.forbidden.map((each, place) => h("li", { class: "rule forbidden" },
        h("p", { class: "sentence" }, each.words),
        button("Allow again", { class: "small", "data-key": `allow:${each.text}`, onclick: () => tell("allow", { place }) }))))) : null,
    rules.notes.length ? h("details", { class: "notes" }, h("summary", {}, "How this was learned"),
      h("ul", {}, rules.notes.map((note) => h("li", {}, note)))) : null,
  ];
}

function controls(run, rules) {
  if (run.running) return button("Stop", { "data-key": "stop-here", disabled: Boolean(run.stopping), onclick: () => tell("stop") });
  return button(rules.rules.length ? "Continue learning" : "Learn", { class: "primary", "data-key": "learn", onclick: () => tell("learn", { more: true }) });
}

function figures(rules, run) {
  const curve = run.curve || [];
  const share = run.running && curve.length ? curve[curve.length - 1][1] : rules.share;
  return h("div", { class: "figures" },
    h("p", { class: "figure" }, h("b", {}, share === null || share === undefined ? "–" : percent(share)), h("span", {}, "explained")),
    h("p", { class: "figure" }, h("b", {}, rules.rules.length), h("span", {}, "rules")),
    rules.judgements ? h("p", { class: "figure" }, h("b", {}, rules.judgements), h("span", {}, "judged by you")) : null,
    curve.length > 1 ? drawCurve(curve) : null,
    !run.running && run.note ? h("p", { class: "quiet" }, run.note) : null);
}

function drawCurve(points) {
  const width = 220, height = 56, last = points[points.length - 1][0] || 1;
  const place = ([x, y]) => `${((width - 6) * x) / last + 3},${height - 4 - (height - 8) * y}`;
  const label = `What is explained, over ${Math.round(last)} seconds: ${points.map((each) => percent(each[1])).slice(-6).join(", ")}`;
  return s("svg", { class: "curve", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label },
    s("line", { x1: 3, x2: width - 3, y1: 4, y2: 4, class: "whole" }),
    s("polyline", { points: points.map(place).join(" ") }),
    s("circle", { cx: place(points[points.length - 1]).split(",")[0], cy: place(points[points.length - 1]).split(",")[1], r: 3 }));
}

function section(title, words, rules) {
  if (!rules.length) return null;
  return h("section", { "aria-label": title }, h("h2", {}, title, h("span", { class: "count" }, rules.length)),
    h("p", { class: "quiet" }, words), h("ul", { class: "rules" }, rules.map(ruleRow)));
}

function ruleRow(rule) {
  const open = opened.rule === rule.id;
  const sure = rule.votes_for + rule.votes_against ? percent(rule.confidence) : "not tested";
  return h("li", { class: `rule${open ? " open" : ""}${rule.pinned ? " pinned" : ""}`, "data-rule": rule.id },
    h("button", { type: "button", class: "row", "data-key": `open:${rule.id}`, "aria-expanded": open, onclick: () => toggle(rule) },
      h("span", { class: "weight", title: rule.hard ? "must hold" : `weight ${rule.weight}` },
        rule.hard ? h("span", { class: "must" }, "must")
          : [h("span", { class: "track" }, h("span", { class: "fill", "width%": 100 * rule.share })), h("span", { class: "number" }, rule.weight)]),
      h("span", { class: "sentence" }, rule.words, rule.pinned ? h("span", { class: "pin" }, "pinned") : null),
      h("span", { class: `sure${rule.confidence < 0.8 ? " doubtful" : ""}`, title: "how sure the examples make us" }, sure,
        h("span", { class: "hidden-text" }, " sure"))),
    open ? panel(rule) : null);
}

function toggle(rule) {
  const same = opened.rule === rule.id;
  Object.assign(opened, { rule: same ? null : rule.id, details: null, editing: false, error: "" });
  render();
  if (!same) lookUp(rule);
}

const figuresOf = (rule) => [rule.good, rule.good_keep, rule.bad, rule.bad_break].join();

async function lookUp(rule) {
  opened.figures = figuresOf(rule);
  try {
    const details = await ask("details", { rule: rule.id });
    if (opened.rule === rule.id) opened.details = details;
  } catch (error) {
    if (opened.rule === rule.id) opened.error = error.message;
  }
  render();
}

function panel(rule) {
  if (opened.details && opened.figures !== figuresOf(rule)) lookUp(rule);  // there are more examples than before
  const act = (action, text = "") => async () => { if (await tell("rule", { rule: rule.id, action, text })) { opened.editing = false; render(); } };
  return h("div", { class: "panel" },
    h("div", { class: "choices" },
      rule.pinned ? button("Let go", { class: "small", onclick: act("unpin") }) : button("Pin", { class: "small", onclick: act("pin") }),
      rule.hard ? button("Make it a wish", { class: "small", onclick: act("soft") }) : button("Make it a must", { class: "small", onclick: act("hard") }),
      button("Edit", { class: "small", onclick: () => { Object.assign(opened, { editing: true, text: rule.line, error: "" }); render(); focusOn("edit"); } }),
      button("Forbid", { class: "small danger", onclick: act("forbid") })),
    opened.editing ? editBox(rule) : null,
    opened.error ? h("p", { class: "problem", role: "alert" }, opened.error) : null,
    opened.details ? detailsOf(rule, opened.details) : h("p", { class: "quiet" }, "Looking it up…"));
}

// The rule that somebody is changing may be gone when they are done: the learner found another in its place.
function strayEdit(rules) {
  if (!opened.editing || rules.rules.some((rule) => rule.id === opened.rule)) return null;
  return h("section", { class: "card", "aria-label": "The rule you are changing" },
    h("p", { class: "quiet" }, "The search has let go of this rule meanwhile. What you save stays all the same."), editBox(null),
    opened.error ? h("p", { class: "problem", role: "alert" }, opened.error) : null);
}

const focusOn = (key) => document.querySelector(`[data-key="${key}"]`)?.focus();

function editBox(rule) {
  return h("form", { class: "write", onsubmit: async (event) => {
    event.preventDefault();
    try {
      await (rule ? ask("rule", { rule: rule.id, action: "edit", text: opened.text }) : ask("write", { text: opened.text }));
      Object.assign(opened, { rule: null, editing: false, error: "" });
    } catch (error) { opened.error = error.message; }
    render();
  } },
  h("label", { for: "edit" }, "The rule, in words that hassle reads"),
  h("input", { id: "edit", "data-key": "edit", value: opened.text, spellcheck: "false", autocomplete: "off",
    oninput: (event) => { opened.text = event.target.value; } }),
  h("div", { class: "choices" }, h("button", { class: "small primary", "data-key": "save-edit" }, "Save"),
    button("Cancel", { class: "small", onclick: () => { opened.editing = false; opened.error = ""; render(); } })));
}

function detailsOf(rule, found) {
  return h("div", { class: "details" },
    h("dl", {},
      h("div", {}, h("dt", {}, "Good plans that keep it"), h("dd", {}, `${rule.good_keep} of ${rule.good}`)),
      h("div", {}, h("dt", {}, "Bad plans that break it"), h("dd", {}, `${rule.bad_break} of ${rule.bad}`)),
      h("div", {}, h("dt", {}, "Situations for it, against it"), h("dd", {}, `${rule.votes_for}, ${rule.votes_against}`)),
      h("div", {}, h("dt", {}, "Good plans where it binds"), h("dd", {}, `${found.binds} of ${found.good}`))),
    h("div", { class: "lists" },
      examples("What speaks for it", found.support, found.supports, "No bad plan breaks it."),
      examples("What speaks against it", found.against, found.againsts, "No good plan breaks it."),
      h("div", {}, h("h3", {}, "What it forbids"), h("ul", {}, found.forbids.map((words) => h("li", {}, words))),
        found.instances > found.forbids.length ? h("p", { class: "quiet" }, `and ${found.instances - found.forbids.length} more like these`) : null)));
}

function examples(title, shown, count, none) {
  return h("div", {}, h("h3", {}, title),
    shown.length ? h("ul", {}, shown.map((each) => h("li", {}, h("span", { class: each.good ? "good" : "bad" }, each.good ? "good" : "bad"), ` ${each.where}: ${each.what}`)))
      : h("p", { class: "quiet" }, none),
    count > shown.length ? h("p", { class: "quiet" }, `and ${plural(count - shown.length, "more", "more")}`) : null);
}

function writeBox() {
  const known = parts.rules.rules.find((rule) => /for every/.test(rule.line)) || parts.rules.rules[0];
  return h("section", { "aria-label": "A rule of your own" }, h("h2", {}, "Something you know"),
    h("form", { class: "write", onsubmit: async (event) => {
      event.preventDefault();
      try {
        await ask("write", { text: writing.text });
        Object.assign(writing, { text: "", error: "" });
        const field = document.getElementById("new-rule");
        if (field) field.value = "";
      } catch (error) { writing.error = error.message; }
      render();
    } },
    h("label", { for: "new-rule" }, "Write “must” or a weight, then the rule; learning goes on with it"),
    h("div", { class: "line-box" },
      h("input", { id: "new-rule", "data-key": "new-rule", value: writing.text, spellcheck: "false", autocomplete: "off",
        placeholder: known ? known.line : "must a | b", "aria-describedby": writing.error ? "write-problem" : null,
        oninput: (event) => { writing.text = event.target.value; } }),
      h("button", { "data-key": "write" }, "Add")),
    writing.error ? h("p", { id: "write-problem", class: "problem", role: "alert" }, writing.error) : null));
}
