// A reader for an agent that Daybook does not know, in one file: `import { talk } from "./source.mjs"`, then
// `registerSource(talk)` before the first question. The agent is invented: it writes one JSON line per message to
// ~/.talk/<session>.talk.jsonl, and the session's title to <session>.json beside it.
//
//   {"role":"user","id":"1","at":"2026-11-18T07:00:00Z","content":"List the files"}
//   {"role":"assistant","id":"2","at":…,"model":"m","content":[{"type":"tool_use","id":"c","name":"shell","input":{…}}],
//    "usage":{"in":120,"cached":100,"out":7}}
//   {"role":"tool","id":"3","at":…,"call":"c","text":"README.md","code":0}
//   {"role":"error","id":"4","at":…,"text":"the model is overloaded"}
import { basename, join } from "node:path";
import {
  blocksOf,
  fieldsByType,
  findLogs,
  freshChat,
  imagesIn,
  millis,
  num,
  obj,
  readChat,
  sniff,
  str,
  textOf,
  tokensIn,
  writeTool,
} from "agent-daybook/kit";

const SUFFIX = ".talk.jsonl";
const idOf = (path) => basename(path, SUFFIX);
const titleFile = (path) => `${idOf(path)}.json`;

/** Every rule by what it makes of a record. `daybook explain` prints its name, with the prefix: `talk.answer`. */
const CLASSES = {
  trigger: "prompt",
  session: "title",
  reaction: "answer error result",
  inherited: "copied",
  duplicate: "repeated",
  unknown: "unknown",
};

/** @type {import("agent-daybook/kit").Chat<import("agent-daybook/kit").ChatState, `talk.${string}`>} */
const TALK = {
  prefix: "talk",
  freshState: () => freshChat(),
  sessionId: idOf,
  native: (record) => str(record["role"]) ?? "(none)",
  time: (record) => millis(record["at"]),
  identity: (record) => str(record["id"]),
  fields: fieldsByType({ user: "content", assistant: "content model usage", tool: "call text code", error: "text" }, [
    "role",
    "id",
    "at",
  ]),
  classes: CLASSES,
  rules: {
    user: {
      rule: "talk.prompt",
      says: (say, { record: { content } }) => say.prompt(textOf(content), { attachments: imagesIn(content) }),
    },
    assistant: {
      rule: "talk.answer",
      says(say, { record }) {
        const blocks = blocksOf(record["content"]);
        say.reply(blocks, { model: str(record["model"]) });
        // This agent's turn is over when the model calls nothing.
        if (!blocks.some(({ type }) => type === "tool_use")) say.ends();
      },
    },
    tool: {
      rule: "talk.result",
      says: (say, { record: { call, text, code } }) =>
        say.result(str(call) ?? "", { text: str(text) ?? "", failed: null, exit: num(code) }),
    },
    error: { rule: "talk.error", says: (say, { record }) => say.fails(str(record["text"])) },
  },
  unknown: "talk.unknown",
  tools: { shell: ["shell"], writes: { save: { path: "path", does: "modified" } } },
  usage: (record) => ({
    tokens: tokensIn(obj(record["usage"]), { input: "in", output: "out", cached: "cached", inputHoldsCache: true }),
    model: str(record["model"]),
  }),
  repeated: "talk.repeated",
  inherited: "talk.copied",
  beside: [{ file: titleFile, rule: "talk.title", says: (say, { title }) => say.title(str(title), "agent") }],
};

/** Whether a file begins with a message of this agent. */
const recognise = (path) =>
  sniff(
    path,
    ({ role, at }) => typeof role === "string" && typeof at === "string",
    () => false,
  );

/** @type {import("agent-daybook/kit").Source} */
export const talk = {
  id: "talk",
  name: "Talk",
  capabilities: { retentionDays: null, globalIdentities: true },
  checked: { oldest: "1.0", newest: "1.0", releases: 1, marked: null },
  unknowable: ["How long a call took."],
  sessionId: ({ path }) => idOf(path),
  recognises: ({ path }) => recognise(path) === "yes",
  discover: (ctx) =>
    findLogs(ctx, {
      source: "talk",
      name: "Talk",
      home: join(ctx.home, ".talk"),
      stores: [],
      suffix: SUFFIX,
      recognise,
      beside: (path) => [join(path, "..", titleFile(path))],
    }),
  read: (ref, cursor, ctx) => readChat(TALK, ref, cursor, ctx),
  resume: (_ref, id) => ({ words: ["talk", "--resume", id] }),
  tools: { edits: { save: writeTool("path", "text") } },
};
