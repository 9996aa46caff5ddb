import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { openDatabase, type Database } from "../../src/base/io/sqlite.ts";
import { announcements, header, prompt, reply, REPORT } from "../../src/agents/aider/testing.ts";
import { open } from "../store/fixture.ts";
import { nine } from "../nine.ts";
import { sourceOfCorpus } from "../truth.ts";
import { mutateValue } from "./mutate-json.ts";
import { flipped, mutateDocument, mutateLines, mutateText, type Mutated } from "./mutate-lines.ts";
import type { Random } from "./random.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures/", import.meta.url));

/** The files of one store of one agent. */
export interface FuzzStore {
  source: string;
  label: string;
  files: ReadonlyMap<string, Buffer>;
  /** Names of the files that contain sessions; these are mutated. */
  sessions: readonly string[];
}

/** Larger session files are left out where there are smaller ones, to keep rounds short. */
const LARGEST = 300_000;
const AIDER =
  `${header()}${announcements()}${prompt("fix the rope")}${reply("Done.\n\n```py\nx\n```")}${REPORT}`.repeat(4);

/** Stores of all fixtures without the files named in `except`, an Aider store, and a store of exported Daybook logs. */
export async function fuzzStores(except: readonly string[]): Promise<FuzzStore[]> {
  const stores = genuineStores(except);
  const daybook = open(nine().roots);
  const files = new Map<string, Buffer>();
  for (const { source, session_id } of await daybook.sessions()) {
    const lines: string[] = [];
    for await (const record of daybook.records(`${source}/${session_id}`)) lines.push(`${JSON.stringify(record)}\n`);
    files.set(
      `${source}-${files.size}.jsonl`,
      Buffer.from(lines.join("").replaceAll(session_id, `logged-${files.size}`)),
    );
  }
  daybook.close();
  return [...stores, { source: "log", label: "log", files, sessions: [...files.keys()] }];
}

function genuineStores(except: readonly string[]): FuzzStore[] {
  const stores = ["corpus", "corpus-2"].flatMap((series) =>
    readdirSync(join(FIXTURES, series))
      .filter((label) => !label.endsWith(".json"))
      .map((label) => storeIn(join(FIXTURES, series, label), label, except)),
  );
  const files = new Map([[".aider.chat.history.md", Buffer.from(AIDER)]]);
  return [...stores, { source: "aider", label: "aider", files, sessions: [...files.keys()] }];
}

function storeIn(root: string, label: string, except: readonly string[]): FuzzStore {
  const names = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !except.includes(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .toSorted();
  const files = new Map(names.map((name) => [name, readFileSync(join(root, name))]));
  const isSession = (name: string): boolean =>
    /\.(?:jsonl|json|db)$/.test(name) && !/meta\.json$|tracking\.json$|projects\.json$/.test(name);
  const small = names.filter((name) => isSession(name) && (files.get(name)?.length ?? 0) <= LARGEST);
  return { source: sourceOfCorpus(label), label, files, sessions: small.length > 0 ? small : names.filter(isSession) };
}

export interface Written {
  /** Records that were changed. */
  records: number;
  files: { path: string; bytes: Buffer }[];
}

/** Writes some of the sessions mutated, and small other files of the store unchanged. */
export function writeMutated(store: FuzzStore, random: Random, dir: string): Written {
  const isOneStore = store.sessions.length > 0 && store.sessions.every((name) => name.endsWith(".json"));
  const chosen = isOneStore ? store.sessions : random.some(store.sessions, random.pick([2, 12, 30]));
  const out: Written = { records: 0, files: [] };
  const put = (name: string, { bytes, records }: Mutated): void => {
    const path = join(dir, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
    out.records += records;
    if (records > 0) out.files.push({ path, bytes });
  };
  for (const [name, bytes] of store.files) {
    if (!chosen.includes(name)) {
      // Sessions that were not chosen are not written, to keep a round short.
      if (!store.sessions.includes(name) && bytes.length < 20_000) put(name, { bytes, records: 0 });
    } else if (name.endsWith(".db")) {
      put(name, { bytes, records: 0 });
      out.records += mutateDatabase(join(dir, name), random);
    } else put(name, mutateFile(name, bytes, random));
  }
  return out;
}

function mutateFile(name: string, bytes: Buffer, random: Random): Mutated {
  if (random.chance(0.02)) return { bytes: flipped(bytes, random), records: 1 };
  const text = bytes.toString("utf8");
  if (name.endsWith(".jsonl")) return mutateLines(text, random);
  return name.endsWith(".json") ? mutateDocument(text, random) : mutateText(text, random);
}

/** Mutates single cells, as JSON values where they contain JSON; sometimes bytes of the file instead. */
function mutateDatabase(path: string, random: Random): number {
  if (random.chance(0.15)) {
    writeFileSync(path, flipped(readFileSync(path), random));
    return 1;
  }
  const db = openDatabase(path);
  let records = 0;
  try {
    db.exec("PRAGMA journal_mode = DELETE; PRAGMA foreign_keys = OFF; BEGIN");
    const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    for (const { name } of tables) records += mutateTable(db, String(name), random);
    db.exec("COMMIT");
  } finally {
    db.close();
  }
  return records;
}

function mutateTable(db: Database, table: string, random: Random): number {
  const rows = db.prepare(`SELECT rowid AS "rowid!", * FROM "${table}" LIMIT 400`).all();
  const others = rows.slice(0, 40);
  const probability = random.pick([0.02, 0.3, 0.8]);
  let records = 0;
  for (const { "rowid!": id = 0, ...row } of rows) {
    if (!random.chance(probability)) continue;
    const column = random.pick(Object.keys(row));
    try {
      if (random.chance(0.05)) db.prepare(`DELETE FROM "${table}" WHERE rowid = ?`).run(id);
      else
        db.prepare(`UPDATE "${table}" SET "${column}" = ? WHERE rowid = ?`).run(
          mutateCell(row[column], random, others),
          id,
        );
      records++;
    } catch {
      // The schema forbids this change, so it cannot occur in a real database.
    }
  }
  return records;
}

function mutateCell(value: unknown, random: Random, others: readonly unknown[]): string | number | null {
  const isJson = typeof value === "string" && /^[[{]/.test(value);
  const changed = mutateValue(isJson ? (JSON.parse(value) as unknown) : value, random, others, random.pick([1, 1, 3]));
  if (typeof changed === "string" || changed === null) return changed;
  if (typeof changed === "number") return changed;
  try {
    return JSON.stringify(changed, (_, one: unknown) => (typeof one === "bigint" ? String(one) : one)) ?? null;
  } catch {
    return null;
  }
}
