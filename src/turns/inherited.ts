import type { Entry } from "../sources/contract.ts";

/** Until the first prompt of its own, what a file shares with another session was copied from there. */
export function* withInherited(
  entries: Iterable<Entry>,
  inherited: ReadonlySet<string>,
): Generator<Entry, void, undefined> {
  let own = false;
  for (const entry of entries) {
    const known = entry.identity !== undefined && inherited.has(entry.identity);
    if (entry.class === "trigger" && !known) own = true;
    if (own || !known) yield entry;
    else {
      // A running total goes on from what the other session had stated.
      const records = entry.records.flatMap((body) => {
        if (body.type === "usage") return { ...body, verdict: "inherited" as const };
        return body.type === "usage_total" ? body : [];
      });
      yield { ...entry, class: "inherited", reason: "book.inherited.known", records };
    }
  }
}
