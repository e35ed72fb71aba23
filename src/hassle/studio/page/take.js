// What can be taken away.

import { download } from "./api.js";
import { parts } from "./app.js";
import { button, h } from "./dom.js";
import { currentPlan } from "./plan.js";

const WORDS = {
  ".wcnf": "any MaxSAT solver", ".opb": "pseudo-Boolean solvers", ".wbo": "weighted pseudo-Boolean solvers", ".cnf": "SAT solvers: the hard rules",
  ".dimacs": "SAT solvers: the hard rules", ".json": "hassle itself, with everything", ".mzn": "MiniZinc", ".lp": "MILP solvers", ".mps": "MILP solvers",
  ".py": "a Python program", ".csv": "spreadsheets", ".tsv": "tab-separated", ".jsonl": "JSON Lines", ".ndjson": "JSON Lines",
};

const link = (file, label, words) => h("li", {}, h("a", { href: `take/${file}`, download: "", "data-key": `take:${file}` }, label), h("span", { class: "quiet" }, words));

export function takeView() {
  const plan = currentPlan();
  const { model, examples } = parts.about.take;
  const list = (files) => files.map((file) => link(file, file, WORDS[file.slice(file.indexOf("."))] || ""));
  return [
    h("div", { class: "heading" }, h("h1", {}, "Take away")),
    h("div", { class: "cards" },
      h("section", { class: "card" }, h("h2", {}, "The plan"),
        plan ? h("p", { class: "choices" },
          button("CSV", { class: "primary", "data-key": "plan-csv", onclick: () => download("take/plan.csv", { on: plan }) }),
          button("Excel", { class: "primary", "data-key": "plan-xlsx", onclick: () => download("take/plan.xlsx", { on: plan }) }))
          : h("p", { class: "quiet" }, "Make one first: ", h("a", { href: "#/plan" }, "to the plan"))),
      h("section", { class: "card" }, h("h2", {}, "To read and to mail"), h("ul", { class: "files" },
        link("report.html", "The report", "rules, how sure they are, the figures: one page"),
        link("rules.txt", "The rules", "a line each; hassle learn --known reads them"),
        link("study.hassle", "The study", "everything; opens again here and in Python"))),
      h("section", { class: "card" }, h("h2", {}, "The model"), h("ul", { class: "files" }, list(model))),
      h("section", { class: "card" }, h("h2", {}, "The examples"), h("p", { class: "quiet" }, "With what you judged."), h("ul", { class: "files" }, list(examples)))),
  ];
}
