import {
  SCHEMA_VERSION,
  type LogRecord,
  type RecordBody,
  type RecordEnvelope,
  type SessionKind,
} from "../record/record.ts";
import type { Entry } from "../agents/contract.ts";
import { iso } from "../base/time/zone.ts";
import type { LineRuns } from "../turns/model.ts";
import type { Turn } from "../turns/session.ts";

/** A session whose records can be read again: its files in order, with the turns that own their lines. */
export interface Recording {
  source: string;
  session_id: string;
  cwd: string | null;
  kind: SessionKind;
  parts: RecordedPart[];
}

export interface RecordedPart {
  path: string;
  entries: () => Iterable<Entry>;
  turns: (Pick<Turn, "ref" | "automated" | "typed"> & { lines: LineRuns })[];
}

/** Records of the given types, in order, each with the turn that owns it. */
export function* recordsOf(
  session: Recording,
  wanted: ReadonlySet<RecordBody["type"]>,
): Generator<LogRecord, void, undefined> {
  const { session_id } = session;
  const first = session.parts[0]?.path;
  let seq = 0;
  for (const { path, entries, turns } of session.parts) {
    const ownerOf = lineOwners(turns);
    const origin = path === first ? {} : { path };
    for (const { line, time, records } of entries()) {
      if (!records.some(({ type }) => wanted.has(type))) continue;
      const turn = ownerOf(line);
      const place: Omit<RecordEnvelope, "seq"> = {
        schema_version: SCHEMA_VERSION,
        time: iso(time),
        session_id,
        origin: { line, ...origin },
        ...(turn ? { turn_id: turn.ref } : {}),
      };
      for (const record of records) {
        if (!wanted.has(record.type)) continue;
        for (const body of turn ? withTyped(record, turn) : [record]) yield { ...place, seq: seq++, ...body };
      }
    }
  }
}

/** Applies what comparing all sessions showed: a prompt was automated, or is the text of a typed command. */
export function withTyped(record: RecordBody, { automated, typed }: Pick<Turn, "automated" | "typed">): RecordBody[] {
  if (record.type !== "user" || record.kind === undefined) return [record];
  const asked: RecordBody = automated === undefined ? record : { ...record, entry: "automated" };
  if (typed === undefined) return [asked];
  return [
    { ...asked, kind: "command", text: typed },
    { type: "user", author: "source", text: record.text },
  ];
}

/** Returns a lookup from line to owner, null when a line has none. Lines must be looked up in ascending order. */
export function lineOwners<T extends { lines: LineRuns }>(owners: readonly T[]): (line: number) => T | null {
  const runs = owners.flatMap((owner) => pairs(owner.lines).map(([first, last]) => ({ first, last, owner })));
  runs.sort((a, b) => a.first - b.first);
  let at = 0;
  return (line) => {
    while (at < runs.length && (runs[at]?.last ?? 0) < line) at++;
    const run = runs[at];
    return run && run.first <= line ? run.owner : null;
  };
}

function pairs(runs: LineRuns): [first: number, last: number][] {
  return Array.from({ length: runs.length / 2 }, (_, i) => [runs[2 * i] ?? 0, runs[2 * i + 1] ?? 0]);
}
