import { type Daybook, inside } from "../../answers/daybook.ts";
import type { LogRecord } from "../../record/record.ts";
import { turnKeyIn } from "../../record/session-key.ts";
import type { SessionView } from "../../views/session-view.ts";
import type { ShownTurns } from "../../render/session-markdown.ts";

/** A session, or one turn of it, as it leaves this machine: every secret hidden. */
export interface SharedSession extends ShownTurns {
  head: SessionView;
  records: LogRecord[];
  /** Notes in it: a person wrote them for himself. */
  notes: number;
}

/** `turn`: only this turn. */
export async function readShared(daybook: Daybook, name: string, turn: string | undefined): Promise<SharedSession> {
  const target = turn === undefined ? name : turnKeyIn(name, turn);
  const { redactor } = daybook;
  const found = await daybook.find(target);
  const records: LogRecord[] = [];
  for await (const record of daybook.records(target)) records.push(redactor.all(record));
  const views = (found.turn ? [found.turn] : found.session.turns).map((one) => inside(daybook).turnJson(one));
  const head = redactor.all(inside(daybook).sessionJson(found.session));
  const turns = redactor.all(views);
  const shown = await inside(daybook).shownOutcomes(views);
  const notes = [head.marks, ...turns.map(({ marks }) => marks)].reduce(
    (sum, one) => sum + (one?.notes.length ?? 0),
    0,
  );
  return { head, turns, shown, records, notes };
}
