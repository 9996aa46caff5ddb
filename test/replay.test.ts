import { describe, expect, it } from "vitest";
import { replay } from "../src/log/replay.ts";
import { openSources, readSessions } from "../src/reading/library.ts";
import { logRecords } from "../src/reading/records.ts";
import type { TurnContext } from "../src/turns/model.ts";
import type { Session } from "../src/turns/session.ts";
import { readTruth, rootOfCorpus, sourceOfCorpus } from "./truth.ts";

const SETTINGS = ["model", "effort", "approval_policy", "sandbox", "network", "cwd"] as const;

/** Where the two differ, by corpus: each was looked at, and one that is no longer true fails as well. */
const DIFFERENT: Readonly<Record<string, { turns: string[]; why: string }>> = {
  "codex-0.166.0-tui-nodaemon": {
    turns: ["T0011 effort", "T0012 effort"],
    why: "a second file says its effort is null, which no record tells: the log keeps the first file's, the builder begins without",
  },
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
    const { sessions } = await readSessions(opened, { detail: "full", ledger: false, toolDetail: false });
    expect(sessions.some((session) => session.turns.length > 0)).toBe(true);
    const found = new Set(sessions.flatMap(differences));
    expect([...found].toSorted()).toEqual(DIFFERENT[label]?.turns ?? []);
  });
});

function differences(session: Session): string[] {
  const told = new Map(replay(logRecords(session)).turns.map((turn) => [turn.turn_id, turn.context]));
  return session.turns.flatMap(({ ref, draft }) => {
    const context: Partial<TurnContext> = told.get(ref) ?? {};
    return SETTINGS.filter((name) => context[name] !== draft.context[name]).map((name) => `${ref} ${name}`);
  });
}
