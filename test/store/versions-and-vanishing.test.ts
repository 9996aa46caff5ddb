import { inside } from "../../src/answers/daybook.ts";
import { appendFileSync, readdirSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { objectWithChecksum } from "../../src/book/pages/checksum.ts";
import { PAGE_FORMAT, type PageHead } from "../../src/book/pages/page-format.ts";
import { IndexStore } from "../../src/index/tables/index-store.ts";
import { copyCorpus, open, scratch } from "./fixture.ts";

it("a page of a later version is reported and not changed, and all other sessions are answered", async () => {
  const { dir, roots } = copyCorpus(["pi-0.87.1"]);
  const home = scratch("home");
  const first = open(roots, home);
  await first.sync();
  const before = (await first.sessions()).length;
  first.close();
  rmSync(dir, { recursive: true });
  const [ledger] = readdirSync(join(home, "book", "pi"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ledger.jsonl") && !/\.(?:own|ids)/.test(name))
    .toSorted();
  const path = join(home, "book", "pi", ledger ?? "");
  const { page } = JSON.parse(readFileSync(path, "utf8").split("\n")[0] ?? "") as { page: PageHead };
  appendFileSync(path, objectWithChecksum({ page: { ...page, format: PAGE_FORMAT + 1 } }));
  const bytes = readFileSync(path);
  IndexStore.discard(home);
  const daybook = open(roots, home);
  const { damaged } = await daybook.sync({ verify: true });
  expect(damaged).toMatchObject([{ session_id: page.session_id, newer: true }]);
  expect((await daybook.sessions()).length).toBe(before - 1);
  expect((await daybook.problems()).map(({ code }) => code)).toContain("page_damaged");
  daybook.close();
  expect(readFileSync(path)).toEqual(bytes);
});

it("an index of a later version is rebuilt, without a note about damage", async () => {
  const { roots } = copyCorpus(["pi-0.87.1"]);
  const home = scratch("home");
  const first = open(roots, home);
  const before = await first.sessions();
  first.close();
  const store = IndexStore.openExisting(home);
  store?.transaction(() => store.setMeta("version", "9999, readers 99"));
  store?.close();
  IndexStore.release(home);
  expect(IndexStore.stateOf(home)).toBe("older");
  const notes: string[] = [];
  const daybook = open(roots, home, { onNote: (text) => notes.push(text) });
  expect(await daybook.sessions()).toEqual(before);
  expect(notes).toEqual([]);
  daybook.close();
});

it.each(["vanishes", "shrinks"])(
  "a file that %s between discovery and reading does not affect other sessions",
  async (what) => {
    const { roots } = copyCorpus(["pi-0.87.1"]);
    const direct = open(roots);
    const sessions = await direct.sessions();
    const daybook = open(roots, scratch("home"));
    const [ref] = inside(daybook).opened().refs;
    if (!ref) expect.fail("no session");
    if (what === "vanishes") rmSync(ref.path);
    else truncateSync(ref.path, Math.floor(ref.size / 2));
    // No explicit sync, which would discover files again: the first query reads what was found before.
    const others = (list: readonly { session_path: string | null; session_id: string }[]): string[] =>
      list.filter(({ session_path }) => session_path !== ref.path).map(({ session_id }) => session_id);
    expect(others(await daybook.sessions()).toSorted()).toEqual(others(sessions).toSorted());
    const unread = (await daybook.problems()).filter(({ code }) => code === "file_unreadable");
    expect(unread.map(({ path }) => path)).toEqual(what === "vanishes" ? [ref.path] : []);
    expect((await daybook.audit()).problems).toEqual([]);
    daybook.close();
  },
);
