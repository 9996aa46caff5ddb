import type { Entry } from "../sources/source.ts";

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
      const records = entry.records
        .filter((body) => body.type === "usage")
        .map((body) => ({ ...body, verdict: "inherited" as const }));
      yield { ...entry, class: "inherited", reason: `${entry.reason.split(".")[0] ?? ""}.identity.inherited`, records };
    }
  }
}
