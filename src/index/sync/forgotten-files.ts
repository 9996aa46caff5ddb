import type { OpenedSources } from "../../book/reading/library.ts";
import { sessionIdOf } from "../../book/reading/read-file.ts";
import type { Forgotten } from "../../book/pages/forgotten.ts";

/** Hides the files of forgotten sessions from every reader. */
export function withoutForgotten(found: OpenedSources, forgotten: Forgotten): OpenedSources {
  if (forgotten.isEmpty) return found;
  const refs = found.refs.filter((ref) => !forgotten.hasFile(ref) && !forgotten.has(ref.source, sessionIdOf(ref)));
  return { ...found, refs };
}
