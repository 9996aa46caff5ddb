/**
 * Makes a corpus of sessions from a seed: same arguments, same bytes.
 *
 *   node bench/generate.js --out DIR [--size 1g] [--seed 1] [--shape mixed|words|small|single|hugeline]
 *                          [--source codex|claude-code] [--count 10000]
 *
 * DIR/codex is a CODEX_HOME, DIR/claude a CLAUDE_CONFIG_DIR, DIR/expected.json the truth about their content.
 */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

import { ClaudeSession, slug } from "./lib/claude.js";
import { CodexSession, rolloutPath } from "./lib/codex.js";
import { Rng } from "./lib/rng.js";
import { FileSink } from "./lib/sink.js";
import { Texts, WordyTexts } from "./lib/text.js";
import { SourceTruth } from "./lib/truth.js";

/** Part of the cache key of the runner: raise it when the output for a seed changes. */
export const GENERATOR_VERSION = 1;

const KB = 1024;
const MB = 1024 * KB;
export const DAYS = 60;
export const FIRST_DAY = Date.UTC(2026, 2, 1);
const CONTEXT_LIMIT = 200_000;
export const PROJECTS = [
  "ledger",
  "atlas-web",
  "ingest",
  "mobile-app",
  "docs.site",
  "infra",
  "pricing-api",
  "playground",
];
const CODEX_MODELS = ["gpt-5.1-codex", "gpt-5.5", "gpt-5.1-codex-mini"];
const CLAUDE_MODELS = ["claude-sonnet-4-5-20250929", "claude-opus-4-5-20251101", "claude-haiku-4-5-20251001"];
const VERSIONS = /** @type {const} */ (["2.0.76", "2.1.119", "2.1.119", "2.1.325"]);

/**
 * @typedef {"mixed" | "words" | "small" | "single" | "hugeline"} Shape
 * @typedef {"codex" | "claude-code"} Source
 * @typedef {{ out: string, size: number, seed: number, shape: Shape, source: Source, count: number }} Options
 * @typedef {{ hugeLine?: number, alone?: boolean }} SessionOptions
 *   `hugeLine`: bytes of one line among the others; `alone`: no subagent files beside the session
 * @typedef {{ out: string, rng: Rng, texts: Texts, truth: Record<Source, SourceTruth>, small: boolean }} Context
 */

/**
 * @param {string} text such as 500m or 1.5g
 * @returns {number} bytes
 */
export function parseSize(text) {
  const match = /^(\d+(?:\.\d+)?)([kmg]?)b?$/i.exec(text);
  if (!match) throw new Error(`not a size: ${text} (use 20m, 1g …)`);
  return Math.round(Number(match[1]) * { "": 1, k: KB, m: MB, g: 1024 * MB }[match[2].toLowerCase()]);
}

/** @param {Options} options */
export function generate(options) {
  const { out, seed, shape, size, source, count } = options;
  mkdirSync(out, { recursive: true });
  if (readdirSync(out).length > 0) throw new Error(`${out} is not empty`);
  const rng = new Rng(seed);
  /** @type {Context} */
  const context = {
    out,
    rng,
    texts: shape === "words" ? new WordyTexts(rng) : new Texts(rng),
    truth: { codex: new SourceTruth(), "claude-code": new SourceTruth() },
    small: shape === "small",
  };
  const { truth } = context;
  const write = { codex: codexSession, "claude-code": claudeSession };

  if (shape === "single") write[source](context, size, { alone: true });
  else if (shape === "hugeline") write[source](context, 200 * KB, { alone: true, hugeLine: size });
  else if (shape === "small") {
    for (let i = 0; i < count; i += 1) write[i % 2 === 0 ? "codex" : "claude-code"](context, rng.int(2, 24) * KB, {});
  } else {
    // Whichever source is behind writes next, so both end with about half of the bytes.
    for (;;) {
      const behind = truth.codex.bytes <= truth["claude-code"].bytes ? "codex" : "claude-code";
      const left = size - truth.codex.bytes - truth["claude-code"].bytes;
      if (left <= 20 * KB) break;
      const drawn = Math.min(Math.max(rng.logNormal(350 * KB, 1.45), 20 * KB), 40 * MB);
      // No single file may tip the balance of a small corpus.
      write[behind](context, Math.min(drawn, Math.max(left / 2, 20 * KB), Math.max(size / 8, 20 * KB)), {});
    }
  }

  const sources = Object.fromEntries(Object.entries(truth).filter(([, t]) => t.files > 0));
  const expected = { generator: { version: GENERATOR_VERSION, shape, size, seed }, sources };
  writeFileSync(join(out, "expected.json"), `${JSON.stringify(expected, null, 2)}\n`);
  return expected;
}

