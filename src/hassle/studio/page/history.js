// Every step, with a way back and a note.

import { tell } from "./api.js";
import { parts } from "./app.js";
import { button, h } from "./dom.js";

const when = (text) => new Date(text).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });

export function historyView() {
  const { steps, at } = parts.history;
  return [
    h("div", { class: "heading" }, h("h1", {}, "What was done")),
    h("p", { class: "quiet" }, parts.about.path ? `Saved as it grows, in ${parts.about.path}` : ""),
    h("ol", { class: "history" }, steps.map((step, i) => h("li", { class: i + 1 === at ? "now" : i + 1 > at ? "undone" : "", "aria-current": i + 1 === at ? "step" : null },
      h("div", { class: "step" }, h("p", {}, step.said), h("time", { class: "quiet", datetime: step.when }, when(step.when)),
        i + 1 === at ? h("span", { class: "count" }, "now")
          : button(i + 1 < at ? "Back to here" : "Forward to here", { class: "small", "data-key": `go:${i}`, onclick: () => tell("go", { at: i + 1 }) })),
      h("input", { class: "note", "data-key": `note:${i}`, value: step.note, placeholder: "A note", "aria-label": `Note on step ${i + 1}`, maxlength: 4000,
        onchange: (event) => tell("note", { place: i + 1, text: event.target.value }) })))),
  ];
}
