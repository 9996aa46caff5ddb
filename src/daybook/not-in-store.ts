import type { NotPushed, RemovedDays } from "../answers/not-pushed.ts";
import { SEARCH_KINDS, type SearchKind } from "../store/search/text-kinds.ts";
import { DaybookError } from "../errors.ts";

/** Why a question has no answer from a store: what it is about stays on the machine that pushed. */
export function notInStore(what: string): DaybookError {
  return new DaybookError(
    `this is answered from a store, where ${what} are not: they stay on the machine that pushed`,
    {
      ...{ code: "refused", op: "ask store", hint: "ask Daybook on that machine, without --store" },
    },
  );
}

/** Labels, stars and notes are pushed at no level: null is no statement that there are none. */
export function withoutMarks({ givenLevel, givenRemoved }: GivenState): NotPushed | null {
  return givenLevel && { level: givenLevel, fields: ["marks"], ...removedOf(givenRemoved) };
}

/** What a store says of itself. */
interface GivenState {
  givenLevel: NotPushed["level"] | null;
  givenRemoved: RemovedDays | null;
}

function removedOf(removed: RemovedDays | null): Pick<NotPushed, "removed_before"> {
  return removed === null ? {} : { removed_before: removed };
}

/** Requests and last answers are all that is pushed of texts at `turns`. */
const AT_TURNS: ReadonlySet<SearchKind> = new Set(["prompt"]);

/** Kinds of texts that were asked for, and of which a store does not have all. */
export function notSearched({ givenLevel, givenRemoved }: GivenState, kinds: readonly string[]): NotPushed | null {
  const level = givenLevel;
  if (level === null) return null;
  const isThere = (kind: SearchKind): boolean => {
    if (kind === "instructions" || kind === "note" || level === "totals") return false;
    return level === "full" || AT_TURNS.has(kind);
  };
  const asked = SEARCH_KINDS.filter((kind) => kinds.length === 0 || kinds.includes(kind));
  const fields: string[] = asked.filter((kind) => !isThere(kind));
  const removed = givenRemoved?.texts === null ? null : givenRemoved;
  return fields.length === 0 && removed === null ? null : { level, fields, ...removedOf(removed) };
}
