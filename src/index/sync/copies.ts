import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { generationOf, isFromOlderReader, nextGeneration, type Commit } from "../../book/pages/page-format.ts";
import { PageWriter, removePage, type CommitOptions } from "../../book/pages/page.ts";
import { pageExists, readPage } from "../../book/pages/page-reader.ts";
import { readerVersion } from "../../stored-versions.ts";
import type { ReadMeter } from "../../base/io/bytes.ts";
import { fileLoader } from "../../book/reading/library.ts";
import { sourceOf } from "../../book/reading/read-file.ts";
import { identityAt, type Cursor, type Drift, type Entry, type ReadContext } from "../../agents/contract.ts";
import { DraftBuilder } from "../../turns/builder.ts";
import { withInherited } from "../../turns/inherited.ts";
import type { FileDraft } from "../../turns/model.ts";
import type { DraftLoader, RecordIdentity } from "../../turns/parts.ts";
import { headOf, LARGE } from "./ingest.ts";
import { isStream } from "./fingerprint.ts";

/** Where a draft came from. */
export interface DraftOrigin {
  page: string;
  /** Everything the index stores about the file: equal for files with equal bytes. */
  memory: () => string;
  gone: boolean;
}

const NO_DRIFT: Drift = { versions: {}, unknownTypes: {}, unknownFields: {} };

/**
 * Files that repeat one another can only be interpreted together. What must be read from the native file for that is
 * stored beside its page, so that it is read once, continues where it stopped, and survives the file. Without a meter
 * nothing is read or written: questions are answered from what the last sync stored.
 */
export function bookLoader(drafts: ReadonlyMap<FileDraft, DraftOrigin>, meter: ReadMeter | null): DraftLoader {
  const files = fileLoader({ detail: "full", ledger: false, toolDetail: true });
  const identifies = (source: string): boolean => files.hasUniqueIdentities(source);
  const known = new Map<FileDraft, RecordIdentity[]>();
  const canAsk = (draft: FileDraft): boolean => drafts.get(draft)?.gone === false && existsSync(draft.path);
  const identities = (draft: FileDraft): RecordIdentity[] => {
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
          ? updateOwnPage({ draft, page, inherited, list: identities(draft), meter })
          : newestOwnPage(page);
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
    hasUniqueIdentities: identifies,
  };
}

/** Sources without record ids identify records by content, which is too expensive to do while reading. */
function identityPage(draft: FileDraft, page: string, meter: ReadMeter | null): string {
  const side = `${page}.ids`;
  if (meter !== null) readInto(side, draft, { detail: "lean", identities: true, meter }, { bodies: false });
  return pageExists(side) ? side : page;
}

interface OwnPageInput {
  draft: FileDraft;
  page: string;
  inherited: ReadonlySet<string>;
  list: readonly RecordIdentity[];
  meter: ReadMeter;
}

/** The page of the file as read with the others' records known. When those change, it is rewritten. */
function updateOwnPage({ draft, page, inherited, list, meter }: OwnPageInput): string {
  const known = (lines: number): string => inheritedHash(list.slice(0, lines), inherited);
  const before = newestOwnPage(page);
  const ctx: ReadContext = { detail: "full", inherited, meter };
  if (before !== null) {
    const { commit, damage } = readPage(before).state;
    const [lines, hash] = commit.known?.split(" ") ?? [];
    const holds =
      lines !== undefined &&
      known(Number(lines)) === hash &&
      !isFromOlderReader(commit, draft.source) &&
      damage.length === 0;
    if (holds && (isStream(draft.ref) || isSeen(commit, draft))) {
      readInto(before, draft, ctx, { bodies: true, known });
      return before;
    }
  }
  const own = before === null ? `${page}.own` : nextGeneration(before);
  readInto(own, draft, ctx, { bodies: true, known });
  if (before !== null) removePage(before);
  return own;
}

/** Older ones are removed once a newer one exists; a crash may leave both. */
function newestOwnPage(page: string): string | null {
  const names = existsSync(dirname(page)) ? readdirSync(dirname(page)) : [];
  const bases = names
    .filter((name) => name.startsWith(`${basename(page)}.own`) && name.endsWith(".ledger.jsonl"))
    .map((name) => join(dirname(page), name.replace(/\.ledger\.jsonl$/, "")))
    .filter((base) => readPage(base).state.ledgerBytes > 0);
  return bases.toSorted((a, b) => generationOf(b) - generationOf(a))[0] ?? null;
}

/** Continues reading into a side page, which stores the reader's cursor itself. */
function readInto(
  base: string,
  draft: FileDraft,
  ctx: ReadContext,
  how: { bodies: boolean; known?: (lines: number) => string },
): void {
  const { ref } = draft;
  const saved = readPage(base).state;
  // Side pages are derived: if damaged, or written by an older reader, they are rebuilt.
  if (isFromOlderReader(saved.commit, ref.source) || saved.damage.length > 0) removePage(base);
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
  const reader = readerVersion(ref.source);
  return { reader, size: ref.size, mtime: ref.mtimeMs, stamp: ref.stamp ?? "", drift: NO_DRIFT };
}

function isSeen(commit: Commit, { ref }: FileDraft): boolean {
  const { seen } = commit;
  if (isFromOlderReader(commit, ref.source)) return false;
  return seen?.size === ref.size && seen.mtime === ref.mtimeMs && seen.stamp === (ref.stamp ?? "");
}

/** Hash of which records of the file occur in the other files. */
function inheritedHash(list: readonly RecordIdentity[], inherited: ReadonlySet<string>): string {
  const hash = createHash("sha256");
  for (const { identity, time } of list) {
    const alone = identity !== null && inherited.has(identity);
    hash.update(alone ? (inherited.has(identityAt(identity, time)) ? "2" : "1") : "0");
  }
  return hash.digest("base64url").slice(0, 22);
}
