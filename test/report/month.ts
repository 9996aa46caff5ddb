import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { Daybook } from "../../src/answers/daybook.ts";

const MONTH = fileURLToPath(new URL("../fixtures/month/", import.meta.url));

interface TrueTurn {
  turn: string;
  time: string;
  day: string;
  goal: string;
  result: string;
  text: string;
  final: string | null;
  actor: string;
  outcome: string;
  written_outcome: string;
  calls: { id: string; name: string; status: string; command?: string }[];
  commits: { hash: string | null; branch: string | null; subject: string | null; amend: boolean }[];
}

export interface Truth {
  sessions: { session: string; source: string; project: string; automated: boolean; turns: TrueTurn[] }[];
  days: Record<string, { loose_ends: { turn: string; why: string }[]; standup: string[] }>;
}

export const TRUTH: Truth = JSON.parse(readFileSync(join(MONTH, "TRUTH.json"), "utf8")) as Truth;
export const DAYS: readonly string[] = Object.keys(TRUTH.days).toSorted();

export const MONTH_ROOTS: Record<string, string[]> = {
  "claude-code": [join(MONTH, "claude")],
  codex: [join(MONTH, "codex")],
};

const homes: string[] = [];

/** A Daybook over the `month` fixture (two weeks of one developer), which reads files directly or through a book. */
export function month(withBook = false): Daybook {
  const options = {
    roots: MONTH_ROOTS,
    timezone: "Europe/Berlin",
    env: {},
    home: "/nowhere",
    now: Date.parse("2026-10-01T12:00:00Z"),
  };
  if (!withBook) return new Daybook(options);
  const book = mkdtempSync(join(tmpdir(), "daybook-month-"));
  homes.push(book);
  return new Daybook({ ...options, book });
}

afterAll(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
});
