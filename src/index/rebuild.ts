import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { baseOf, generationOf, isToldByOlder, type PageState } from "../book/page-format.ts";
import { readPage, type Page } from "../book/page-reader.ts";
import { sourceOf } from "../reading/read-file.ts";
import type { Drift, Source, SourceRef } from "../sources/source.ts";
import { DraftBuilder } from "../turns/builder.ts";
import { unitState } from "./ingest.ts";
import type { Describe } from "./describe.ts";
import { refreshStale } from "./refresh.ts";
import { IndexStore, type Unit } from "./store.ts";
import { restoreTitles } from "./titles.ts";
import { writeDocs, writeUnit } from "./units.ts";
import { DocPacker, SCRATCH } from "./doc-pack.ts";

export interface Rebuilt {
  pages: number;
  rows: number;
}

const NO_DRIFT: Drift = { versions: {}, unknownTypes: {}, unknownFields: {} };

/** Makes an index where there is none that can be used: from the book, if there is anything in it. */
export function makeIndex(home: string, describe: Describe): Rebuilt {
  const store = IndexStore.create(home);
  try {
    const out = rebuild(store, home);
    store.setMeta("naming", describe.naming);
    out.rows += refreshStale(store, describe, { bytes: 0, opens: 0 }).rows;
    store.publish();
    return out;
  } catch (error) {
    store.close();
    throw error;
  }
}

/**
 * Makes the index know every page of the book: all of them after it was lost, those of the last batch after a crash. Native
 * files are not needed; one that changed meanwhile is read from its start, because a page does not keep the reader's memory.
 */
export function rebuild(store: IndexStore, home: string): Rebuilt {
  const out: Rebuilt = { pages: 0, rows: 0 };
  const known = new Map(store.units().map((unit) => [unit.page, unit]));
  if (known.size === 0) store.batched(() => restoreTitles(store, home));
  const newest = new Map<string, number>();
  const heads: { page: string; owner: string }[] = [];
  for (const base of pagesOf(join(home, "book"))) {
    const name = relative(home, base).split(sep).join("/");
    const page = readPage(base);
    const { head } = page.state;
    const source = head && knownSource(head.source);
    if (!head || !source) continue;
    const owner = `${head.source}\t${head.path}\t${head.key}`;
    heads.push({ page: name, owner });
    newest.set(owner, Math.max(newest.get(owner) ?? 0, generationOf(name)));
    const unit = known.get(name);
    if (unit && isKnown(unit, page.state)) continue;
    out.pages++;
    out.rows += store.batched(() => takePage(store, source, { page, name, unit }));
  }
  store.batched(() => {
    for (const { page, owner } of heads) {
      if (generationOf(page) < (newest.get(owner) ?? 0)) store.run("UPDATE unit SET gone = 2 WHERE page = ?", page);
    }
  });
  store.commit();
  return out;
}

/** True when the index says of the page what the page says. */
function isKnown(unit: Unit, { commit }: PageState): boolean {
  const { size, mtimeMs, stamp = "" } = unit.ref;
  const { seen } = commit;
  return unit.lines === commit.line && seen?.size === size && seen.mtime === mtimeMs && seen.stamp === stamp;
}

function takePage(store: IndexStore, source: Source, at: { page: Page; name: string; unit: Unit | undefined }): number {
  const { head, commit } = at.page.state;
  if (!head) return 0;
  const { drift = NO_DRIFT } = commit.seen ?? {};
  const seen = isToldByOlder(commit) ? null : commit.seen;
  const ref: SourceRef = {
    source: head.source,
    path: head.path,
    ...(head.key === "" ? {} : { key: head.key }),
    // A file whose reading was cut short, or was told by an older reader, looks like none we have seen: it is read again.
    size: seen?.size ?? 0,
    mtimeMs: seen?.mtime ?? 0,
    container: head.container,
    ...(seen && seen.stamp !== "" ? { stamp: seen.stamp } : {}),
  };
  const builder = new DraftBuilder(ref, head.session_id, { ledger: false, toolDetail: true });
  const docs = new DocPacker(join(store.home, at.name));
  for (const { entry, places } of at.page.placed()) {
    builder.push(entry);
    docs.take(entry, places);
  }
  const tail = commit.tail.filter((entry) => entry.line > commit.line);
  const state = {
    ...unitState(source, ref, builder, tail),
    ...{ page: at.name, lines: commit.line, cursor: null, print: null },
    ...{ whole: true, resting: null, tail, drift: [drift, drift] as [Drift, Drift] },
  };
  return 1 + writeDocs(store, writeUnit(store, ref, state, at.unit), docs.finish(tail), true);
}

/** Null for an agent this version does not know: its pages wait for one that does. */
function knownSource(id: string): Source | null {
  try {
    return sourceOf({ source: id, path: "", size: 0, mtimeMs: 0, container: "jsonl" });
  } catch {
    return null;
  }
}

/** The pages there are. What else is left of a sync that was cut short is swept away. */
function pagesOf(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(dir, entry.name);
      if (entry.isDirectory()) return pagesOf(path);
      // Of whoever was killed before.
      if (path.endsWith(SCRATCH)) rmSync(path, { force: true });
      return baseOf(path) ?? [];
    });
}
