// Questions, one keystroke each: a person's knowledge in a few minutes.

import { ask, tell } from "./api.js";
import { parts, render } from "./app.js";
import { board, clicked } from "./boards.js";
import { button, h, say } from "./dom.js";

const asked = { question: null, busy: false, problem: "", own: null, about: "" };

async function put(action, body = {}) {
  asked.busy = true;
  render();
  try {
    asked.question = await ask(action, body);
    asked.problem = "";
    asked.own = null;
    say(asked.question.words || "No more questions");
  } catch (error) {
    asked.problem = error.message;
  }
  asked.busy = false;
  render();
}

const answer = (value) => put("answer", { question: asked.question.id, value, on: asked.own && value === "changed" ? [...asked.own] : null });

export function questionsView() {
  if (!parts.layout) return h("p", { class: "empty" }, "There is nothing to ask about yet. ", h("a", { href: "#/data" }, "To the data"));
  if (asked.about !== parts.about.path) Object.assign(asked, { question: null, problem: "", about: parts.about.path });
  return [h("div", { class: "heading" }, h("h1", {}, "What hassle would like to know"), learnOn()), body()];
}

function learnOn() {
  const { rules, run } = parts;
  if (!rules || !rules.judgements || run.running) return null;
  return button("Learn from the answers", { "data-key": "learn-on", onclick: () => tell("learn") });
}

function body() {
  const { question } = asked;
  if (asked.problem) return [h("p", { class: "problem", role: "alert" }, asked.problem), button("Try again", { onclick: () => put("ask") })];
  if (asked.busy) return h("p", { class: "empty" }, h("span", { class: "dot" }), "Thinking of a question that teaches much…");
  if (!question) {
    return h("div", { class: "drop small-drop" }, h("p", { class: "lead" }, "A few answers can teach more than many rows: hassle asks what it is least sure of, in situations like yours."),
      button("Ask me", { class: "primary", onclick: () => put("ask") }));
  }
  if (question.done) {
    return h("p", { class: "empty" }, question.done === "sure" ? `No more questions: ${question.expected}` : "That is enough for now.", " ", button("Ask anyway", { class: "small", onclick: () => put("ask") }));
  }
  return card(question);
}

function card(question) {
  const names = Object.keys(question.shown);
  const [first, second] = names.map((name) => new Set(question.shown[name]));
  const differs = second ? new Set([...first, ...second].filter((item) => first.has(item) !== second.has(item))) : new Set();
  const marks = { fixed: new Set(question.yes), out: new Set(question.no) };
  const changing = question.kind === "change";
  const own = asked.own || first;
  return h("section", { class: "question", "aria-label": `Question ${question.number}` },
    h("p", { class: "words" }, h("span", { class: "count" }, question.number), " ", question.words),
    h("div", { class: second ? "pair" : "" },
      second ? [["A", first], ["B", second]].map(([name, on]) => h("div", {}, h("h2", {}, name), board(on, { ...marks, label: `Plan ${name}`, differs: new Set([...differs].filter((item) => on.has(item))) })))
        : board(own, { ...marks, label: "The plan", click: changing ? (item) => { asked.own = clicked(own, item); render(); } : undefined,
          differs: changing ? new Set([...own, ...first].filter((item) => own.has(item) !== first.has(item))) : differs })),
    h("div", { class: "choices answers" }, Object.entries(question.answers).filter(([value]) => value !== "changed" || asked.own).map(([value, words], i) =>
      h("button", { type: "button", "data-key": `answer:${value}`, "data-answer": value, onclick: () => answer(value) }, h("kbd", {}, i + 1), ` ${words}`))));
}

addEventListener("keydown", (event) => {
  if (location.hash !== "#/questions" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
  const buttons = document.querySelectorAll("[data-answer]");
  const place = Number(event.key) - 1;
  if (buttons[place] && !asked.busy) {
    event.preventDefault();
    buttons[place].click();
  }
});
