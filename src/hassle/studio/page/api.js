// Speaking with the studio: requests as JSON, and one stream of events for all tabs of this browser.

import { toast } from "./dom.js";

export class Refused extends Error {}

async function answer(response) {
  const said = await response.json().catch(() => ({ said: "The studio did not answer; is it still running?" }));
  if (!response.ok) throw new Refused(said.said || said.error || "That did not work.");
  return said;
}

// Does something; what goes wrong is returned as an error of one line.
export async function ask(action, body = {}) {
  let response;
  try {
    response = await fetch(`do/${action}`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    });
  } catch {
    throw new Refused("The studio cannot be reached; start it again with: hassle studio");
  }
  return answer(response);
}

// The same where nothing but the error is of interest; true if it was done.
export async function tell(action, body = {}) {
  try {
    await ask(action, body);
    return true;
  } catch (error) {
    toast(error.message);
    return false;
  }
}

// Sends a file, telling how far it is (null: it has arrived and is being read).
export function send(file, progress) {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open("POST", `open?name=${encodeURIComponent(file.name)}`);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.onprogress = (event) => progress(event.lengthComputable ? event.loaded / event.total : null);
    request.upload.onload = () => progress(null);
    request.onload = () => {
      if (request.status === 200) return done();
      let said;
      try { said = JSON.parse(request.responseText).said; } catch { said = request.responseText; }
      return failed(new Refused(said || "The file could not be read."));
    };
    request.onerror = () => failed(new Refused("The file could not be sent; is the studio still running?"));
    request.send(file);
  });
}

// Fetches a file that is made of what is on the page, and hands it to the browser as a download.
export async function download(path, body) {
  const response = await fetch(path, { method: "POST", body: JSON.stringify(body) });
  if (!response.ok) return toast((await response.json()).said);
  const name = /filename\*=UTF-8''([^;]+)/.exec(response.headers.get("Content-Disposition"));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = decodeURIComponent(name ? name[1] : "plan");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// A browser allows few open streams to one place, so that all tabs share one through a worker.
export function listen(heard) {
  if (typeof SharedWorker === "function") {
    const worker = new SharedWorker("page/events.js");
    worker.port.onmessage = (message) => heard(message.data.part, message.data.value);
    worker.port.start();
    addEventListener("pagehide", () => worker.port.postMessage("bye"));
    return;
  }
  const source = new EventSource("events");
  for (const part of ["about", "columns", "layout", "rules", "run", "history", "questions"]) {
    source.addEventListener(part, (event) => heard(part, JSON.parse(event.data)));
  }
  source.onopen = () => heard("connected", true);
  source.onerror = () => heard("connected", false);
}
