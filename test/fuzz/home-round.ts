import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { differences, open, type Roots } from "../store/fixture.ts";
import { nine } from "../nine.ts";
import { flipped, mutateLines } from "./mutate-lines.ts";
import { Random } from "./random.ts";
import type { Found } from "./round.ts";

type Answers = Record<string, unknown>;

interface Session {
  session_id: string;
  session_path: string;
}

/**
 * Damages the pages or the index of a book with sessions of every agent. No query may throw; a damaged index must not
 * change any answer, and a damaged page no answer about the sessions of other pages.
 */
export class HomeFuzzing {
  readonly #dir: string;
  readonly #roots: Roots;
  readonly found: Found[] = [];
  records = 0;
  #before: Answers | null = null;

  constructor(dir: string) {
    this.#dir = dir;
    this.#roots = nine(join(dir, "files")).roots;
  }

  async round(seed: number): Promise<void> {
    const random = new Random(seed);
    const original = join(this.#dir, "made");
    this.#before ??= await answersOf(this.#roots, original);
    const home = join(this.#dir, "home");
    rmSync(home, { recursive: true, force: true });
    cpSync(original, home, { recursive: true, preserveTimestamps: true });
    const isIndex = random.chance(0.4);
    const touched = isIndex ? this.#damageIndex(home, random) : this.#damagePages(home, random);
    // With the session files present, damaged pages are read again from them; without, only the book can answer.
    const [files, away] = [join(this.#dir, "files"), join(this.#dir, "away")];
    const isGone = !isIndex && random.chance(0.5);
    if (isGone) renameSync(files, away);
    try {
      this.#compare(seed, await answersOf(this.#roots, home), touched, isIndex);
    } catch (error) {
      this.#fail(seed, error instanceof Error ? (error.stack ?? error.message).slice(0, 900) : String(error));
    } finally {
      if (isGone) renameSync(away, files);
    }
  }

  /** Returns the names of the pages that were touched. */
  #damagePages(home: string, random: Random): string[] {
    const book = join(home, "book");
    const files = readdirSync(book, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.parentPath.slice(book.length).split("/").length > 2)
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted();
    const chosen = random.some(files, random.pick([1, 2]));
    for (const path of chosen) {
      const bytes = readFileSync(path);
      const isText = path.endsWith(".jsonl") && random.chance(0.5);
      const changed = isText ? mutateLines(bytes.toString("utf8"), random) : null;
      const cut = random.chance(0.2) ? bytes.subarray(0, random.below(bytes.length + 1)) : flipped(bytes, random);
      writeFileSync(path, changed?.bytes ?? cut);
      this.records += changed?.records ?? 1;
    }
    // Without an index every page has to be read.
    if (random.chance(0.7))
      for (const name of ["index.db", "index.db-wal", "index.seal"]) rmSync(join(home, name), { force: true });
    return chosen.map((path) => path.split("/").at(-1) ?? "");
  }

  #damageIndex(home: string, random: Random): string[] {
    const path = join(home, "index.db");
    const bytes = readFileSync(path);
    writeFileSync(path, random.chance(0.2) ? bytes.subarray(0, random.below(bytes.length)) : flipped(bytes, random));
    this.records++;
    return [];
  }

  #compare(seed: number, now: Answers, touched: readonly string[], isIndex: boolean): void {
    const before = this.#before ?? {};
    if (isIndex) {
      const different = differences(before, now);
      if (different.length > 0) this.#fail(seed, `a damaged index changed: ${different.join(", ")}`);
      return;
    }
    const sessions = before["sessions"] as Session[];
    // A page is named after its file or session. Sessions that are copies of each other affect each other.
    const isTouched = ({ session_id, session_path }: Session): boolean =>
      touched.some((name) => name.includes(session_id) || name.includes(stemOf(session_path))) ||
      // Pages of several sessions in one file are named by their number in it.
      touched.some((name) => /^run-\d+/.test(name) && session_id.startsWith(name.slice(0, 8))) ||
      (/01a1de02-b/.test(session_id) && touched.some((name) => name.includes("01a1de02-b")));
    const others = sessions.filter((session) => !isTouched(session));
    const sessionsNow = new Map((now["sessions"] as Session[]).map((one) => [one.session_id, JSON.stringify(one)]));
    for (const one of others)
      if (sessionsNow.get(one.session_id) !== JSON.stringify(one))
        this.#fail(seed, `${one.session_id} has another answer`);
  }

  #fail(seed: number, why: string): void {
    this.found.push({ seed, label: "home", what: "ask", why });
  }
}

function stemOf(path: string): string {
  return (path.split("/").at(-1) ?? "").replace(/\.(?:jsonl|json)$/, "");
}

async function answersOf(roots: Roots, home: string): Promise<Answers> {
  const daybook = open(roots, home);
  try {
    const audit = await daybook.audit();
    // A whole line missing from a page leaves only a gap in the numbers; the audit is right to report it.
    const wrong = audit.sessions
      .flatMap(({ problems }) => problems)
      .filter((one) => !one.startsWith("records read against lines"));
    if (wrong.length > 0) throw new Error(`audit: ${wrong.join("; ")}`);
    return { sessions: await daybook.sessions(), turns: await daybook.turns(), audit };
  } finally {
    daybook.close();
  }
}