/** @param {Context} context */
function place({ rng, texts, small }) {
  const name = rng.pick(PROJECTS);
  return {
    startMs: FIRST_DAY + rng.int(0, DAYS - 1) * 86_400_000 + rng.int(5 * 3600, 23 * 3600) * 1000 + rng.int(0, 999),
    cwd: `/home/dev/src/${name}`,
    branch: rng.chance(0.6) ? "main" : `feature/${rng.hex(6)}`,
    commit: rng.hex(40),
    remote: rng.chance(0.8) ? `git@github.com:example-org/${name}.git` : undefined,
    // Real headers carry 25 to 85 KB of instructions before the first prompt.
    boilerplate: texts.code(rng, small ? 3 : 120).join("\n"),
  };
}

/**
 * Tokens of the next response: the context so far, most of it from the cache.
 * @param {Rng} rng
 * @param {{ context: number, cached: number }} state
 */
export function spend(rng, state) {
  const output = Math.min(12_000, Math.ceil(rng.logNormal(260, 1.1)));
  const input = state.context;
  const cached = rng.chance(0.06) ? 0 : Math.min(input, Math.floor(state.cached / 128) * 128);
  state.cached = input;
  state.context += output;
  return { input, cached, output, reasoning: Math.floor(output * rng.float() * 0.7) };
}

/**
 * @param {Context} context
 * @param {number} target bytes
 * @param {SessionOptions} options
 */
function codexSession(context, target, { hugeLine = 0 }) {
  const { rng, texts, out } = context;
  const { boilerplate, ...where } = place(context);
  const id = rng.uuid7(where.startMs);
  const session = new CodexSession({
    sink: new FileSink(join(out, "codex", rolloutPath(where.startMs, id))),
    rng,
    truth: context.truth.codex,
    id,
    // The paginated dialect writes every output twice, but there must be only one huge line.
    dialect: rng.chance(0.5) || hugeLine > 0 ? "legacy" : "paginated",
    ...where,
    model: rng.pick(CODEX_MODELS),
    instructions: `You are Codex, a coding agent. You and the user share one workspace.\n${boilerplate}`,
    developer: `<permissions instructions>\nFilesystem sandboxing defines which files can be read or written.\n${boilerplate.slice(0, 2000)}\n</permissions instructions>`,
    ...(rng.chance(0.5) && { agentsMd: "Run `npm test` before you answer.\nWrite plain English." }),
  });
  const state = { context: 9000, cached: 0 };
  const killed = rng.chance(0.03);
  let huge = hugeLine;

  for (;;) {
    session.begin(texts.ask(rng));
    state.context += 200;
    const rounds = 1 + Math.floor(rng.logNormal(4, 0.8));
    const stopAt = rng.chance(0.04) ? rng.int(0, rounds - 1) : -1;
    let aborted = false;
    for (let round = 0; round < rounds && !aborted && (session.bytes < target || round === 0); round += 1) {
      session.wait(rng.logNormal(3000, 0.8));
      const made = session.respond({
        ...(rng.chance(0.7) && { reasoning: `**Thinking about it**\n\n${texts.say(rng, 2)}` }),
        ...(rng.chance(0.4) && { text: texts.say(rng, 1) }),
        calls: Array.from({ length: rng.chance(0.2) ? 2 : 1 }, () => codexCall(context)),
        usage: spend(rng, state),
      });
      aborted = round === stopAt;
      for (const call of made) {
        const isHuge = huge > 0 && call.kind === "exec";
        const block = isHuge ? texts.huge(rng, huge) : outputOf(context);
        if (isHuge) huge = 0;
        state.context += call.kind === "exec" ? Math.min(block.tokens, 10_000) : 300;
        session.settle(call, aborted ? stopped(rng) : codexOutcome(rng, call, block));
      }
      session.settled({ again: rng.chance(0.3) });
      if (aborted) session.abort();
      else if (rng.chance(0.003)) session.steer(texts.ask(rng));
      if (!aborted && state.context > CONTEXT_LIMIT) {
        session.compact(texts.say(rng, 12), spend(rng, state), 20_000);
        Object.assign(state, { context: 20_000, cached: 0 });
      }
    }
    const full = session.bytes >= target && huge === 0;
    if (full && killed && !aborted) {
      const usage = spend(rng, state);
      const [call] = session.respond({ calls: [{ kind: "exec", cmd: texts.command(rng) }], usage, killed: true });
      session.settle(call, { status: "pending" });
      return session.close({ open: true });
    }
    if (!aborted) {
      session.respond({ text: texts.say(rng, rng.int(2, 6)), usage: spend(rng, state) });
      session.settled({ again: rng.chance(0.3) });
      session.complete();
    }
    if (full) return session.close();
    session.wait(rng.logNormal(120_000, 1.2));
  }
}

