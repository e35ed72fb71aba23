// One stream of events for all tabs: a browser allows only a few to one place, and ten tabs would wait for each other.

const PARTS = ["about", "columns", "layout", "rules", "run", "history", "questions"];
const ports = new Set();
const latest = {};

function pass(part, value) {
  latest[part] = { part, value };
  for (const port of ports) port.postMessage(latest[part]);
}

function begin() {
  const source = new EventSource("../events");
  for (const part of PARTS) source.addEventListener(part, (event) => pass(part, JSON.parse(event.data)));
  source.onopen = () => pass("connected", true);
  source.onerror = () => {
    pass("connected", false);
    if (source.readyState === EventSource.CLOSED) setTimeout(begin, 2000);
  };
}

onconnect = (event) => {
  const [port] = event.ports;
  port.onmessage = () => ports.delete(port);
  ports.add(port);
  for (const message of Object.values(latest)) port.postMessage(message);
};

begin();
