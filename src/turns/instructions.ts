import type { ContextSource } from "../record/record.ts";

/**
 * Puts an instruction text in force. Returns the text it replaces, null if there was none, or `known` if the same text
 * is already in force.
 */
export function putInForce(files: Map<string, ContextSource>, source: ContextSource): ContextSource | null | "known" {
  const place = placeOf(source);
  const same = [...files.values()].find(({ hash }) => hash !== null && hash === source.hash);
  if (same) {
    // Agents state one text in several forms; only some of them name its file.
    if (same.path === null && source.path !== null) {
      files.delete(placeOf(same));
      files.set(place, source);
    }
    return "known";
  }
  const before = files.get(place) ?? null;
  files.set(place, source);
  return before;
}

function placeOf({ kind, path, hash }: ContextSource): string {
  return kind === "message" ? `message ${hash ?? ""}` : `${kind} ${path ?? ""}`;
}
