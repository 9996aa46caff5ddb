import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { generationOf, isFromOlderReader, nextGeneration, READER_VERSION, type Commit } from "../pages/page-format.ts";
import { PageWriter, removePage, type CommitOptions } from "../pages/page.ts";
import { pageExists, readPage } from "../pages/page-reader.ts";
import type { ReadMeter } from "../../io/bytes.ts";
import { fileLoader } from "../../reading/library.ts";
import { sourceOf } from "../../reading/read-file.ts";
import { identityAt, type Cursor, type Drift, type Entry, type ReadContext } from "../../sources/contract.ts";
import { DraftBuilder } from "../../turns/builder.ts";
import { withInherited } from "../../turns/inherited.ts";
import type { FileDraft } from "../../turns/model.ts";
import type { DraftLoader, IdentityAt } from "../../turns/parts.ts";
import { headOf, LARGE } from "./ingest.ts";
import { isStream } from "./fingerprint.ts";

/** What a draft came from. */
export interface Loaded {
  page: string;
  /** Everything the index knows of the file: equal for files of equal bytes. */
  memory: () => string;
  gone: boolean;
}

const NO_DRIFT: Drift = { versions: {}, unknownTypes: {}, unknownFields: {} };

/**
 * Files that repeat one another are understood only together. What must be asked of the native file for that is kept beside
 * its page, so that it is asked once, goes on where it stopped, and stays known when the file is gone. Without a meter
 * nothing is asked or written: questions are answered from what the last sync left.
 */
export function bookLoader(drafts: ReadonlyMap<FileDraft, Loaded>, meter: ReadMeter | null): DraftLoader {
  const files = fileLoader({ detail: "full", ledger: false, toolDetail: true });
  const identifies = (source: string): boolean => files.identifies(source);
  const known = new Map<FileDraft, IdentityAt[]>();
  const canAsk = (draft: FileDraft): boolean => drafts.get(draft)?.gone === false && existsSync(draft.path);
  const identities = (draft: FileDraft): IdentityAt[] => {
    const page = drafts.get(draft)?.page;
    let list = known.get(draft);
    if (list || page === undefined) return list ?? [];
    const from = identifies(draft.source) ? page : identityPage(draft, page, canAsk(draft) ? meter : null);
    list = [...readPage(from).entries()].map(({ identity, time }) => ({ identity: identity ?? null, time }));
    known.set(draft, list);
    return list;
  };
  return {
    identities,
    readInherited(draft, inherited) {
      const page = drafts.get(draft)?.page;
      if (page === undefined) return draft;
      const own =
        meter !== null && canAsk(draft)
          ? keepOwn({ draft, page, inherited, list: identities(draft), meter })
          : newestOwn(page);
      const entries = own === null ? withInherited(readPage(page).entries(), inherited) : readPage(own).entries();
      const builder = new DraftBuilder(draft.ref, draft.session_id, { ledger: false, toolDetail: true });
      for (const entry of entries) builder.push(entry);
      return {
        ...builder.finish(draft.drift),
        ...(own === null ? { page, inherited_from: inherited } : { page: own }),
        gone: draft.gone,
      };
    },
    sameBytes: (a, b) => drafts.get(a)?.memory() === drafts.get(b)?.memory(),
    identifies,
  };
}

/** Sources without ids of their own name every record by its content, which is dear and therefore not done while reading. */
function identityPage(draft: FileDraft, page: string, meter: ReadMeter | null): string {
  const side = `${page}.ids`;
  if (meter !== null) follow(side, draft, { detail: "lean", identities: true, meter }, { bodies: false });
  return pageExists(side) ? side : page;
}

interface Own {
  draft: FileDraft;
  page: string;
  inherited: ReadonlySet<string>;
  list: readonly IdentityAt[];
  meter: ReadMeter;
}

