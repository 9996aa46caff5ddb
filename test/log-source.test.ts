import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { addTokens, noTokens } from "../src/record/tokens.ts";
import { openSources, readSessions } from "../src/book/reading/library.ts";
import { validateFile } from "../src/book/reading/validate.ts";
import type { Session, Turn } from "../src/turns/session.ts";
import { exportedLogs } from "./conformance/exported-logs.ts";
import { readTruth, rootOfCorpus, sourceOfCorpus } from "./truth.ts";

const FULL = { detail: "full", ledger: false, toolDetail: true } as const;

async function sessionsIn(roots: Record<string, string[]>): Promise<Session[]> {
  const { sessions } = await readSessions(openSources({ roots, env: {}, home: "/nowhere" }), FULL);
  return sessions;
}

/** The facts of a session, without paths and lines, which differ between a file and the log exported from it. */
function sessionFacts(session: Session): unknown {
  const spent = noTokens();
  for (const { event } of session.usage) addTokens(spent, event);
  return {
    kind: session.meta.kind,
    cwd: session.meta.cwd,
    spent,
    responses: session.usage.length,
    turns: session.turns.map(turnFacts),
    delegations: session.delegations.length,
    calls: session.tools.map(({ call, turn }) => [
      call.name,
      call.status,
      call.exit_code,
      call.duration_ms,
      turn?.ref ?? null,
    ]),
  };
}

function turnFacts({ ref, draft, usage }: Turn): unknown {
  const { trigger, outcome, taken_back, final_text, files, context, duration_ms } = draft;
  const spent = noTokens();
  for (const { event } of usage) addTokens(spent, event);
  return {
    ref,
    outcome,
    taken_back,
    final_text,
    duration_ms,
    spent,
    context,
    files: files.map(({ path, operation }) => [path, operation]),
    asked: [trigger.time, trigger.kind, trigger.entry, trigger.text, trigger.attachments],
  };
}

describe("a log exported from a session", () => {
  it.each(Object.keys(readTruth().corpora))(
    "gives the same sessions, turns and calls as the files of %s",
    async (label) => {
      const sessions = await sessionsIn({ [sourceOfCorpus(label)]: [rootOfCorpus(label)] });
      const fromLogs = await sessionsIn({ log: [exportedLogs(sourceOfCorpus(label), rootOfCorpus(label))] });
      expect(sessions.length).toBeGreaterThan(0);
      const byId = new Map(fromLogs.map((session) => [session.session_id, session]));
      for (const session of sessions) {
        const other = byId.get(session.session_id);
        expect(other && sessionFacts(other), session.session_id).toEqual(sessionFacts(session));
      }
      expect(fromLogs.length).toBe(sessions.length);
    },
  );
});

describe("a directory of exported logs", () => {
  it("is found by $DAYBOOK_LOGS and by a root", () => {
    const dir = exportedLogs("pi", rootOfCorpus("pi-0.87.1"));
    const named = openSources({ sources: ["log"], env: { DAYBOOK_LOGS: dir }, home: "/nowhere" });
    expect(named.refs.map(({ path }) => path)).toEqual(readdirSync(dir).map((name) => join(dir, name)));
    expect(named.diagnostics).toEqual([]);
    expect(openSources({ roots: { log: [dir] }, env: {}, home: "/nowhere" }).refs).toEqual(named.refs);
  });
});

describe("a log written by another program", () => {
  it.each([
    ["named in its header alone", (row: object) => JSON.stringify(row)],
    // As Python's json.dumps writes by default.
    ["with spaces between the fields", (row: object) => JSON.stringify(row, null, 1).replaceAll("\n", "")],
    ["with its fields in another order", (row: object) => JSON.stringify(row, Object.keys(row).sort().reverse())],
  ])("%s, with times in seconds, is read whole", async (_, line) => {
    const dir = mkdtempSync(join(tmpdir(), "daybook-log-"));
    const head = { schema_version: 1, time: "2026-05-11T16:00:00Z" };
    const rows = [
      { ...head, seq: 0, type: "session_meta", session_id: "told once" },
      { ...head, seq: 1, type: "user", turn_id: "t", text: "go" },
      { ...head, seq: 2, type: "assistant_finished", turn_id: "t", text: "gone" },
    ];
    writeFileSync(join(dir, "any-name.jsonl"), rows.map((row) => `${line(row)}\n`).join(""));
    const [session] = await sessionsIn({ log: [dir] });
    expect(session).toMatchObject({ session_id: "told once", diagnostics: [] });
    expect(session?.turns.map(({ draft }) => [draft.trigger.time, draft.final_text])).toEqual([
      [Date.UTC(2026, 4, 11, 16), "gone"],
    ]);
    expect(await validateFile(join(dir, "any-name.jsonl"))).toMatchObject({ format: "log", valid: true, records: 3 });
  });

  it("with a field of the wrong type loses only that record, and the problem is reported", async () => {
    const dir = mkdtempSync(join(tmpdir(), "daybook-log-"));
    const head = { schema_version: 1, time: null, session_id: "s" };
    const rows = [
      { ...head, seq: 0, type: "session_meta" },
      { ...head, seq: 1, type: "context", model: { name: "m" } },
      { ...head, seq: 2, type: "user", turn_id: "t", text: "go" },
      { ...head, seq: 3, type: "assistant_finished", turn_id: "t", text: "gone" },
    ];
    writeFileSync(join(dir, "s.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    const [session] = await sessionsIn({ log: [dir] });
    expect(session?.turns.map(({ draft }) => draft.final_text)).toEqual(["gone"]);
    expect(session?.diagnostics.map(({ line, hint }) => [line, hint])).toEqual([
      [2, "context.model: Invalid input: expected string, received object"],
    ]);
  });
});
