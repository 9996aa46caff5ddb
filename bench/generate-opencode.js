/**
 * Makes an OpenCode database from a seed: same arguments, same rows.
 *
 *   node bench/generate-opencode.js --out DIR [--size 1g] [--seed 1]
 *
 * DIR/opencode.db is a database as OpenCode 1.18 writes it (tables, indexes, documents; without its event log, which
 * nobody reads), DIR/expected.json the truth about its content. The size is that of the documents in `message` and
 * `part`.
 */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

import { DAYS, FIRST_DAY, PROJECTS, parseSize, spend } from "./generate.js";
import { Rng } from "./lib/rng.js";
import { MARK } from "./lib/sink.js";
import { Texts } from "./lib/text.js";
import { SourceTruth } from "./lib/truth.js";

/** Part of the cache key of the runner: raise it when the output for a seed changes. */
export const OPENCODE_VERSION = 1;

const KB = 1024;
const MB = 1024 * KB;
const CONTEXT_LIMIT = 200_000;
const MODELS = /** @type {const} */ ([
  ["anthropic", "claude-sonnet-4-5"],
  ["openai", "gpt-5.1-codex"],
  ["opencode", "glm-4.6"],
]);

const SCHEMA = `
CREATE TABLE project (id text PRIMARY KEY, worktree text NOT NULL, vcs text, name text, icon_url text,
  icon_url_override text, icon_color text, time_created integer NOT NULL, time_updated integer NOT NULL,
  time_initialized integer, sandboxes text NOT NULL, commands text);
CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, workspace_id text, parent_id text, slug text NOT NULL,
  directory text NOT NULL, path text, title text NOT NULL, version text NOT NULL, share_url text,
  summary_additions integer, summary_deletions integer, summary_files integer, summary_diffs text, metadata text,
  cost real DEFAULT 0 NOT NULL, tokens_input integer DEFAULT 0 NOT NULL, tokens_output integer DEFAULT 0 NOT NULL,
  tokens_reasoning integer DEFAULT 0 NOT NULL, tokens_cache_read integer DEFAULT 0 NOT NULL,
  tokens_cache_write integer DEFAULT 0 NOT NULL, revert text, permission text, agent text, model text,
  time_created integer NOT NULL, time_updated integer NOT NULL, time_compacting integer, time_archived integer);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL,
  time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL,
  time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE session_message (id text PRIMARY KEY, session_id text NOT NULL, type text NOT NULL, seq integer NOT NULL,
  time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE event_sequence (aggregate_id text PRIMARY KEY, seq integer NOT NULL, owner_id text);
CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
CREATE INDEX part_message_id_id_idx ON part (message_id, id);
CREATE INDEX part_session_idx ON part (session_id);
CREATE UNIQUE INDEX session_message_session_seq_idx ON session_message (session_id, seq);
CREATE INDEX session_parent_idx ON session (parent_id);
`;

/** @typedef {{ out: string, size: number, seed: number }} Options */

/** @param {Options} options */
export function generateOpenCode({ out, size, seed }) {
  mkdirSync(out, { recursive: true });
  if (readdirSync(out).length > 0) throw new Error(`${out} is not empty`);
  const store = new Store(join(out, "opencode.db"), new Rng(seed));
  while (store.truth.bytes < size) {
    const drawn = Math.min(Math.max(store.rng.logNormal(350 * KB, 1.45), 20 * KB), 40 * MB);
    writeSession(store, Math.min(drawn, Math.max(size / 8, 20 * KB)));
  }
  store.close();
  const { truth } = store;
  const expected = { generator: { version: OPENCODE_VERSION, size, seed }, sources: { opencode: truth } };
  writeFileSync(join(out, "expected.json"), `${JSON.stringify(expected, null, 2)}\n`);
  return expected;
}

/**
 * Changes a row as OpenCode does while it works: a new document replaces the old one of a part.
 * @param {string} path
 */
export function changeRow(path) {
  const db = openDatabase(path);
  db.exec(
    "UPDATE part SET time_updated = time_updated + 1, data = json_set(data, '$.state.title', 'changed') " +
      "WHERE id = (SELECT max(id) FROM part WHERE data ->> '$.type' = 'tool')",
  );
  db.close();
}

/** @param {string} path */
function openDatabase(path) {
  const { DatabaseSync } =
    process.getBuiltinModule?.("node:sqlite") ?? createRequire(import.meta.url)("@photostructure/sqlite");
  return new DatabaseSync(path);
}

