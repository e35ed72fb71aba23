// A plan to look at, or to change by clicks: the same table or list everywhere.

import { parts } from "./app.js";
import { h } from "./dom.js";

// Which items hold after one was clicked: of a choice exactly one does.
export function clicked(on, item) {
  const next = new Set(on);
  const group = parts.layout.groups.find((each) => each.includes(item));
  if (group) for (const each of group) next.delete(each);
  if (!group && next.has(item)) next.delete(item); else next.add(item);
  return next;
}

// `differs` are items to point at; with `click` the marks are buttons.
export function board(on, { label, differs = new Set(), fixed = new Set(), out = new Set(), click } = {}) {
  const { table, others } = parts.layout;
  const mark = (item, text, name) => {
    const kind = `mark${on.has(item) ? " on" : ""}${differs.has(item) ? " differs" : ""}${fixed.has(item) ? " fixed" : ""}${out.has(item) ? " out" : ""}`;
    return click ? h("button", { type: "button", class: kind, "aria-pressed": on.has(item), "aria-label": name, "data-key": `board:${item}`, onclick: () => click(item) }, text)
      : on.has(item) || differs.has(item) || out.has(item) ? h("span", { class: kind }, text) : null;
  };
  return h("div", { class: "scroll" },
    table ? h("table", { class: "plan", "aria-label": label }, h("thead", {}, h("tr", {}, h("td", {}), table.columns.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, table.rows.map((row, r) => h("tr", {}, h("th", { scope: "row" }, row),
        table.columns.map((column, c) => h("td", {}, table.cells[r][c].map(([item, text]) => mark(item, text || (on.has(item) ? "●" : "○"), [row, column, text].filter(Boolean).join(", "))))))))) : null,
    others.length ? h("table", { class: "list", "aria-label": table ? "Other decisions" : label }, h("tbody", {}, others.map((column) => h("tr", {},
      h("th", { scope: "row" }, column.name), h("td", {}, column.items.map(([item, value]) => mark(item, value, `${column.name} ${value}`))))))) : null);
}
