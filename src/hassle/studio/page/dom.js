// Building the page. Texts only ever become text nodes: nothing that a file calls itself is read as HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, props, children) {
  for (const [key, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || (value === false && !key.startsWith("aria-"))) continue;
    if (key.startsWith("on")) hear(node, key.slice(2), value);
    else if (key === "value" || key === "checked" || key === "disabled" || key === "selected") node[key] = value;
    else if (key === "width%") node.style.width = `${value}%`;
    else node.setAttribute(key, value === true && !key.startsWith("aria-") ? "" : String(value));
  }
  for (const child of children.flat(4)) {
    if (child === undefined || child === null || child === false || child === "") continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

// One listener for each kind of event, so that a node that stays can be given another handler.
function hear(node, kind, handler) {
  if (!node.handlers) node.handlers = {};
  if (!(kind in node.handlers)) node.addEventListener(kind, (event) => node.handlers[kind]?.(event));
  node.handlers[kind] = handler;
}

export const h = (tag, props, ...children) => fill(document.createElement(tag), props, children);
export const s = (tag, props, ...children) => fill(document.createElementNS(SVG, tag), props, children);

// Puts new content in a place. What is there already stays, and only what differs is changed: while news arrive, somebody
// may be pressing a button, choosing from a list or scrolling a table, and none of that outlives an exchange of nodes.
export function show(place, ...nodes) {
  const active = place.contains(document.activeElement) ? document.activeElement : null;
  const key = active && active.getAttribute("data-key");
  arrange(place, nodes.flat(4).filter(Boolean));
  if (key && !active.isConnected) place.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}

// What a node is called among its neighbours: what it says itself, or its kind, with a number where there are several.
function namesOf(nodes) {
  const seen = new Map();
  return nodes.map((node) => {
    const said = (attribute) => (node.nodeType === 1 && node.getAttribute(attribute)) || "";
    const kind = ["P", "DIV"].includes(node.nodeName) ? said("class").split(" ")[0] : node.nodeName === "SECTION" ? said("aria-label") : "";
    const name = said("data-key") || said("data-rule") || said("id") || `${node.nodeName} ${kind}`;
    seen.set(name, (seen.get(name) || 0) + 1);
    return `${name} ${seen.get(name)}`;
  });
}

function arrange(place, wanted) {
  const there = [...place.childNodes];
  const names = namesOf(wanted);
  const old = new Map(namesOf(there).map((name, i) => [name, there[i]]));
  const kept = wanted.map((node, i) => {
    const before = old.get(names[i]);
    return before && before.nodeName === node.nodeName && before.type === node.type ? before : null;
  });
  const staying = new Set(kept);
  for (const node of there) if (!staying.has(node)) node.remove();
  let next = place.firstChild;
  wanted.forEach((node, i) => {
    if (kept[i] && kept[i] === next) next = next.nextSibling;
    else place.insertBefore(kept[i] || node, next);
    if (kept[i]) become(kept[i], node);
  });
}

function become(node, wanted) {
  if (node.nodeType !== 1) {
    if (node.data !== wanted.data) node.data = wanted.data;
    return;
  }
  // What is open stays open. A policy without inline styles forbids the attribute, and allows the property.
  const own = (name) => name === "style" || (name === "open" && node.nodeName === "DETAILS");
  for (const { name } of [...node.attributes]) if (!own(name) && !wanted.hasAttribute(name)) node.removeAttribute(name);
  for (const { name, value } of wanted.attributes) if (!own(name) && node.getAttribute(name) !== value) node.setAttribute(name, value);
  if (node.style.width !== wanted.style.width) node.style.width = wanted.style.width;
  for (const kind of Object.keys({ ...node.handlers, ...wanted.handlers })) hear(node, kind, wanted.handlers?.[kind]);
  arrange(node, [...wanted.childNodes]);
  if (node.nodeName === "INPUT" && node.checked !== wanted.checked) node.checked = wanted.checked;
  const typing = node.nodeName === "INPUT" && (node === document.activeElement || node.type === "file");
  if (["INPUT", "SELECT"].includes(node.nodeName) && !typing && node.value !== wanted.value) node.value = wanted.value;
}

export const button = (label, props = {}, ...more) =>
  h("button", { type: "button", "data-key": props["data-key"] || `button:${label}`, ...props }, label, ...more);

export const plural = (n, one, many = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
export const percent = (share) => `${Math.round(100 * share)} %`;

// Says something to those who listen rather than look.
export function say(text) {
  document.getElementById("says").textContent = text;
}

let hiding;
export function hush() {
  document.getElementById("toast").hidden = true;
}

export function toast(text) {
  const box = document.getElementById("toast");
  clearTimeout(hiding);
  box.replaceChildren(h("p", {}, text), button("Close", { class: "quiet-button", onclick: () => { box.hidden = true; } }));
  box.hidden = false;
  hiding = setTimeout(() => { box.hidden = true; }, 12000);
}