/** The database, with the truth about its content. */
class Store {
  truth = new SourceTruth();
  #db;
  #session;
  #message;
  #part;
  #sequence;
  /** Makes ids of the same millisecond unique and increasing. */
  #counter = 0;

  /**
   * @param {string} path
   * @param {Rng} rng
   */
  constructor(path, rng) {
    this.rng = rng;
    this.texts = new Texts(rng);
    this.#db = openDatabase(path);
    this.#db.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -64000");
    this.#db.exec(SCHEMA);
    this.#db.exec("BEGIN");
    this.#session = this.#db.prepare(
      "INSERT INTO session (id, project_id, parent_id, slug, directory, title, version, permission, agent, model, time_created, time_updated) " +
        "VALUES (?, 'global', ?, 'quiet-river', ?, ?, '1.18.33', NULL, 'build', ?, ?, ?)",
    );
    this.#message = this.#db.prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?)");
    this.#part = this.#db.prepare("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)");
    this.#sequence = this.#db.prepare("INSERT INTO event_sequence VALUES (?, ?, NULL)");
  }

  /**
   * @param {string} prefix
   * @param {number} ms
   */
  id(prefix, ms) {
    this.#counter = (this.#counter + 1) % 4096;
    const time = (BigInt(ms) * 4096n + BigInt(this.#counter)).toString(16).slice(-12);
    return `${prefix}_${time}${this.rng.base62(14)}`;
  }

  /**
   * @param {{ id: string, parent: string | null, cwd: string, title: string, model: unknown, from: number, to: number,
   * rows: number }} session
   */
  session({ id, parent, cwd, title, model, from, to, rows }) {
    this.#session.run(id, parent, cwd, title, JSON.stringify(model), from, to);
    this.#sequence.run(id, rows * 2);
    this.truth.files += 1;
    this.truth.lines += rows + 1;
    this.truth.sessions[parent === null ? "root" : "subagent"] += 1;
  }

  /**
   * @param {string} session
   * @param {string} id
   * @param {number} ms
   * @param {unknown} data
   */
  message(session, id, ms, data) {
    this.#message.run(id, session, ms, ms, this.#text(data));
  }

  /**
   * @param {string} session
   * @param {string} message
   * @param {number} ms
   * @param {unknown} data
   * @param {import("./lib/text.js").Block} [block] text to put wherever the document says MARK
   */
  part(session, message, ms, data, block) {
    this.#part.run(this.id("prt", ms), message, session, ms, ms, this.#text(data, block));
  }

  close() {
    this.#db.exec("COMMIT");
    this.#db.close();
  }

  /**
   * @param {unknown} data
   * @param {import("./lib/text.js").Block} [block]
   */
  #text(data, block) {
    let text = JSON.stringify(data);
    if (block) text = text.replaceAll(MARK, () => block.pieces.join(""));
    this.truth.bytes += Buffer.byteLength(text);
    return text;
  }
}

/**
 * One conversation: prompts, and for each several assistant messages of one step, most of them a tool call.
 * @param {Store} store
 * @param {number} target bytes
 */
