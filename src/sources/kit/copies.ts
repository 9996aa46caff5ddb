import type { RecordBody, UsageBody } from "../../format/record.ts";
import type { EntryClass } from "../contract.ts";

/**
 * Whether the history that a file copied from another goes on with this record. `known`: the other's identities. The first
 * request of the file's own ends it for good.
 */
export function isCopied(
  known: ReadonlySet<string> | undefined,
  state: { own: boolean },
  identity: string | null | undefined,
  cls: EntryClass | undefined,
): boolean {
  if (!known || state.own) return false;
  if (identity !== null && identity !== undefined && known.has(identity)) return true;
  if (cls === "trigger") state.own = true;
  return false;
}

/** What a copied record still tells: the header, and usage that is counted where it was spent. */
export function copiedRecords(bodies: readonly RecordBody[]): RecordBody[] {
  const usage = bodies.filter((body): body is UsageBody => body.type === "usage");
  const meta = bodies.filter((body) => body.type === "session_meta");
  return [...meta, ...usage.map((body): UsageBody => ({ ...body, verdict: "inherited" }))];
}
