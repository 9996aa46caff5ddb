import { together, type Marks } from "../../answers/marks.ts";
import type { Redactor } from "../../redact/redact.ts";
import type { BookMarks } from "./marks-file.ts";

/** What is on a turn and its session, as it may be shown. */
export function marksAt(
  { marks, redactor }: { marks?: BookMarks | undefined; redactor?: Redactor },
  key: string,
  ref: string | null,
): Marks | null {
  const session = marks?.ofSession(key) ?? null;
  const turn = ref === null ? null : (marks?.ofTurn(key, ref) ?? null);
  // Most carry nothing, and every row of a list comes by here.
  if (!session && !turn) return null;
  const found = together(session, turn);
  return redactor ? redactor.all(found) : found;
}
