import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { replay } from "../src/format/replay.ts";
import { addTokens, noTokens } from "../src/format/tokens.ts";
import { openSources, readSessions } from "../src/reading/library.ts";
import type { ReadOptions } from "../src/reading/read-file.ts";
import { logRecords } from "../src/reading/records.ts";
import type { TurnContext } from "../src/turns/model.ts";
import type { Session } from "../src/turns/session.ts";
import { at, CA, CU, folder, write, type Line } from "./cases/build.ts";
import { readTruth, rootOfCorpus, sourceOfCorpus } from "./truth.ts";

const FULL: ReadOptions = { detail: "full", ledger: false, toolDetail: false };

const SETTINGS = ["model", "effort", "approval_policy", "sandbox", "network", "cwd"] as const;

/** Where the two differ, by corpus: each was looked at, and one that is no longer true fails as well. */
const DIFFERENT: Readonly<Record<string, { turns: string[]; why: string }>> = {
  "qwen-0.24.4": {
    turns: ["T0001 cwd"],
    why: "the header stands behind the prompt of its record: the builder reads it first, the log in order",
  },
};

/** The settings that ruled a turn are told twice: by the builder that reads files, and by whoever replays their log. */
describe("a log, replayed", () => {
  it.each(Object.keys(readTruth().corpora))("rules the turns of %s as its files do", async (label) => {
    const roots = { [sourceOfCorpus(label)]: [rootOfCorpus(label)] };
    const opened = openSources({ roots, env: {}, home: "/nowhere" });
    const { sessions } = await readSessions(opened, FULL);
    expect(sessions.some((session) => session.turns.length > 0)).toBe(true);
    const found = new Set(sessions.flatMap(differences));
    expect([...found].toSorted()).toEqual(DIFFERENT[label]?.turns ?? []);
  });
});

/** Tokens are told twice as well: by the statements of a session's files, and by whoever replays its log, where the latest wins. */
describe("usage in a log, replayed", () => {
  it.each(Object.keys(readTruth().corpora))("is what counts in the sessions of %s", async (label) => {
    const roots = { [sourceOfCorpus(label)]: [rootOfCorpus(label)] };
    const { sessions } = await readSessions(openSources({ roots, env: {}, home: "/nowhere" }), FULL);
    for (const session of sessions) {
      const sum = noTokens();
      for (const { event } of session.usage) addTokens(sum, event);
      const { usage } = replay(logRecords(session));
      expect([usage.responses, usage.totals]).toEqual([session.usage.length, sum]);
    }
  });

  it("holds the largest statement and the model that any names; a response that counts elsewhere counts nothing", async () => {
    const dir = folder();
    const more = (line: Line, model: string | undefined): Line => ({
      ...line,
      message: { ...(line["message"] as Line), model },
    });
    write(join(dir, "a.jsonl"), [
      CU("one"),
      more(CA("", { id: "r", output: 5 }), "claude-sonnet-4-5"),
      more(CA("", { id: "r", output: 9 }), undefined),
      more(CA("", { id: "r", output: 2 }), "claude-opus-4-1"),
    ]);
    write(join(dir, "b.jsonl"), [at("2026-05-12T09:00:00.000Z", CU("two")), CA("", { id: "r", output: 7 })]);
    const roots = { "claude-code": [dir] };
    const { sessions } = await readSessions(openSources({ roots, env: {}, home: "/nowhere" }), FULL);
    const told = sessions.map((session) => replay(logRecords(session)).usage.models);
    expect(told).toMatchObject([{ "claude-sonnet-4-5": { output_tokens: 9 } }, {}]);
    expect(told.map((models) => Object.keys(models))).toEqual([["claude-sonnet-4-5"], []]);
  });
});

function differences(session: Session): string[] {
  const told = new Map(replay(logRecords(session)).turns.map((turn) => [turn.turn_id, turn.context]));
  return session.turns.flatMap(({ ref, draft }) => {
    const context: Partial<TurnContext> = told.get(ref) ?? {};
    return SETTINGS.filter((name) => context[name] !== draft.context[name]).map((name) => `${ref} ${name}`);
  });
}
