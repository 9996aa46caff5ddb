import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Daybook } from "../../src/answers/daybook.ts";
import { seeds } from "../nightly.ts";
import { CORPUS } from "../truth.ts";

const dir = mkdtempSync(join(tmpdir(), "daybook-damage-"));
const native = join(dir, "native");
const home = join(dir, "home");
const ROOTS = { pi: [join(native, "pi")], "claude-code": [join(native, "claude")], codex: [join(native, "codex")] };

function open(book: string): Daybook {
  return new Daybook({ roots: ROOTS, book, timezone: "UTC", env: {}, home: "/nowhere", now: Date.UTC(2026, 10, 16) });
}

/** Session and turns by session id, without the usage of sub-agents, which belongs to other sessions. */
async function answersOf(daybook: Daybook): Promise<Map<string, string>> {
  const turns = await daybook.turns();
  const sessions = await daybook.sessions();
  return new Map(
    sessions.map((session) => [
      session.session_id,
      JSON.stringify([
        session,
        turns
          .filter((turn) => turn.session_id === session.session_id)
          .map((turn) => ({ ...turn, usage_with_children: null })),
      ]),
    ]),
  );
}

let undamaged: Map<string, string>;

beforeAll(async () => {
  cpSync(`${CORPUS}pi-0.87.1`, join(native, "pi"), { recursive: true });
  cpSync(`${CORPUS}claude-2.1.325-tui`, join(native, "claude"), { recursive: true });
  cpSync(`${CORPUS}codex-0.166.0-tui-nodaemon`, join(native, "codex"), { recursive: true });
  const daybook = open(home);
  await daybook.sync();
  undamaged = await answersOf(daybook);
  daybook.close();
  rmSync(native, { recursive: true });
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Changes one byte of one file of the book, chosen by the seed. Returns its place. */
function damage(book: string, seed: number): string {
  const files = readdirSync(join(book, "book"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:jsonl|frames)$/.test(entry.name) && !entry.name.startsWith("titles"))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  let state = seed * 2_654_435_761;
  const next = (below: number): number =>
    (state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) >>> 0) + seed) % below;
  const path = files[next(files.length)] ?? "";
  const bytes = readFileSync(path);
  const at = next(bytes.length);
  bytes[at] = ((bytes[at] ?? 0) + 1 + next(254)) % 256;
  writeFileSync(path, bytes);
  return `${path.slice(book.length)}:${at}`;
}

describe("a changed byte in a book whose session files are gone", () => {
  it.each(seeds(25, 100))(
    "is reported, and changes only answers that involve the damaged session (seed %i)",
    async (seed) => {
      const book = join(dir, `home-${seed}`);
      cpSync(home, book, { recursive: true, preserveTimestamps: true });
      const where = damage(book, seed);
      // With the undamaged index, and without.
      if (seed % 2 === 0)
        for (const name of readdirSync(book))
          if (name.startsWith("index")) rmSync(join(book, name), { recursive: true });
      const daybook = open(book);
      const { damaged } = await daybook.sync({ verify: true });
      expect(damaged, where).toHaveLength(1);
      const [{ session_id: hit, page, lines } = { session_id: null, page: "", lines: [] }] = damaged;
      const after = await answersOf(daybook);
      const changed = [...undamaged].filter(
        ([id, text]) => hit !== null && !text.includes(hit) && after.get(id) !== text,
      );
      expect(
        changed.map(([id]) => id),
        where,
      ).toEqual([]);
      // The loss shows in the session's diagnostics and in the problems named with every answer. Exceptions: a file that
      // repeats another is answered from a second page (`.own`), and what a fork repeats is answered from its parent.
      const session = (await daybook.sessions()).find(({ session_id }) => session_id === hit);
      const hasOwnPage = readdirSync(dirname(join(book, page))).some((name) =>
        name.startsWith(`${basename(page)}.own`),
      );
      const isAnswered = !/\.(?:own|ids)/.test(page) && !hasOwnPage && session?.forked_from === null;
      if (lines.length > 0 && isAnswered) {
        expect(session.diagnostics?.corrupt_lines, where).toBeGreaterThan(0);
        expect((await daybook.problems()).map(({ code }) => code)).toContain("line_corrupt");
      }
      daybook.close();
      rmSync(book, { recursive: true });
    },
  );
});

it("a changed byte that hides the checksum of a page's head is reported", async () => {
  const book = join(dir, "home-head");
  cpSync(home, book, { recursive: true, preserveTimestamps: true });
  const [path = ""] = readdirSync(join(book, "book", "pi"), { recursive: true, withFileTypes: true })
    .filter(({ name }) => name.endsWith(".ledger.jsonl"))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  writeFileSync(path, readFileSync(path, "utf8").replace(`,"sum":`, `,"sun":`));
  const daybook = open(book);
  const { damaged } = await daybook.sync({ verify: true });
  expect(damaged).toHaveLength(1);
  daybook.close();
});

const WORD = "assistant_finished";

it("a damaged page is read again from the session file if that still exists", async () => {
  cpSync(`${CORPUS}pi-0.87.1`, join(native, "pi"), { recursive: true });
  const book = join(dir, "home-again");
  cpSync(home, book, { recursive: true, preserveTimestamps: true });
  const path = readdirSync(join(book, "book", "pi"), { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .find(
      (file) =>
        /(?<!ledger)\.jsonl$/.test(file) && !/\.(?:own|ids)/.test(file) && readFileSync(file, "utf8").includes(WORD),
    );
  if (path === undefined) expect.fail("no page holds an answer");
  writeFileSync(path, readFileSync(path, "utf8").replace(WORD, "assistant_finixhed"));
  const daybook = open(book);
  expect((await daybook.sync({ verify: true })).damaged).toHaveLength(1);
  daybook.close();
  const healed = open(book);
  await healed.sync();
  const after = await answersOf(healed);
  expect([...undamaged].filter(([id, text]) => after.get(id) !== text).map(([id]) => id)).toEqual([]);
  healed.close();
});
