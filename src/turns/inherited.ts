import type { RecordBody } from "../format/record.ts";
import type { Entry } from "../sources/contract.ts";

/** Until the first prompt of its own, what a file shares with another session was copied from there. */
export function* withInherited(
  entries: Iterable<Entry>,
  inherited: ReadonlySet<string>,
): Generator<Entry, void, undefined> {
  const isInherited = inheriting(inherited);
  for (const entry of entries) {
    if (!isInherited(entry)) yield entry;
    else
      yield {
        ...entry,
        class: "inherited",
        reason: "book.inherited.known",
        records: entry.records.flatMap(leftOfInherited),
      };
  }
}

/** Whether an entry was copied; all of a file must be asked about, in order. */
export function inheriting(
  inherited: ReadonlySet<string> | null | undefined,
): (entry: Pick<Entry, "class" | "identity">) => boolean {
  let own = !inherited;
  return (entry) => {
    if (own) return false;
    const known = entry.identity !== undefined && inherited?.has(entry.identity) === true;
    if (entry.class === "trigger" && !known) own = true;
    return known;
  };
}

/** What becomes of a copied record. A running total goes on from what the other session had stated. */
export function leftOfInherited(body: RecordBody): RecordBody[] {
  if (body.type === "usage") return [{ ...body, verdict: "inherited" }];
  return body.type === "usage_total" ? [body] : [];
}
