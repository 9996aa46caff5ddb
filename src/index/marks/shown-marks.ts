import { mergeMarks, type Marks } from "../../views/marks.ts";
import type { Redactor } from "../../base/redact/redact.ts";
import type { BookMarks } from "./marks-file.ts";

/** Marks of a turn together with those of its session, redacted for display. */
export function marksAt(
  { marks, redactor }: { marks?: BookMarks | undefined; redactor?: Redactor },
  key: string,
  ref: string | null,
): Marks | null {
  const session = marks?.ofSession(key) ?? null;
  const turn = ref === null ? null : (marks?.ofTurn(key, ref) ?? null);
  // Most places have no marks, and every row of a list is looked up here.
  if (!session && !turn) return null;
  const found = mergeMarks(session, turn);
  return redactor ? redactor.all(found) : found;
}