/** @param {Context} context */
const outputOf = ({ rng, texts, small }) => (small ? texts.shortOutput(rng) : texts.output(rng));

/**
 * @param {Rng} rng
 * @returns {import("./lib/codex.js").Outcome}
 */
const stopped = (rng) => ({ status: "interrupted", ms: rng.int(2000, 40_000) });

/**
 * @param {Context} context
 * @returns {import("./lib/codex.js").CallSpec}
 */
function codexCall({ rng, texts }) {
  const dice = rng.float();
  if (dice < 0.82) return { kind: "exec", cmd: texts.command(rng) };
  if (dice < 0.86) {
    return { kind: "plan", steps: [{ step: texts.say(rng, 1), status: "in_progress" }] };
  }
  const path = texts.path(rng);
  const lines = texts.code(rng, rng.int(3, 40));
  const body = lines.map((line) => `+${line}`).join("\n");
  const patch = `*** Begin Patch\n*** Update File: ${path}\n@@\n-${lines[0]}\n${body}\n*** End Patch`;
  return { kind: "patch", path, patch, diff: `@@ -1 +1,${lines.length} @@\n-${lines[0]}\n${body}\n` };
}

/**
 * @param {Rng} rng
 * @param {import("./lib/codex.js").Call} call
 * @param {import("./lib/text.js").Block} block
 * @returns {import("./lib/codex.js").Outcome}
 */
function codexOutcome(rng, call, block) {
  const ms = rng.logNormal(300, 1.6);
  if (call.kind === "plan") return { status: "ok", ms: 5 };
  if (call.kind === "patch") return rng.chance(0.05) ? { status: "failed" } : { status: "ok", ms: 20 };
  const exitCode = rng.chance(0.08) ? rng.pick([1, 1, 1, 2, 127]) : 0;
  return { status: exitCode === 0 ? "ok" : "failed", exitCode, ms, block };
}

/**
 * @param {Context} context
 * @param {number} target bytes, subagents not included
 * @param {SessionOptions} options
 */