function writeSession(store, target) {
  const { rng, texts, truth } = store;
  const from = FIRST_DAY + rng.int(0, DAYS - 1) * 86_400_000 + rng.int(5 * 3600, 23 * 3600) * 1000 + rng.int(0, 999);
  const cwd = `/home/dev/src/${rng.pick(PROJECTS)}`;
  const [providerID, modelID] = rng.pick(MODELS);
  const id = store.id("ses", from);
  const state = { context: 9000, cached: 0 };
  const begun = truth.bytes;
  let now = from;
  let rows = 0;
  const wait = (/** @type {number} */ ms) => (now += Math.ceil(ms));
  /**
   * @param {string} message
   * @param {unknown} data
   * @param {import("./lib/text.js").Block} [block]
   */
  const part = (message, data, block) => {
    store.part(id, message, now, data, block);
    rows += 1;
    wait(rng.int(1, 12));
  };

  /**
   * @param {string} parentID
   * @param {boolean} last
   */
  const step = (parentID, last) => {
    const message = store.id("msg", now);
    const created = now;
    const { input, cached, output, reasoning } = spend(rng, state);
    const tokens = {
      total: input + output,
      input: input - cached,
      output: output - reasoning,
      reasoning,
      cache: { write: 0, read: cached },
    };
    const reason = last ? "stop" : "tool-calls";
    wait(rng.logNormal(3000, 0.8));
    part(message, { snapshot: rng.hex(40), type: "step-start" });
    if (rng.chance(0.7))
      part(message, { type: "reasoning", text: texts.say(rng, 2), time: { start: now, end: now + 9 } });
    if (last || rng.chance(0.4))
      part(message, { type: "text", text: texts.say(rng, last ? 4 : 1), time: { start: now, end: now + 9 } });
    const calls = last ? 0 : rng.chance(0.2) ? 2 : 1;
    for (let i = 0; i < calls; i += 1) {
      const { data, block, tokens: more } = toolPart(store, now, cwd);
      state.context += more;
      wait(data.state.time.end - now);
      part(message, data, block);
    }
    part(message, { reason, snapshot: rng.hex(40), type: "step-finish", tokens, cost: 0.0123 });
    store.message(id, message, created, {
      parentID,
      role: "assistant",
      mode: "build",
      agent: "build",
      path: { cwd, root: cwd },
      cost: 0.0123,
      tokens,
      modelID,
      providerID,
      time: { created, completed: now },
      finish: reason,
    });
    rows += 1;
    truth.response(now, modelID, { input: input - cached, cached, cacheWrite: 0, output, reasoning });
  };

  while (truth.bytes - begun < target) {
    const asked = store.id("msg", now);
    truth.prompt(false);
    store.message(id, asked, now, {
      role: "user",
      time: { created: now },
      agent: "build",
      model: { providerID, modelID },
      summary: { diffs: [] },
    });
    rows += 1;
    part(asked, { type: "text", text: texts.ask(rng) });
    const rounds = 1 + Math.floor(rng.logNormal(4, 0.8));
    for (let round = 0; round < rounds && (truth.bytes - begun < target || round === 0); round += 1) step(asked, false);
    step(asked, true);
    truth.turns.completed += 1;
    if (state.context > CONTEXT_LIMIT) Object.assign(state, { context: 20_000, cached: 0 });
    wait(rng.logNormal(120_000, 1.2));
  }
  const model = { id: modelID, providerID, variant: "default" };
  store.session({ id, parent: null, cwd, title: texts.say(rng, 1).slice(0, 60), model, from, to: now, rows });
}

/**
 * A finished tool call. Its document contains the output of a command twice: for the model and for the screen.
 * @param {Store} store
 * @param {number} start
 * @param {string} cwd
 */
function toolPart({ rng, texts, truth }, start, cwd) {
  const end = start + Math.ceil(rng.logNormal(300, 1.6));
  const callID = `call_${rng.base62(24)}`;
  const dice = rng.float();
  const path = `${cwd}/${texts.path(rng)}`;
  const time = { start, end };
  if (dice < 0.2) {
    const [oldString, newString] = [texts.code(rng, 4).join("\n"), texts.code(rng, 12).join("\n")];
    const metadata = { diff: `@@ -1,4 +1,12 @@\n-${oldString}\n+${newString}`, diagnostics: {} };
    const state = { status: "completed", input: { filePath: path, oldString, newString }, output: "", metadata, time };
    truth.tool("ok");
    return { data: { type: "tool", tool: "edit", callID, state }, tokens: 300 };
  }
  const block = texts.output(rng);
  const tokens = Math.min(block.tokens, 10_000);
  if (dice < 0.55) {
    const metadata = { preview: "", truncated: false };
    const state = { status: "completed", input: { filePath: path }, output: MARK, title: path, metadata, time };
    truth.tool("ok");
    return { data: { type: "tool", tool: "read", callID, state }, block, tokens };
  }
  const exit = rng.chance(0.08) ? 1 : 0;
  const command = texts.command(rng);
  const state = {
    status: "completed",
    input: { command, description: "Look at it" },
    output: MARK,
    metadata: { output: MARK, exit, truncated: false },
    title: command,
    time,
  };
  truth.tool(exit === 0 ? "ok" : "failed");
  return { data: { type: "tool", tool: "bash", callID, state }, block, tokens };
}

/** @param {string[]} argv */
function main(argv) {
  const { values } = parseArgs({
    args: argv,
    options: {
      out: { type: "string" },
      size: { type: "string", default: "1g" },
      seed: { type: "string", default: "1" },
    },
  });
  if (!values.out) throw new Error("--out DIR is missing");
  const { sources } = generateOpenCode({
    out: resolve(values.out),
    size: parseSize(values.size),
    seed: Number(values.seed),
  });
  const { files, bytes, lines, human_prompts: prompts, responses } = sources.opencode;
  console.log(`opencode: ${files} sessions, ${bytes} bytes, ${lines} rows, ${prompts} prompts, ${responses} responses`);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) main(process.argv.slice(2));
