// Building the page. Texts only ever become text nodes: nothing that a file calls itself is read as HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, props, children) {
  for (const [key, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || (value === false && !key.startsWith("aria-"))) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
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

export const h = (tag, props, ...children) => fill(document.createElement(tag), props, children);
export const s = (tag, props, ...children) => fill(document.createElementNS(SVG, tag), props, children);

// Puts new content in a place without taking away the focus, or what is being typed.
export function show(place, ...nodes) {
  const active = document.activeElement;
  const key = place.contains(active) ? active.getAttribute("data-key") : null;
  const typed = key && "selectionStart" in active && active.tagName !== "BUTTON"
    ? [active.selectionStart, active.selectionEnd, active.value] : null;
  place.replaceChildren(...nodes.flat(4).filter(Boolean));
  if (!key) return;
  const again = place.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (!again) return;
  again.focus({ preventScroll: true });
  if (typed) {
    again.value = typed[2];
    try { again.setSelectionRange(typed[0], typed[1]); } catch { /* not a text field */ }
  }
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
export function toast(text) {
  const box = document.getElementById("toast");
  clearTimeout(hiding);
  box.replaceChildren(h("p", {}, text), button("Close", { class: "quiet-button", onclick: () => { box.hidden = true; } }));
  box.hidden = false;
  hiding = setTimeout(() => { box.hidden = true; }, 12000);
}
