import type { NotPushed, RemovedDays } from "../views/not-pushed.ts";
import { SEARCH_KINDS, type SearchKind } from "../index/search/text-kinds.ts";
import { DaybookError } from "../base/errors.ts";

/** The error for a question about something that is never pushed to a store. */
export function notInStoreError(what: string): DaybookError {
  return new DaybookError(`${what} are not in the store: they stay on the machine that pushed`, {
    code: "refused",
    op: "ask store",
    hint: "run Daybook on that machine, without --store",
  });
}

/** Labels, stars and notes are never pushed: null marks do not mean that there are none. */
export function marksNotPushed({ remoteLevel, remoteRemoved }: RemoteStatus): NotPushed | null {
  return remoteLevel && { level: remoteLevel, fields: ["marks"], ...removedOf(remoteRemoved) };
}

/** What the store says about its contents. */
interface RemoteStatus {
  remoteLevel: NotPushed["level"] | null;
  remoteRemoved: RemovedDays | null;
}

function removedOf(removed: RemovedDays | null): Pick<NotPushed, "removed_before"> {
  return removed === null ? {} : { removed_before: removed };
}

/** The only texts pushed at level `turns` are requests and last answers. */
const AT_TURNS: ReadonlySet<SearchKind> = new Set(["prompt"]);

/** The requested kinds of texts of which the store does not hold all. */
export function notSearched({ remoteLevel, remoteRemoved }: RemoteStatus, kinds: readonly string[]): NotPushed | null {
  const level = remoteLevel;
  if (level === null) return null;
  const isThere = (kind: SearchKind): boolean => {
    if (kind === "instructions" || kind === "note" || kind === "review" || level === "totals") return false;
    return level === "full" || AT_TURNS.has(kind);
  };
  const asked = SEARCH_KINDS.filter((kind) => kinds.length === 0 || kinds.includes(kind));
  const fields: string[] = asked.filter((kind) => !isThere(kind));
  const removed = remoteRemoved?.texts === null ? null : remoteRemoved;
  return fields.length === 0 && removed === null ? null : { level, fields, ...removedOf(removed) };
}
