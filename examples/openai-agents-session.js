// Sessions of @openai/agents kept in Daybook's log: pass one as `session` to `run`. Items are returned exactly as they
// were added, also after a crash and in a fork, and `daybook report --root log=DIR` reads them as turns, calls and
// tokens.
import { openSession, sessionRecords } from "agent-daybook";

export class DaybookSession {
  #log;
  #items = [];
  #turn = null;

  constructor(dir, id, options = {}) {
    const meta = { source: "openai-agents", cwd: process.cwd(), ...options.meta };
    this.#log = openSession(dir, id, { ...options, meta });
    const { turns } = this.#log.state;
    const gone = new Set(turns.filter(({ taken_back }) => taken_back).map(({ turn_id }) => turn_id));
    this.#turn = turns.at(-1)?.turn_id ?? null;
    for (const { item, turn_id, native_type } of sessionRecords(dir, id)) {
      if (native_type === "popped") this.#items.pop();
      else if (item && !gone.has(turn_id)) this.#items.push({ item, turn: turn_id });
    }
  }

  getSessionId() {
    return Promise.resolve(this.#log.id);
  }

  getItems(limit) {
    const items = this.#items.map(({ item }) => item);
    return Promise.resolve(limit === undefined ? items : items.slice(Math.max(0, items.length - limit)));
  }

  addItems(items) {
    for (const item of items) {
      if (item.role === "user") this.#turn = `turn-${this.#log.nextSeq}`;
      this.#log.append(this.#turn, { ...recordOf(item), item });
      this.#items.push({ item, turn: this.#turn });
    }
    return Promise.resolve();
  }

  popItem() {
    const last = this.#items.pop();
    if (last?.item.role === "user") this.#log.rewind(last.turn);
    else if (last) this.#log.append(null, { type: "unknown", native_type: "popped" });
    return Promise.resolve(last?.item);
  }

  clearSession() {
    const first = this.#items.find(({ turn }) => turn !== null);
    if (first) this.#log.rewind(first.turn);
    this.#items = [];
    return Promise.resolve();
  }

  /** Records the usage of a run from its result: the SDK does not pass it to sessions. */
  spent({ rawResponses }, model) {
    for (const { responseId, usage } of rawResponses) {
      const cached = usage.inputTokensDetails?.[0]?.cached_tokens ?? 0;
      const tokens = { input: usage.inputTokens - cached, cached_input: cached, output: usage.outputTokens };
      const body = { type: "assistant_finished", text: "", message_id: responseId, model, usage: tokens };
      this.#log.append(this.#turn, { ...body, turn_ended: true });
    }
  }

  /** A new session that continues from here independently. */
  fork(id) {
    this.#log.fork(id).close();
    return new DaybookSession(this.#log.dir, id);
  }

  close() {
    this.#log.close();
  }
}

function recordOf(item) {
  switch (item.type ?? "message") {
    case "message":
      return item.role === "user"
        ? { type: "user", text: textOf(item.content), entry: "sdk" }
        : { type: "assistant_finished", text: textOf(item.content) };
    case "reasoning":
      return { type: "reasoning_finished", text: textOf(item.content) };
    case "function_call":
      return { type: "tool_started", call_id: item.callId, name: item.name, input: inputOf(item.arguments) };
    case "function_call_result": {
      const status = item.status === "completed" ? "ok" : "failed";
      return { type: "tool_finished", call_id: item.callId, status, output: textOf(item.output) };
    }
    default:
      return { type: "unknown", native_type: item.type };
  }
}

function textOf(content) {
  if (typeof content === "string") return content;
  return [content]
    .flat()
    .flatMap((part) => part?.text ?? [])
    .join("\n");
}

function inputOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
