// The page as a whole: what is shown where, and the thin line that says how learning goes.

import { listen, send, tell } from "./api.js";
import { startView, dataView } from "./data.js";
import { button, h, hush, percent, plural, say, show, toast } from "./dom.js";
import { historyView } from "./history.js";
import { planView } from "./plan.js";
import { questionsView } from "./questions.js";
import { rulesView } from "./rules.js";
import { takeView } from "./take.js";

const VIEWS = {
  data: ["Data", dataView], rules: ["Rules", rulesView], plan: ["Plan", planView], questions: ["Questions", questionsView],
  history: ["History", historyView], take: ["Take away", takeView],
};

export const parts = { connected: true };
export const page = { sending: undefined, problem: "" };
const header = document.getElementById("header");
const main = document.getElementById("main");

const opened = () => Boolean(parts.about && parts.about.name);
const wanted = () => (VIEWS[location.hash.slice(2)] ? location.hash.slice(2) : "data");

export function go(view) {
  if (wanted() === view && location.hash) render();
  else location.hash = `#/${view}`;
}

export async function openFile(file) {
  if (!file) return;
  page.problem = "";
  hush();  // what was wrong with another file is not said of this one
  page.sending = 0;
  go("data");  // now, as the person may be elsewhere by the time the answer is there
  render();
  try {
    await send(file, (share) => { page.sending = share; render(); });
  } catch (error) {
    page.problem = error.message;
    say(error.message);
    if (opened()) toast(error.message);
  }
  page.sending = undefined;
  render();
}

function statusLine() {
  const { run, rules } = parts;
  if (!opened() || !run) return null;
  const count = rules ? rules.rules.length : 0;
  if (run.error) return h("div", { class: "status bad", role: "status" }, h("p", {}, run.error));
  if (!run.running) return null;
  const whole = run.seconds + (run.left || 0);
  const newest = count ? rules.rules[count - 1].words : "";
  return h("div", { class: "status" },
    h("div", { class: "line", role: "progressbar", "aria-label": "Learning", "aria-valuemin": 0, "aria-valuemax": 100,
      "aria-valuenow": Math.round(whole ? (100 * run.seconds) / whole : 0) },
    h("span", { "width%": whole ? (100 * run.seconds) / whole : 0 })),
    h("p", { id: "learning" }, h("span", { class: "dot" }), run.stopping ? "Stopping…" : "Learning",
      count ? `: ${plural(count, "rule")} so far` : `: ${run.note || "looking at the examples"}`),
    newest && wanted() === "data" ? h("p", { class: "newest" }, `“${newest}”`) : null,
    wanted() === "data" && count ? h("a", { class: "button small", href: "#/rules" }, "See the rules") : null,
    button("Stop", { class: "small", disabled: Boolean(run.stopping), onclick: () => tell("stop") }));
}

function drawHeader() {
  const { about, history } = parts;
  const name = about && about.name;
  show(header,
    h("div", { class: "bar" },
      h("a", { class: "brand", href: "#/data", "aria-label": "hassle studio" }, h("span", { class: "logo" }), "hassle", h("b", {}, "studio")),
      name ? h("p", { class: "file", title: about.path || "" }, h("strong", {}, name),
        h("span", { class: about.trouble ? "bad" : "quiet" }, about.trouble ? `not saved: ${about.trouble}` : "saved")) : null,
      name ? h("div", { class: "tools" },
        button("Undo", { class: "quiet-button", disabled: !history || history.at < 2, onclick: undo }),
        button("Redo", { class: "quiet-button", disabled: !history || history.at >= history.steps.length, onclick: redo })) : null),
    name ? h("nav", { "aria-label": "Steps" }, Object.entries(VIEWS).map(([key, [label]]) =>
      h("a", { href: `#/${key}`, "data-key": `nav:${key}`, "aria-current": key === wanted() ? "page" : null }, label,
        key === "rules" && parts.rules && parts.rules.rules.length
          ? h("span", { class: "count" }, parts.rules.rules.length) : null))) : null,
    parts.connected ? null : h("div", { class: "status bad", role: "alert" },
      h("p", {}, "The studio has ended, or cannot be reached. Your study is saved; start again with: hassle studio")),
    statusLine());
}

const undo = () => parts.history && parts.history.at > 1 && tell("go", { at: parts.history.at - 1 });
const redo = () => parts.history && parts.history.at < parts.history.steps.length && tell("go", { at: parts.history.at + 1 });

export function render() {
  if (["about", "columns", "layout", "rules", "run", "history"].some((part) => parts[part] === undefined)) return;
  drawHeader();
  document.title = opened() ? `${parts.about.name} · hassle studio` : "hassle studio";
  const view = opened() ? `view-${wanted()}` : "view-start";
  if (main.className !== view) main.replaceChildren();  // nothing of one view lives on in another
  main.className = view;
  if (!opened() || page.sending !== undefined) show(main, startView());
  else show(main, VIEWS[wanted()][1]());
}

let told = "";
function tellAloud(part) {
  if (part !== "rules" && part !== "run") return;
  const { run, rules } = parts;
  if (!run || !rules) return;
  const text = run.running ? `Learning: ${plural(rules.rules.length, "rule")} so far`
    : rules.rules.length ? `${plural(rules.rules.length, "rule")}${rules.share === null ? "" : `, ${percent(rules.share)} explained`}` : "";
  if (text && text !== told) say(told = text);
}

listen((part, value) => {
  parts[part] = value;
  tellAloud(part);
  render();
});

addEventListener("hashchange", () => {
  render();
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
});

addEventListener("keydown", (event) => {
  const typing = event.target.closest && event.target.closest("input, textarea, select");
  if ((event.ctrlKey || event.metaKey) && event.key === "z" && !typing) {
    event.preventDefault();
    if (event.shiftKey) redo(); else undo();
  }
});

const over = document.getElementById("over");
addEventListener("dragover", (event) => { event.preventDefault(); over.hidden = false; });
addEventListener("dragleave", (event) => { if (!event.relatedTarget) over.hidden = true; });
addEventListener("drop", (event) => {
  event.preventDefault();
  over.hidden = true;
  openFile(event.dataTransfer.files[0]);
});