/** The page with the file as it is read knowing the others. What was known of them may change: then it is written anew. */
function keepOwn({ draft, page, inherited, list, meter }: Own): string {
  const known = (lines: number): string => fingerprint(list.slice(0, lines), inherited);
  const before = newestOwn(page);
  const ctx: ReadContext = { detail: "full", inherited, meter };
  if (before !== null) {
    const { commit, damage } = readPage(before).state;
    const [lines, print] = commit.known?.split(" ") ?? [];
    const holds =
      lines !== undefined && known(Number(lines)) === print && !isFromOlderReader(commit) && damage.length === 0;
    if (holds && (isStream(draft.ref) || isSeen(commit, draft))) {
      follow(before, draft, ctx, { bodies: true, known });
      return before;
    }
  }
  const own = before === null ? `${page}.own` : nextGeneration(before);
  follow(own, draft, ctx, { bodies: true, known });
  if (before !== null) removePage(before);
  return own;
}

/** Older ones are removed once a newer one stands; a crash may leave both. */
function newestOwn(page: string): string | null {
  const names = existsSync(dirname(page)) ? readdirSync(dirname(page)) : [];
  const bases = names
    .filter((name) => name.startsWith(`${basename(page)}.own`) && name.endsWith(".ledger.jsonl"))
    .map((name) => join(dirname(page), name.replace(/\.ledger\.jsonl$/, "")))
    .filter((base) => readPage(base).state.ledgerBytes > 0);
  return bases.toSorted((a, b) => generationOf(b) - generationOf(a))[0] ?? null;
}

/** Reads on into a side page, which keeps the reader's memory itself. */
function follow(
  base: string,
  draft: FileDraft,
  ctx: ReadContext,
  how: { bodies: boolean; known?: (lines: number) => string },
): void {
  const { ref } = draft;
  const saved = readPage(base).state;
  // It is derived: where it is damaged, or an older reader wrote it, it is made again.
  if (isFromOlderReader(saved.commit) || saved.damage.length > 0) removePage(base);
  const before = readPage(base).state.commit;
  if (isSeen(before, draft)) return;
  const isNew = before.cursor === undefined;
  const cursor: Cursor | null = before.cursor ?? null;
  const writer = new PageWriter(base, headOf(ref, draft.session_id), how.bodies && ref.size > LARGE);
  try {
    const reading = sourceOf(ref).read(ref, cursor, ctx);
    const tail: Entry[] = [];
    let lines = isNew ? 0 : Number(before.known?.split(" ")[0] ?? 0);
    for (const whole of reading) {
      const entry = how.bodies ? whole : { ...whole, records: [] };
      if (entry.tentative || tail.length > 0) tail.push(entry);
      else {
        writer.add(entry);
        lines++;
      }
    }
    const at = reading.cursor();
    const options: CommitOptions = { tail, cursor: at, seen: seenOf(draft) };
    if (how.known) options.known = `${lines} ${how.known(lines)}`;
    writer.commit(at, options);
  } finally {
    writer.close();
  }
}

function seenOf({ ref }: FileDraft): NonNullable<Commit["seen"]> {
  return { reader: READER_VERSION, size: ref.size, mtime: ref.mtimeMs, stamp: ref.stamp ?? "", drift: NO_DRIFT };
}

function isSeen(commit: Commit, { ref }: FileDraft): boolean {
  const { seen } = commit;
  if (isFromOlderReader(commit)) return false;
  return seen?.size === ref.size && seen.mtime === ref.mtimeMs && seen.stamp === (ref.stamp ?? "");
}

/** What of a file's records the others hold. */
function fingerprint(list: readonly IdentityAt[], inherited: ReadonlySet<string>): string {
  const hash = createHash("sha256");
  for (const { identity, time } of list) {
    const alone = identity !== null && inherited.has(identity);
    hash.update(alone ? (inherited.has(identityAt(identity, time)) ? "2" : "1") : "0");
  }
  return hash.digest("base64url").slice(0, 22);
}
