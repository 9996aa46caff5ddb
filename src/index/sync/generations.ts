import { pageExists, readPage } from "../../book/pages/page-reader.ts";
import { PageWriter, removePage } from "../../book/pages/page.ts";
import { identityAt, type Entry, type SourceRef } from "../../agents/contract.ts";
import { headOf } from "./ingest.ts";

/**
 * A file that was rewritten gets a new page. Of the old page only what the new one does not contain still counts: turns
 * that were lost stay, everything else would be counted twice. Returns the page with the remainder, or null when
 * nothing is left.
 */
export function writeRemainder(
  page: string,
  newer: readonly string[],
  ref: SourceRef,
  sessionId: string,
): string | null {
  const known = new Set<string>();
  for (const other of newer) for (const entry of readPage(other).entries()) known.add(nameOf(entry));
  const entries = [...withoutKnown(readPage(page).entries(), known)];
  rewrite(restOf(page), entries, ref, sessionId);
  return readRemainder(page);
}

/** The remainder as the last sync wrote it. */
export function readRemainder(page: string): string | null {
  const rest = restOf(page);
  return pageExists(rest) && ownLines(rest).size > 0 ? rest : null;
}

/** Lines of the remainder that the newer page lacks. Empty unless they include a prompt or a reaction. */
export function ownLines(rest: string): Set<number> {
  const own = [...readPage(rest).entries()].filter((entry) => !SILENT.has(entry.class));
  return new Set(own.map((entry) => entry.line));
}

const SILENT: ReadonlySet<string> = new Set(["inherited", "session", "setup"]);

function restOf(page: string): string {
  return `${page}.own`;
}

function* withoutKnown(entries: Iterable<Entry>, known: ReadonlySet<string>): Generator<Entry, void, undefined> {
  let fate = true;
  for (const entry of entries) {
    // Records without an identity go with the prompt they belong to.
    const has = entry.identity !== undefined;
    const isKnown: boolean = has ? known.has(nameOf(entry)) : fate;
    if (entry.class === "trigger") fate = isKnown;
    if (!isKnown) {
      // A total covers the whole file.
      const records = entry.records.filter((body) => body.type !== "usage_total");
      yield { ...entry, records, tentative: false };
      continue;
    }
    const header = entry.records.filter((body) => body.type === "session_meta" || body.type === "context");
    const usage = entry.records.filter((body) => body.type === "usage");
    const records = [...header, ...usage.map((body) => ({ ...body, verdict: "inherited" as const }))];
    yield { ...entry, class: "inherited", reason: "book.rewritten.known", records, tentative: false };
  }
}

/** People say "continue" more than once: the identity is combined with the time. */
function nameOf(entry: Entry): string {
  return identityAt(entry.identity ?? "", entry.time);
}

/** Derived from two pages that stay, so it can be rewritten at any time. Leaves an identical page alone. */
function rewrite(base: string, entries: readonly Entry[], ref: SourceRef, sessionId: string): void {
  if (pageExists(base) && JSON.stringify([...readPage(base).entries()]) === JSON.stringify(entries)) return;
  removePage(base);
  const writer = new PageWriter(base, headOf(ref, sessionId), false);
  try {
    for (const entry of entries) writer.add(entry);
    const last = entries.at(-1);
    writer.commit({ line: last?.line ?? 0, offset: 0 });
  } finally {
    writer.close();
  }
}