function claudeSession(context, target, { hugeLine = 0, alone = false }) {
  const { rng, texts, out } = context;
  const { boilerplate, startMs, cwd, branch } = place(context);
  const id = rng.uuid4();
  const folder = join(out, "claude", "projects", slug(cwd));
  // 2.1.325 also copies every output into a request record, but there must be only one huge line.
  const version = hugeLine > 0 ? "2.1.119" : rng.pick(VERSIONS);
  const session = new ClaudeSession({
    sink: new FileSink(join(folder, `${id}.jsonl`)),
    rng,
    truth: context.truth["claude-code"],
    id,
    version,
    startMs,
    cwd,
    branch,
    model: rng.pick(CLAUDE_MODELS),
    reminders: [boilerplate],
  });
  const state = { context: 14_000, cached: 0 };
  const killed = rng.chance(0.03);
  // Claude Code keeps an output twice in its line: for the model and for the screen.
  let huge = hugeLine / 2;
  /** @type {string | undefined} typed ahead, to be run when the turn is over */
  let queued;

  for (;;) {
    if (queued !== undefined) session.dequeue();
    session.prompt(queued ?? texts.ask(rng), { queued: queued !== undefined });
    queued = undefined;
    state.context += 200;
    const rounds = 1 + Math.floor(rng.logNormal(4, 0.8));
    const stopAt = rng.chance(0.04) ? rng.int(0, rounds - 1) : -1;
    let aborted = false;
    for (let round = 0; round < rounds && !aborted && (session.bytes < target || round === 0); round += 1) {
      session.wait(rng.logNormal(3000, 0.8));
      const spawn = !context.small && !alone && rng.chance(0.02);
      const call = huge > 0 ? { name: "Bash", input: { command: "cat big.log" } } : claudeCall(context, cwd);
      const calls = [spawn ? agentCall(context, session) : call];
      if (rng.chance(0.2)) calls.push(claudeCall(context, cwd));
      const made = session.respond({
        ...(rng.chance(0.8) && { thinking: texts.say(rng, 3) }),
        ...(rng.chance(0.6) && { text: texts.say(rng, 1) }),
        calls,
        usage: claudeSpend(rng, state),
      });
      aborted = round === stopAt && !spawn && made.length === 1;
      for (const call of made) {
        const block = huge > 0 ? texts.huge(rng, huge) : outputOf(context);
        huge = 0;
        state.context += Math.min(block.tokens, 15_000);
        if (call.name === "Agent" || call.name === "Task") runAgent(context, session, call, join(folder, id));
        else if (aborted) session.interrupt(call, rng.int(2000, 40_000));
        else session.result(call, claudeOutcome(rng, session, call, block));
      }
      if (!aborted && rng.chance(0.01)) session.steer(texts.ask(rng));
      if (!aborted && state.context > CONTEXT_LIMIT - 40_000) {
        session.compact(texts.say(rng, 20), state.context, 20_000);
        Object.assign(state, { context: 20_000, cached: 0 });
      }
    }
    const full = session.bytes >= target && huge === 0;
    if (full && killed && !aborted) {
      const command = { name: "Bash", input: { command: texts.command(rng) } };
      const [call] = session.respond({ calls: [command], usage: claudeSpend(rng, state) });
      session.result(call, { status: "pending" });
      return session.close({ open: true });
    }
    if (!full && !aborted && rng.chance(0.05)) {
      queued = texts.ask(rng);
      session.enqueue(queued);
    }
    if (!aborted) {
      session.respond({ text: texts.say(rng, rng.int(2, 6)), usage: claudeSpend(rng, state) });
      session.complete();
    }
    if (full) return session.close();
    if (queued === undefined) session.wait(rng.logNormal(120_000, 1.2));
  }
}

/**
 * @param {Rng} rng
 * @param {{ context: number, cached: number }} state
 */
function claudeSpend(rng, state) {
  const { input, cached, output, reasoning } = spend(rng, state);
  const fresh = Math.min(input - cached, rng.int(1, 12));
  return { input: fresh, cached, cacheWrite: input - cached - fresh, output, thinking: reasoning };
}

/**
 * @param {Context} context
 * @param {string} cwd
 * @returns {import("./lib/claude.js").CallSpec}
 */
function claudeCall({ rng, texts }, cwd) {
  const dice = rng.float();
  const path = `${cwd}/${texts.path(rng)}`;
  if (dice < 0.45) return { name: "Bash", input: { command: texts.command(rng), description: "Look at it" } };
  if (dice < 0.75) return { name: "Read", input: { file_path: path } };
  if (dice < 0.85) return { name: "Grep", input: { pattern: texts.command(rng), path: cwd } };
  const content = texts.code(rng, rng.int(3, 40)).join("\n");
  if (dice < 0.9) return { name: "Write", input: { file_path: path, content } };
  const before = texts.code(rng, rng.int(1, 12)).join("\n");
  return { name: "Edit", input: { file_path: path, old_string: before, new_string: content, replace_all: false } };
}

/**
 * @param {Rng} rng
 * @param {ClaudeSession} session
 * @param {import("./lib/claude.js").Call} call
 * @param {import("./lib/text.js").Block} block
 * @returns {import("./lib/claude.js").Outcome}
 */
