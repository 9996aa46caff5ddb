// A model that follows scripts, over the three APIs that agents use, and keeps what it served: the truth that the agents'
// stores are compared with.
import { createServer } from "node:http";
import { gunzipSync } from "node:zlib";
import { callOf, offeredOf } from "./tools.js";

/** Names the script of a request, and which run of it: `[script#7]`. The last one in the user's texts counts. */
const TAG = /\[([a-z-]+)#(\d+)\]/g;
/** What an agent asks on its own account, to shorten a conversation. */
const SUMMARY = /(detailed|concise) summary|summarize (the|this|our) conversation|CONTEXT CHECKPOINT COMPACTION/i;

/**
 * Listens on the loopback interface. `scripts` maps names to steps: `{ think?, say?, calls?, usage?, error?, hang?, slow? }`.
 * `served` lists every answer: `{ script, run, step, isAside, usage, calls }`, where `usage` is null if the answer was an error
 * or never ended. `whenServed(tag)` resolves when the first answer to that tag is under way.
 */
export async function scriptedAgents(scripts) {
  const served = [];
  const waiting = new Map();
  const failed = new Map();
  const listening = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const path = new URL(request.url ?? "/", "http://x").pathname;
    const api = Object.entries(APIS).find(([end]) => path.endsWith(end))?.[1];
    if (!api || body === null) return json(response, path.endsWith("/models") ? 200 : 404, MODELS);
    const seen = api.seen(body);
    const step = { ...stepOf(seen, scripts), n: served.length + 1 };
    const entry = { script: step.script, run: step.run, step: step.at, isAside: step.isAside, usage: null, calls: [] };
    served.push(entry);
    waiting.get(`${step.script}#${step.run}`)?.();
    const key = `${step.script}#${step.run}.${step.at}`;
    const times = failed.get(key) ?? 0;
    if (step.error && times < (step.error.times ?? Infinity)) {
      failed.set(key, times + 1);
      return json(response, step.error.status, {
        type: "error",
        error: { type: "api_error", message: step.error.says },
      });
    }
    if (step.slow) await new Promise((done) => setTimeout(done, step.slow));
    const offered = offeredOf(api.tools(body));
    const calls = (step.calls ?? []).map((call, i) => ({
      id: idOf(step, i),
      ...callOf(call, offered, seen, markOf(step, i)),
    }));
    entry.calls = (step.calls ?? []).map(({ ends }, i) => ({ mark: markOf(step, i), ends })).filter(({ ends }) => ends);
    const usage = step.usage ?? usageOf(step.n);
    const events = api.events({ ...step, calls, usage, model: body.model });
    response.writeHead(200, { "content-type": "text/event-stream" });
    const cut = step.hang ? Math.ceil(events.length / 2) : events.length;
    for (const one of events.slice(0, step.hang === "before" ? 0 : cut)) response.write(frame(one));
    entry.usage = step.hang ? (api.begun?.(usage) ?? null) : usage;
    // It is the agent that gives up, or is ended.
    if (step.hang) return;
    response.end(api.end);
  });
  await new Promise((resolve) => void listening.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${listening.address().port}`,
    served,
    whenServed: (tag) => new Promise((resolve) => void waiting.set(tag, resolve)),
    close: () => listening.closeAllConnections() ?? listening.close(),
  };
}

/** In no answer twice, so that a response that is counted twice or left out shows in every sum. */
function usageOf(n) {
  return { input: 1000 + n * 7, cached: 100 + n, output: 40 + n, reasoning: n % 6 };
}

/** A word that only this call contains. */
export function markOf({ script, run, at }, i) {
  return `mark_${script.replaceAll("-", "_")}_${run}_${at}_${i}`;
}

/** Carries the step, because agents repeat the ids of calls but not always the texts before them. */
function idOf({ script, run, at }, i) {
  return `call_${script}Z${run}Z${at}Z${i}`;
}

/** Where the conversation stands: the last script that a user's text names, and the first step without a call yet. */
function stepOf({ turns, tools }, scripts) {
  const last = turns.findLast(({ role, text }) => role === "user" && text !== "");
  if (last && SUMMARY.test(last.text) && [...last.text.slice(-200).matchAll(TAG)].length === 0)
    return { script: "summary", run: "0", at: 0, isAside: true, say: "<summary>Some steps were done.</summary>" };
  for (let i = turns.length - 1; i >= 0; i--) {
    const [script, run] = turns[i].role === "user" ? ([...turns[i].text.matchAll(TAG)].at(-1)?.slice(1) ?? []) : [];
    const steps = script === undefined ? undefined : scripts[script];
    if (steps === undefined || run === undefined) continue;
    const done = turns.slice(i + 1).flatMap(({ ids }) => ids ?? []);
    const at = 1 + Math.max(-1, ...done.map((id) => stepOfId(id, script, run)));
    const isAside = tools === 0;
    return { script, run, at, isAside, ...(isAside ? { say: "A title" } : (steps[at] ?? { say: "Nothing further." })) };
  }
  return { script: "none", run: "0", at: 0, isAside: true, say: "A title" };
}

function stepOfId(id, script, run) {
  const [, of, at] = new RegExp(`call_${script}Z(\\d+)Z(\\d+)Z`).exec(id) ?? [];
  return of === run ? Number(at) : -1;
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  try {
    return JSON.parse((request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString());
  } catch {
    return null;
  }
}

const MODELS = {
  object: "list",
  data: [{ id: "scripted", object: "model", created: 1, owned_by: "nobody" }],
  input_tokens: 1,
};

function json(response, status, value) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

function frame(one) {
  return `${one.type ? `event: ${one.type}\n` : ""}data: ${JSON.stringify(one)}\n\n`;
}

const textsOf = (content) =>
  typeof content === "string" ? content : (content ?? []).map(({ text }) => text ?? "").join("\n");

const messages = {
  end: "",
  /** What its first event states. */
  begun: ({ input, cached }) => ({ input, cached, output: 1 }),
  tools: ({ tools }) => tools ?? [],
  seen({ messages: all, system, tools }) {
    const turns = all.flatMap(({ role, content }) => {
      const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
      const text = textsOf(blocks.filter(({ type }) => type === "text"));
      return [{ role, text, ids: blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id) }];
    });
    return { turns, tools: tools?.length ?? 0, about: textsOf(system) + turns.map(({ text }) => text).join("\n") };
  },
  events({ say, think, calls, usage: { input, cached, output }, model, n }) {
    const usage = {
      input_tokens: input,
      cache_read_input_tokens: cached,
      cache_creation_input_tokens: 10 + n,
      output_tokens: output,
    };
    const blocks = [
      ...(think
        ? [
            [
              { type: "thinking", thinking: "", signature: "" },
              { type: "thinking_delta", thinking: think },
            ],
          ]
        : []),
      ...(say
        ? [
            [
              { type: "text", text: "" },
              { type: "text_delta", text: say },
            ],
          ]
        : []),
      ...calls.map(({ id, name, input: given }) => [
        { type: "tool_use", id: `toolu_${id}`, name, input: {} },
        { type: "input_json_delta", partial_json: JSON.stringify(given) },
      ]),
    ];
    const message = { id: `msg_${n}_${Date.now()}`, type: "message", role: "assistant", model, content: [] };
    const stop = { stop_reason: calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null };
    return [
      {
        type: "message_start",
        message: { ...message, stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 1 } },
      },
      ...blocks.flatMap(([content_block, delta], index) => [
        { type: "content_block_start", index, content_block },
        { type: "content_block_delta", index, delta },
        { type: "content_block_stop", index },
      ]),
      { type: "message_delta", delta: stop, usage },
      { type: "message_stop" },
    ];
  },
};

const responses = {
  end: "",
  tools: ({ tools, input }) => [
    ...(tools ?? []),
    ...input.flatMap((item) => (item.type === "additional_tools" ? item.tools : [])),
  ],
  seen({ input, instructions, tools }) {
    const turns = input.flatMap((item) => {
      if (item.role) return [{ role: item.role, text: textsOf(item.content) }];
      // What a sub-agent is asked to do, and what it answers.
      if (item.type === "agent_message") return [{ role: "user", text: JSON.stringify(item.content) }];
      if (item.type?.endsWith("_call")) return [{ role: "assistant", text: "", ids: [item.call_id] }];
      return [{ role: "tool", text: JSON.stringify(item.output ?? "") }];
    });
    return {
      turns,
      tools: (tools?.length ?? 0) + input.length,
      about: `${instructions}${turns.map(({ text }) => text).join("\n")}`,
    };
  },
  events({ say, think, calls, usage: { input, cached, output, reasoning }, n }) {
    const id = `resp_${n}_${Date.now()}`;
    const summary = [{ type: "summary_text", text: think }];
    const items = [
      ...(think ? [{ type: "reasoning", id: `rs_${n}`, summary, encrypted_content: "none" }] : []),
      ...(say
        ? [
            {
              type: "message",
              id: `msg_${n}`,
              role: "assistant",
              content: [{ type: "output_text", text: say, annotations: [] }],
            },
          ]
        : []),
      ...calls.map((call) =>
        call.code === undefined
          ? {
              type: "function_call",
              id: `fc_${n}_${call.id}`,
              call_id: call.id,
              name: call.name,
              ...call.space,
              arguments: JSON.stringify(call.input),
            }
          : {
              type: "custom_tool_call",
              id: `ctc_${n}_${call.id}`,
              call_id: call.id,
              name: call.name,
              input: call.code,
            },
      ),
    ];
    const usage = {
      input_tokens: input + cached,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: reasoning },
      total_tokens: input + cached + output,
    };
    return [
      { type: "response.created", response: { id } },
      ...items.flatMap((item, output_index) => [
        { type: "response.output_item.added", output_index, item },
        { type: "response.output_item.done", output_index, item },
      ]),
      { type: "response.completed", response: { id, usage } },
    ];
  },
};

const chat = {
  end: "data: [DONE]\n\n",
  tools: ({ tools }) => (tools ?? []).map((one) => one.function),
  seen({ messages: all, tools }) {
    const turns = all.map(({ role, content, tool_calls }) => ({
      role,
      text: textsOf(content),
      ids: (tool_calls ?? []).map(({ id }) => id),
    }));
    return { turns, tools: tools?.length ?? 0, about: turns.map(({ text }) => text).join("\n") };
  },
  events({ say, calls, usage: { input, cached, output, reasoning }, model, n }) {
    const chunk = (delta, finish_reason, more = {}) => ({
      id: `chat_${n}`,
      object: "chat.completion.chunk",
      created: 1,
      model,
      ...more,
      choices: [{ index: 0, delta, finish_reason }],
    });
    const usage = {
      prompt_tokens: input + cached,
      prompt_tokens_details: { cached_tokens: cached },
      completion_tokens: output,
      completion_tokens_details: { reasoning_tokens: reasoning },
      total_tokens: input + cached + output,
    };
    const tool_calls = calls.map(({ id, name, input: given }, index) => ({
      index,
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(given) },
    }));
    return [
      chunk({ role: "assistant", content: say ?? "" }, null),
      ...(tool_calls.length > 0 ? [chunk({ tool_calls }, null)] : []),
      chunk({}, calls.length > 0 ? "tool_calls" : "stop", { usage }),
    ];
  },
};

const APIS = { "/messages": messages, "/responses": responses, "/chat/completions": chat };
