import type { Entry } from "../sources/contract.ts";
import { readPage } from "../store/pages/page-reader.ts";
import { withInherited } from "../turns/inherited.ts";
import type { FileDraft } from "../turns/model.ts";
import { sourceOf } from "./read-file.ts";

/** From the book where there is a page, else from the native file. A file that repeats another is read knowing the other's records. */
export function fileEntries(part: FileDraft): Iterable<Entry> {
  const inherited = part.inherited_from;
  if (part.page !== null) {
    const entries = readPage(part.page).entries();
    return inherited ? withInherited(entries, inherited) : entries;
  }
  return sourceOf(part.ref).read(part.ref, null, { detail: "full", ...(inherited ? { inherited } : {}) });
}
