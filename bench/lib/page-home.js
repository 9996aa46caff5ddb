/**
 * Sessions for bench/page.js: many sessions of many turns up to the day of the run, and one long one. They are Codex
 * rollouts, written with the same classes as the other corpora. Texts are short, because the number of rows is what
 * matters to a list.
 *
 * @typedef {{ root: string, long: string, growing: { file: string, id: string } }} PageHome
 */
import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { generate, PROJECTS, spend } from "../generate.js";
import { CodexSession, rolloutPath } from "./codex.js";
import { Rng } from "./rng.js";
import { FileSink } from "./sink.js";
import { Texts } from "./text.js";
import { SourceTruth } from "./truth.js";

const DAY_MS = 86_400_000;

/**
 * @param {{ out: string, seed: number, sessions: number, turns: number, size: number, now: number }} options
 *   `size`: bytes of the long session
 * @returns {PageHome}
 */
export function pageHome({ out, seed, sessions, turns, size, now }) {
  generate({ out, size, seed, shape: "single", source: "codex", count: 1 });
  const root = join(out, "codex");
  const [path = ""] = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".jsonl"),
  );
  const long = path.slice(-42, -6);
  const rng = new Rng(seed + 1);
  const texts = new Texts(rng);
  let growing = { file: "", id: "" };
  for (let i = 0; i < sessions; i += 1) {
    const startMs = now - ((sessions - 1 - i) / sessions) * 350 * DAY_MS - 20 * 3_600_000;
    const id = rng.uuid7(startMs);
    const file = join(root, rolloutPath(startMs, id));
    const session = new CodexSession({
      sink: new FileSink(file),
      rng,
      truth: new SourceTruth(),
      id,
      dialect: "legacy",
      startMs,
      cwd: `/home/dev/src/${rng.pick(PROJECTS)}`,
      branch: "main",
      commit: rng.hex(40),
      remote: undefined,
      model: "gpt-5.5",
      instructions: "You are Codex.",
      developer: "Be brief.",
    });
    const state = { context: 9000, cached: 0 };
    for (let turn = 0; turn < turns; turn += 1) {
      session.begin(texts.ask(rng));
      const [call] = session.respond({ calls: [{ kind: "exec", cmd: texts.command(rng) }], usage: spend(rng, state) });
      session.settle(call, { status: "ok", exitCode: 0, ms: 300, block: texts.shortOutput(rng) });
      session.settled();
      session.respond({ text: texts.say(rng, 2), usage: spend(rng, state) });
      session.settled();
      session.complete();
      session.wait(300_000);
      if (state.context > 150_000) Object.assign(state, { context: 9000, cached: 0 });
    }
    session.close();
    growing = { file, id };
  }
  return { root, long, growing };
}

/**
 * Appends a reply to a session's file, as its agent would.
 *
 * @param {string} file
 * @param {string} text
 */
export function saySomething(file, text) {
  const payload = { type: "message", role: "assistant", content: [{ type: "output_text", text }] };
  const line = { timestamp: new Date().toISOString(), type: "response_item", payload };
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}
