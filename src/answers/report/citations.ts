import type { SessionRef } from "../../record/record.ts";
import { order } from "../../base/text/order.ts";

/** `S0001/T0002:12-40`: session and turn within a project, lines within the session's file, where they are known. */
export function citation(sessionRef: string, turnRef: string, start: number | null, end: number | null): string {
  if (start === null || end === null) return `${sessionRef}/${turnRef}`;
  return `${sessionRef}/${turnRef}:${start}-${end}`;
}

/** As `citation`, but for a single line. */
export function citeLine(sessionRef: string, turnRef: string, line: number | null): string {
  if (line === null) return `${sessionRef}/${turnRef}`;
  return `${sessionRef}/${turnRef}:${line}`;
}

export interface Citation {
  /** Sessions are numbered per project; absent when the citation stands alone. */
  project: string | null;
  session_ref: string;
  turn_ref: string | null;
  lines: [first: number, last: number] | null;
}

const FORM = /^(?:(.+)\/)?(S\d{4,})(?:\/(T\d{4,}))?(?::(\d{1,15})(?:-(\d{1,15}))?)?$/;

/** Null when the text is no citation (then it may be a session id). */
export function parseCitation(text: string): Citation | null {
  const found = FORM.exec(text);
  if (!found) return null;
  const [, project, session_ref = "", turn_ref, first, last] = found;
  const from = Number(first);
  return {
    project: project ?? null,
    session_ref,
    turn_ref: turn_ref ?? null,
    lines: first === undefined ? null : [from, last === undefined ? from : Math.max(from, Number(last))],
  };
}

/** Numbers the sessions of a project (`S0001`, …) by source and id, so that the order of discovery does not matter. */
export function refsOf<T extends SessionRef>(items: Iterable<T>): Map<T, string> {
  const sorted = [...items].toSorted((a, b) => order(a.source, b.source) || order(a.session_id, b.session_id));
  return new Map(sorted.map((item, i) => [item, `S${String(i + 1).padStart(4, "0")}`]));
}
