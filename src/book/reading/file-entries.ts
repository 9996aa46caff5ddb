import type { Entry } from "../../agents/contract.ts";
import { readPage } from "../pages/page-reader.ts";
import { withInherited } from "../../turns/inherited.ts";
import type { FileDraft } from "../../turns/model.ts";
import { sourceOf } from "./read-file.ts";

/**
 * Reads from the book if there is a page, else from the native file. A file that repeats another one is read with the
 * other's records known.
 */
export function fileEntries(part: FileDraft): Iterable<Entry> {
  const inherited = part.inherited_from;
  if (part.page !== null) {
    const entries = readPage(part.page).entries();
    return inherited ? withInherited(entries, inherited) : entries;
  }
  return sourceOf(part.ref).read(part.ref, null, { detail: "full", ...(inherited ? { inherited } : {}) });
}
