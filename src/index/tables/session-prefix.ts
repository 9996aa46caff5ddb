import { DaybookError } from "../../base/errors.ts";
import { nearest } from "../../base/text/near.ts";

/** The only session whose id begins with `wanted`; throws when there is none or more than one. */
export function sessionByPrefix<T extends { session_id: string }>(known: readonly T[], wanted: string): T {
  const begun = known.filter(({ session_id }) => wanted.length >= 4 && session_id.startsWith(wanted));
  const [only] = begun;
  if (only && begun.length === 1) return only;
  const idsOf = (some: readonly T[]): string[] => some.map(({ session_id }) => session_id);
  throw sessionNotFound(wanted, idsOf(begun), idsOf(known));
}

/** The error for a prefix that matches no session or several. */
function sessionNotFound(wanted: string, names: readonly string[], known: readonly string[]): DaybookError {
  const message = names.length === 0 ? `no session ${wanted}` : `${wanted} could be ${names.length} sessions`;
  const more = names.length > 5 ? `, … (${names.length} in all)` : "";
  const hint =
    names.length > 0
      ? `one of: ${names.slice(0, 5).join(", ")}${more}`
      : [suggestIds(wanted, known), "`daybook sessions` lists what there is"].filter((part) => part !== "").join(" ");
  return new DaybookError(message, { code: "not_found", op: "find session", hint });
}

/** Suggests similar ids. People type only a prefix of an id, so only prefixes of that length are compared. */
function suggestIds(wanted: string, known: readonly string[]): string {
  if (wanted.length < 4) return "";
  const begun = new Map(known.map((id) => [id.slice(0, wanted.length), id]));
  const near = nearest(wanted, begun.keys()).map((begin) => begun.get(begin) ?? begin);
  return near.length === 0 ? "" : `did you mean ${near.join(" or ")}?`;
}

/** Enough of an id to recognise it, and short enough to type. */
const LEAST = 8;

/** The shortest beginning of an id, of at least `LEAST` characters, that neither of its neighbours in order has. */
export function shortId(id: string, neighbours: readonly string[]): string {
  return id.slice(0, Math.max(LEAST, ...neighbours.map((other) => common(id, other) + 1)));
}

function common(a: string, b: string): number {
  let n = 0;
  while (n < a.length && a[n] === b[n]) n++;
  return n;
}
