import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { replay } from "../src/turns/live/replay.ts";
import type { TurnState } from "../src/turns/live/state.ts";
import { addTokens, noTokens } from "../src/record/tokens.ts";
import { openSources, readSessions } from "../src/book/reading/library.ts";
import type { ReadOptions } from "../src/book/reading/read-file.ts";
import { logRecords } from "../src/book/reading/records.ts";
import { iso } from "../src/base/time/zone.ts";
import type { Turn } from "../src/turns/session.ts";
import { at, CA, CU, folder, write, type Line } from "./cases/build.ts";
import { readTruth, rootOfCorpus, sourceOfCorpus } from "./truth.ts";

const FULL: ReadOptions = { detail: "full", ledger: false, toolDetail: false };

/** The facts of a turn, without paths and lines, which differ between a file and the log made from it. */
function turnOfFiles({ ref, draft, usage }: Turn): unknown {
  const { trigger, outcome, outcome_detail, taken_back, final_text, files, context, duration_ms } = draft;
  const spent = noTokens();
  for (const { event } of usage) addTokens(spent, event);
  return {
    ref,
    outcome,
    outcome_detail,
    taken_back,
    final_text,
    context,
    duration_ms,
    spent,
    asked: [iso(trigger.time), trigger.kind, trigger.entry, trigger.text, trigger.attachments],
    files: files.map(({ path, operation }) => ({ path, operation })),
  };
}

function turnOfReplay(turn: TurnState): unknown {
  const { trigger, outcome, outcome_detail, taken_back, final_text, files, context, duration_ms } = turn;
  return {
    ref: turn.turn_id,
    outcome,
    outcome_detail,
    taken_back,
    final_text,
    context,
    duration_ms,
    spent: turn.usage,
    asked: [trigger.time, trigger.kind, trigger.entry, trigger.text, trigger.attachments],
    files,
  };
}

/** A program that continues a session must get the same facts as one that reads its files. */
describe("a replayed log", () => {
  it.each(Object.keys(readTruth().corpora))(
    "gives the same turns, calls and usage as the files of %s",
    async (label) => {
      const roots = { [sourceOfCorpus(label)]: [rootOfCorpus(label)] };
      const { sessions } = await readSessions(openSources({ roots, env: {}, home: "/nowhere" }), FULL);
      expect(sessions.some((session) => session.turns.length > 0)).toBe(true);
      for (const session of sessions) {
        const state = replay(logRecords(session));
        const turns = state.turns.filter(({ delegated }) => !delegated);
        expect(turns.map(turnOfReplay), session.session_id).toEqual(session.turns.map(turnOfFiles));
        // Only the parent's file says that a sub-agent ended, which turns its pending calls into interrupted ones.
        const settled = (status: string): string =>
          session.cause !== null && status === "pending" ? "interrupted" : status;
        expect(
          state.tools.map(({ name, status, exit_code, turn_id }) => [name, settled(status), exit_code, turn_id]),
        ).toEqual(
          session.tools.map(({ call: { name, status, exit_code }, turn }) => {
            return [name, settled(status), exit_code, turn?.ref === "" ? null : (turn?.ref ?? null)];
          }),
        );
        const spent = noTokens();
        for (const { event } of session.usage) addTokens(spent, event);
        expect([state.usage.responses, state.usage.totals]).toEqual([session.usage.length, spent]);
        expect([state.title, state.meta?.kind, state.meta?.cwd]).toEqual([
          session.meta.title,
          session.meta.kind,
          session.meta.cwd,
        ]);
      }
    },
  );
});

describe("usage in a replayed log", () => {
  it("counts a response once, at its largest statement, under a model that a statement names", async () => {
    const dir = folder();
    const withModel = (line: Line, model: string | undefined): Line => ({
      ...line,
      message: { ...(line["message"] as Line), model },
    });
    write(join(dir, "a.jsonl"), [
      CU("one"),
      withModel(CA("", { id: "r", output: 5 }), "claude-sonnet-4-5"),
      withModel(CA("", { id: "r", output: 9 }), undefined),
      withModel(CA("", { id: "r", output: 2 }), "claude-opus-4-1"),
    ]);
    write(join(dir, "b.jsonl"), [at("2026-05-12T09:00:00.000Z", CU("two")), CA("", { id: "r", output: 7 })]);
    const roots = { "claude-code": [dir] };
    const { sessions } = await readSessions(openSources({ roots, env: {}, home: "/nowhere" }), FULL);
    const replayed = sessions.map((session) => replay(logRecords(session)).usage.models);
    expect(replayed).toMatchObject([{ "claude-sonnet-4-5": { output_tokens: 9 } }, {}]);
    expect(replayed.map((models) => Object.keys(models))).toEqual([["claude-sonnet-4-5"], []]);
  });
});
