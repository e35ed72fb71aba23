// The first step: a file, and what was recognised in it.

import { openFile, page, parts, go } from "./app.js";
import { tell } from "./api.js";
import { button, h, percent, plural } from "./dom.js";

const KINDS = [["yes-or-no", "yes or no"], ["choice", "a choice"], ["number", "a number"]];
const ROLES = [["decided", "decided"], ["given", "given"], ["ignored", "left out"], ["label", "says good or bad"]];
const FEW = 24;
const open = { all: false };

export function startView() {
  if (page.sending !== undefined) {
    const known = typeof page.sending === "number" && page.sending < 1;
    return h("section", { class: "drop", "aria-busy": "true" },
      h("h1", {}, known ? "Taking the file in" : "Reading the file"),
      h("progress", known ? { max: 1, value: page.sending, "aria-label": "Taking the file in" } : { "aria-label": "Reading the file" }),
      h("p", { class: "quiet" }, known ? percent(page.sending) : "Large tables take a few seconds."));
  }
  return h("section", { class: "drop" },
    h("h1", {}, "Drop a table of past plans"),
    h("p", { class: "lead" }, "CSV or Excel, one row per plan: a column for each decision, and one that says which plans were good."),
    page.problem ? h("p", { class: "problem", role: "alert" }, page.problem) : null,
    h("p", { class: "choices" }, fileButton("Choose a file", "primary"),
      button("Try the example ward", { onclick: () => { go("data"); tell("ward"); } })),
    sketch(),
    h("p", { class: "quiet small-text" }, "Everything stays on this machine. A study you saved before (.hassle) opens here too."));
}

// What such a table looks like, for those who have none at hand.
function sketch() {
  const rows = [["ana_mon", "ana_tue", "ben_mon", "ben_tue", "label"], ["early", "off", "night", "off", "good"], ["off", "night", "early", "early", "bad"]];
  return h("table", { class: "sketch", "aria-label": "An example of such a table" },
    h("thead", {}, h("tr", {}, rows[0].map((cell) => h("th", {}, cell)))),
    h("tbody", {}, rows.slice(1).map((row) => h("tr", {}, row.map((cell) => h("td", {}, cell))))));
}

function fileButton(label, kind) {
  return h("label", { class: `button ${kind}` }, label,
    h("input", { type: "file", class: "hidden-text", "data-key": `file:${label}`, accept: ".csv,.tsv,.txt,.xlsx,.jsonl,.ndjson,.hassle",
      onchange: (event) => {
        const [file] = event.target.files;
        event.target.value = "";  // or the same file could not be chosen again, once it was corrected
        openFile(file);
      } }));
}

export function dataView() {
  const found = parts.columns;
  if (!found) return startView();
  return [
    h("div", { class: "heading" }, h("h1", {}, "What is in the file"), fileButton("Open another", "small")),
    summary(found),
    found.problem ? h("div", { class: "problem", role: "alert" },
      h("p", {}, found.line ? `Line ${found.line}: ` : "", found.problem), remedies(found)) : null,
    found.warnings.map((warning) => h("p", { class: "warning" }, warning)),
    columnsTable(found),
  ];
}

function summary(found) {
  const facts = [plural(found.rows, "row")];
  if (found.good !== null) facts.push(`${found.good.toLocaleString("en")} good, ${found.bad.toLocaleString("en")} bad`);
  if (found.compared) facts.push(plural(found.compared, "comparison"));
  if (found.contexts !== null && found.contexts > 1) facts.push(plural(found.contexts, "situation"));
  const shape = found.dimensions.map((each) => `${each.members.length} ${each.members.length === 1 ? each.name : each.names}${each.ordered ? ", in order" : ""}`);
  return h("div", { class: "facts" },
    found.sheets.length > 1 ? h("p", {}, select("sheet", "The sheet", found.sheets.map((name) => [name, `Sheet ${name}`]), found.sheet || found.sheets[0],
      (event) => tell("sheet", { name: event.target.value }))) : null,
    h("p", {}, facts.join(" · ")),
    found.dimensions.length ? h("ul", { class: "dimensions", "aria-label": "Dimensions" }, found.dimensions.map((each, i) =>
      h("li", {}, h("strong", {}, shape[i]), h("span", { class: "quiet" }, short(each.members)),
        each.attributes.length ? h("span", { class: "quiet" }, ` with ${each.attributes.join(", ")}`) : null))) : null);
}

const short = (names) => ` ${names.slice(0, 7).join(", ")}${names.length > 7 ? ", …" : ""}`;

function remedies(found) {
  const label = !found.columns.some((each) => each.role === "label");
  return h("p", { class: "choices" },
    label ? button("Every row is a good plan", { class: "small", onclick: () => tell("column", { name: "*", role: "label" }) }) : null,
    /empty/.test(found.problem) && !found.skip_gaps
      ? button("Leave out rows with empty cells", { class: "small", onclick: () => tell("gaps", { skip: true }) }) : null,
    found.columns.filter((each) => each.problem).slice(0, 1).map((each) =>
      button(`Leave out ${each.name}`, { class: "small", onclick: () => tell("column", { name: each.name, role: "ignored" }) })));
}

function columnsTable(found) {
  const many = found.columns.length > FEW;
  const first = found.columns.filter((each) => each.problem || each.role !== "decided");
  const rest = found.columns.filter((each) => !first.includes(each));
  const ordered = [...first, ...rest];
  const shown = many && !open.all ? ordered.slice(0, Math.max(first.length, FEW / 2)) : ordered;
  return h("section", { "aria-label": "Columns" },
    h("div", { class: "scroll" }, h("table", { class: "columns" },
      h("thead", {}, h("tr", {}, ["Column", "What it is", "Its part", "Values", "First rows"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, shown.map((each) => columnRow(each, found))))),
    many ? h("p", {}, button(open.all ? "Show fewer" : `Show all ${found.columns.length} columns`, { class: "small", "data-key": "all-columns",
      onclick: () => { open.all = !open.all; go("data"); } })) : null);
}

function columnRow(column, found) {
  const change = (event) => tell("column", { name: column.name, role: event.target.value });
  const decided = column.role === "decided" || column.role === "given";
  const fixed = found.fixed || column.role === "context";
  return h("tr", { class: `${column.role}${column.problem ? " broken" : ""}` },
    h("th", { scope: "row", title: column.name }, column.name),
    h("td", {}, decided && !fixed
      ? select(`kind:${column.name}`, `What ${column.name} is`, column.kind ? KINDS : [["", "not clear"], ...KINDS], column.kind || "", change)
      : (KINDS.find(([kind]) => kind === column.kind) || ["", ""])[1]),
    h("td", {}, column.role === "context" ? "the situation"
      : select(`role:${column.name}`, `The part of ${column.name}`, found.fixed ? ROLES.slice(0, 2) : ROLES, column.role, change)),
    h("td", { class: "quiet" }, column.problem
      ? h("span", { class: "bad" }, column.line ? `line ${column.line}: ` : "", column.problem)
      : column.values.length ? column.values.join(", ") : column.why),
    h("td", { class: "sample" }, column.sample.slice(0, 4).map((cell, i) =>
      h("span", { class: column.line && found.lines[i] === column.line ? "cell wrong" : "cell" }, cell || "–"))));
}

function select(key, label, options, value, onchange) {
  return h("select", { "data-key": key, "aria-label": label, onchange },
    options.map(([each, words]) => h("option", { value: each, selected: each === value }, words)));
}
