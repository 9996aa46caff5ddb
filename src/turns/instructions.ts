import type { ContextSource } from "../format/record.ts";

/** Puts a text in its place. Returns the one that had it; null when nobody had, `known` when that text is in force already. */
export function enforce(files: Map<string, ContextSource>, source: ContextSource): ContextSource | null | "known" {
  const place = placeOf(source);
  const same = [...files.values()].find(({ hash }) => hash !== null && hash === source.hash);
  if (same) {
    // Agents state one text in several forms; one of them says which file it is.
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