function claudeOutcome(rng, session, call, block) {
  const ms = rng.logNormal(300, 1.6);
  const { file_path: filePath, content, old_string: oldString, new_string: newString } = call.input;
  if (call.name === "Bash") {
    // The kind of a denial is recorded by the newest version only; before, it looks like any other failure.
    if (session.modern && rng.chance(0.02)) return { status: "denied", denial: "permission-rule" };
    return rng.chance(0.08) ? { status: "failed", exitCode: 1, ms, block } : { status: "ok", ms, block };
  }
  if (call.name === "Edit") {
    if (rng.chance(0.05)) return { status: "failed", text: "String to replace not found in file." };
    const lines = [`-${String(oldString).split("\n")[0]}`, `+${String(newString).split("\n")[0]}`];
    const structuredPatch = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines }];
    const flags = { userModified: false, replaceAll: false };
    return { status: "ok", detail: { filePath, oldString, newString, originalFile: null, structuredPatch, ...flags } };
  }
  if (call.name === "Write") {
    const detail = { type: "create", filePath, content, structuredPatch: [], originalFile: null };
    return { status: "ok", detail };
  }
  return { status: "ok", ms: Math.min(ms, 400), block };
}

/**
 * @param {Context} context
 * @param {ClaudeSession} session
 */
function agentCall({ rng, texts }, session) {
  const input = { description: "look into it", prompt: texts.ask(rng), subagent_type: "general-purpose" };
  return { name: session.old ? "Task" : "Agent", input };
}

/**
 * Writes the subagent's own file, then its report into the parent.
 * @param {Context} context
 * @param {ClaudeSession} parent
 * @param {import("./lib/claude.js").Call} call
 * @param {string} folder
 */
function runAgent(context, parent, call, folder) {
  const { rng, texts } = context;
  const agentId = `a${rng.hex(16)}`;
  const path = join(folder, "subagents", `agent-${agentId}`);
  const started = parent.now;
  const child = new ClaudeSession({
    ...parent.options,
    sink: new FileSink(`${path}.jsonl`),
    agentId,
    promptId: parent.promptId,
    startMs: started,
    model: rng.chance(0.5) ? parent.model : CLAUDE_MODELS[2],
  });
  child.task(String(call.input.prompt));
  const state = { context: 8000, cached: 0 };
  const rounds = rng.int(1, 8);
  let tokens = 0;
  for (let round = 0; round <= rounds; round += 1) {
    child.wait(rng.logNormal(3000, 0.8));
    const usage = claudeSpend(rng, state);
    tokens += usage.input + usage.cached + usage.cacheWrite + usage.output;
    const last = round === rounds;
    const made = child.respond({
      text: texts.say(rng, 2),
      calls: last ? [] : [claudeCall(context, parent.options.cwd)],
      usage,
    });
    for (const one of made) {
      const block = outputOf(context);
      state.context += block.tokens;
      child.result(one, claudeOutcome(rng, child, one, block));
    }
  }
  child.close();
  const meta = { agentType: "general-purpose", description: call.input.description, toolUseId: call.id, spawnDepth: 1 };
  if (!parent.old) writeFileSync(`${path}.meta.json`, JSON.stringify(meta));
  parent.now = Math.max(parent.now, child.now);
  parent.result(call, {
    status: "ok",
    text: texts.say(rng, 3),
    detail: {
      status: "completed",
      prompt: call.input.prompt,
      agentId,
      agentType: "general-purpose",
      content: [{ type: "text", text: texts.say(rng, 1) }],
      totalDurationMs: child.now - started,
      totalTokens: tokens,
      totalToolUseCount: rounds,
    },
  });
}

/** @param {string[]} argv */
function main(argv) {
  const { values } = parseArgs({
    args: argv,
    options: {
      out: { type: "string" },
      size: { type: "string" },
      seed: { type: "string", default: "1" },
      shape: { type: "string", default: "mixed" },
      source: { type: "string", default: "codex" },
      count: { type: "string", default: "10000" },
    },
  });
  const { out, shape, source } = values;
  if (!out) throw new Error("--out DIR is missing");
  if (!["mixed", "words", "small", "single", "hugeline"].includes(shape)) throw new Error(`no such shape: ${shape}`);
  if (!["codex", "claude-code"].includes(source)) throw new Error(`no such source: ${source}`);
  const size = parseSize(values.size ?? (shape === "hugeline" ? "64m" : shape === "single" ? "500m" : "1g"));
  const options = { out: resolve(out), size, seed: Number(values.seed), shape, source, count: Number(values.count) };
  const expected = generate(options);
  for (const [name, truth] of Object.entries(expected.sources)) {
    const { files, bytes, lines, human_prompts: prompts, responses } = truth;
    console.log(`${name}: ${files} files, ${bytes} bytes, ${lines} lines, ${prompts} prompts, ${responses} responses`);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) main(process.argv.slice(2));
