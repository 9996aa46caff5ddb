import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Daybook } from "../../src/answers/daybook.ts";
import { scratch } from "./fixture.ts";

const MONTH = fileURLToPath(new URL("../fixtures/month/", import.meta.url));

/** A copy of the session files of the fixture `month`, and a book of them; every test gets its own copy of the book. */
export class MonthBook {
  static readonly now: number = Date.UTC(2026, 11, 31);
  readonly files: string;
  readonly roots: Record<"claude-code" | "codex", string[]>;
  readonly rootFlags: string[];
  /** The book of the test that is running. */
  home = "";
  readonly #full: string;

  constructor(name: string) {
    const dir = scratch(name);
    this.files = join(dir, "files");
    this.#full = join(dir, "full");
    this.roots = { "claude-code": [join(this.files, "claude")], codex: [join(this.files, "codex")] };
    this.rootFlags = Object.entries(this.roots).flatMap(([id, [path = ""]]) => ["--root", `${id}=${path}`]);
  }

  async begin(): Promise<void> {
    if (!existsSync(this.files)) cpSync(MONTH, this.files, { recursive: true });
    if (!existsSync(this.#full)) {
      const daybook = this.open(this.#full);
      await daybook.sync();
      daybook.close();
    }
    this.home = scratch("home");
    cpSync(this.#full, this.home, { recursive: true, preserveTimestamps: true });
  }

  open(book: string = this.home, roots: Record<string, string[]> = this.roots): Daybook {
    return new Daybook({ roots, book, env: {}, home: "/nowhere", now: MonthBook.now, timezone: "UTC" });
  }

  async with<T>(work: (daybook: Daybook) => Promise<T>, roots?: Record<string, string[]>): Promise<T> {
    const daybook = this.open(this.home, roots);
    try {
      return await work(daybook);
    } finally {
      daybook.close();
    }
  }
}
