// Asks the server. The token stands in the fragment, which no server and no other page ever sees.
const fragment = new URLSearchParams(location.hash.slice(1));
const token = fragment.get("token") ?? "";
const base = `${location.pathname.replace(/\/+$/, "")}/api`;

class Refused extends Error {
  constructor(answer) { super(answer.why ?? answer.title ?? "the server gave no reason"); this.answer = answer; }
}

async function ask(path, body) {
  const response = await fetch(`${base}/${path}`, {
    method: body === undefined ? "GET" : "POST", body, cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer",
    headers: { Authorization: `Bearer ${token}`, ...body === undefined ? {} : { "Content-Type": "application/json" } },
  });
  const text = await response.text();
  let answer = {};
  try { answer = JSON.parse(text); } catch { answer = { why: text || response.statusText }; }
  if (!response.ok) throw new Refused({ status: response.status, ...answer });
  return answer;
}

const named = (...parts) => parts.map(encodeURIComponent).join("/");

// Server-sent events, read with `fetch` for the header's sake: `EventSource` sends none. It goes on behind the last number
// that has come, for as long as nobody stops it.
async function listen(path, after, { told, isLive, signal }) {
  let last = after, pause = 300;
  while (!signal.aborted) {
    try {
      const response = await fetch(`${base}/${path}`, {
        cache: "no-store", credentials: "omit", signal,
        headers: { Authorization: `Bearer ${token}`, "Last-Event-ID": String(last) },
      });
      if (!response.ok) throw new Error(`${response.status}`);
      isLive(true);
      pause = 300;
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        const events = (rest + value).split("\n\n");
        rest = events.pop();
        for (const event of events) {
          let data = "", id;
          for (const line of event.split("\n")) {
            if (line.startsWith("id: ")) id = Number(line.slice(4));
            else if (line.startsWith("data: ")) data += line.slice(6);
          }
          if (id !== undefined) last = id;
          if (data && id !== undefined) told(JSON.parse(data), id);
        }
      }
    } catch { /* it is tried again */ }
    if (signal.aborted) return;
    isLive(false);
    await new Promise(go => setTimeout(go, pause));
    pause = Math.min(5000, pause * 2);
  }
}
