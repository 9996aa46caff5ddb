import type { RecordBody } from "../record/record.ts";
import type { Entry } from "../agents/contract.ts";

/** Up to a file's first own prompt, records it shares with another session were copied from that session. */
export function* withInherited(
  entries: Iterable<Entry>,
  inherited: ReadonlySet<string>,
): Generator<Entry, void, undefined> {
  const isInherited = inheritedPredicate(inherited);
  for (const entry of entries) {
    if (!isInherited(entry)) yield entry;
    else
      yield {
        ...entry,
        class: "inherited",
        reason: "book.inherited.known",
        records: entry.records.flatMap(toInheritedRecords),
      };
  }
}

/**
 * Returns a predicate that tells whether an entry was copied. It must be called for all entries of a file, in order.
 */
export function inheritedPredicate(
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

/**
 * The records that remain of a copied entry. A running total is kept, because the copy's own counter continues from it.
 */
export function toInheritedRecords(body: RecordBody): RecordBody[] {
  if (body.type === "usage") return [{ ...body, verdict: "inherited" }];
  return body.type === "usage_total" ? [body] : [];
}
