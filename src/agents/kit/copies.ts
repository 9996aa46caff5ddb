import type { RecordBody, UsageBody } from "../../record/record.ts";
import type { EntryClass } from "../contract.ts";

/**
 * Whether this record still belongs to the history that the file copied from another file, whose identities are
 * `copiedFrom`. The file's first trigger that is not in that set ends the copied history for good.
 */
export function isCopied(
  copiedFrom: ReadonlySet<string> | undefined,
  state: { own: boolean },
  identity: string | null | undefined,
  cls: EntryClass | undefined,
): boolean {
  if (!copiedFrom || state.own) return false;
  if (identity !== null && identity !== undefined && copiedFrom.has(identity)) return true;
  if (cls === "trigger") state.own = true;
  return false;
}

/**
 * The records kept of a copied entry: the header, and usage marked `inherited`, which counts in the original session.
 */
export function copiedRecords(bodies: readonly RecordBody[]): RecordBody[] {
  const usage = bodies.filter((body): body is UsageBody => body.type === "usage");
  const meta = bodies.filter((body) => body.type === "session_meta");
  return [...meta, ...usage.map((body): UsageBody => ({ ...body, verdict: "inherited" }))];
}
