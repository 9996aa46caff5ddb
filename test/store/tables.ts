import { assembleAll } from "../../src/index/sync/drafts.ts";
import { IndexStore } from "../../src/index/tables/index-store.ts";
import { DOC_KINDS } from "../../src/index/search/text-kinds.ts";
import { hitsOf } from "../../src/index/words/hits.ts";
import { segmentsOf } from "../../src/index/words/match.ts";
import { wordsOfBlock } from "../../src/index/words/segment.ts";

/** Rows by table, each as JSON, in an order that does not depend on when they were written. */
export type Tables = Record<string, string[]>;

/** Tables that depend on when and where files were read, or that queries fill; some are compared in another form below. */
const LEFT_OUT =
  /^(meta|note|unit|change|memory|piece|facts|doc|text.*|instruction.*|force|version|segment.*|sqlite_.*)$/;

/** The content of an index, including saved turn builders: equal for equal files, however they were read. */
export function tablesOf(home: string): Tables {
  const store = IndexStore.openExisting(home);
  if (!store) throw new Error(`no index in ${home}`);
  try {
    const out: Tables = {};
    const rows = (sql: string): string[] =>
      store
        .all(sql)
        .map((row) => JSON.stringify(row))
        .toSorted();
    for (const row of store.all("SELECT name FROM sqlite_master WHERE type = 'table'")) {
      const name = String(row["name"]);
      if (!LEFT_OUT.test(name)) out[name] = rows(`SELECT * FROM ${name}`);
    }
    // Ids of texts follow the order of reading, so only the kind encoded in them is compared.
    out["doc"] = rows(
      `SELECT u.page, d.id % ${DOC_KINDS.length} AS kind, d.line, d.time, d.at, d.bytes, d.words FROM doc d JOIN file u ON u.id = d.file`,
    );
    out["words"] = wordsOf(store);
    out["instruction_use"] = rows(
      "SELECT u.page, f.hash, f.line, f.kind, f.path, f.time, f.sure FROM instruction_use f JOIN file u ON u.id = f.file",
    );
    out["version"] = rows("SELECT u.page, v.version FROM version v JOIN file u ON u.id = v.file");
    out["instruction"] = rows("SELECT hash FROM instruction WHERE hash IN (SELECT hash FROM instruction_use)");
    out["file"] = rows("SELECT source, path, key, session_id, page, reader, lines, problems, gone, stale FROM file");
    const packed = (sql: string): string[] =>
      store.all(sql).map((row) =>
        Object.values(row)
          .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString("base64") : String(value)))
          .join(" "),
      );
    out["read_state"] = packed(
      "SELECT u.page, m.tail, m.saved FROM read_state m JOIN file u ON u.id = m.file",
    ).toSorted();
    out["state_slice"] = packed(
      "SELECT u.page, p.list, p.n, p.names, p.body FROM state_slice p JOIN file u ON u.id = p.file",
    ).toSorted();
    out["draft"] = assembleAll(store, null)
      .sessions.flatMap((session) => session.parts)
      .map((part) => JSON.stringify({ ...part, ref: null, page: null }))
      .toSorted();
    return out;
  } finally {
    store.close();
    IndexStore.release(home);
  }
}

/** The words of each text in order, wherever they are stored. */
function wordsOf(store: IndexStore): string[] {
  const words = new Map<number, string[]>();
  for (const segment of segmentsOf(store))
    for (let block = 0; block < segment.blocks; block++)
      for (const cursor = wordsOfBlock(segment.block(block)); !cursor.isAtEnd;) {
        cursor.next();
        const word = Buffer.from(cursor.word).toString();
        const hits = hitsOf(cursor.postings(), segment.isAlive);
        for (const text of hits.texts) {
          const all = words.get(segment.idOf(text)) ?? [];
          words.set(segment.idOf(text), all);
          for (const place of hits.places(text)) all[place] = word;
        }
      }
  return store
    .all("SELECT d.id, d.line, u.page FROM doc d JOIN file u ON u.id = d.file")
    .map(({ id, line, page }) => [page, line, ...(words.get(Number(id)) ?? [])].join(" "))
    .toSorted();
}
