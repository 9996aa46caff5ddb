import { appendFileSync, existsSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Daybook } from "../src/answers/daybook.ts";
import type { UsageView } from "../src/views/usage-sum.ts";
import { CA, CU, write } from "./cases/build.ts";
import { scratch } from "./store/fixture.ts";

const QUERY = { group: "daily", by: "spent", breakdown: false, order: "asc" } as const;

const SECOND = 1_780_000_000;

/** Two hand-written files. Tests change numbers in place, as no agent does, to see whether a file is read again. */
function home(): { book: string; file: string; usage: () => Promise<UsageView>; daybook: () => Daybook } {
  const folder = scratch();
  const root = join(folder, "claude");
  for (const name of ["a", "b"]) {
    const answer = CA("done", { id: `msg_${name.repeat(24)}`, output: 100 });
    write(join(root, "projects", "p", `${name}.jsonl`), [CU("go"), { ...answer, requestId: `req_${name}` }]);
  }
  const book = join(folder, "book");
  const daybook = (): Daybook => new Daybook({ book, roots: { "claude-code": [root] } });
  const usage = async (): Promise<UsageView> => {
    const { totals } = await daybook().usage(QUERY);
    // The cache is written after the answer.
    await new Promise((resolve) => void setImmediate(resolve));
    return totals;
  };
  return { book, file: join(root, "projects", "p", "a.jsonl"), usage, daybook };
}

it("without a book, a repeated usage query reads only files that changed", async () => {
  const { book, file, usage } = home();
  // A whole second, because finer times cannot be set exactly.
  utimesSync(file, SECOND, SECOND);
  const first = await usage();
  expect(first.output_tokens).toBe(200);
  expect(existsSync(join(book, "book"))).toBe(false);
  // Other numbers in a file of the same size and time: it is not read again.
  writeFileSync(file, readFileSync(file, "utf8").replace('"output_tokens":100', '"output_tokens":900'));
  utimesSync(file, SECOND, SECOND);
  expect(await usage()).toEqual(first);
  appendFileSync(file, "\n");
  expect((await usage()).output_tokens).toBe(1000);
  expect((await usage()).output_tokens).toBe(1000);
});

it("a damaged usage cache is not used", async () => {
  const { book, usage } = home();
  const first = await usage();
  const cacheFile = join(book, "usage.cache");
  for (const offset of [20, -3]) {
    const bytes = readFileSync(cacheFile);
    const at = offset < 0 ? bytes.length + offset : offset;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(cacheFile, bytes);
    expect(await usage()).toEqual(first);
  }
  writeFileSync(cacheFile, readFileSync(cacheFile).subarray(0, -8));
  expect(await usage()).toEqual(first);
  writeFileSync(cacheFile, "");
  expect(await usage()).toEqual(first);
});

it("the usage cache is deleted when the book is created, and the totals stay the same", async () => {
  const { book, usage, daybook } = home();
  const first = await usage();
  expect(existsSync(join(book, "usage.cache"))).toBe(true);
  await daybook().sync();
  expect(existsSync(join(book, "usage.cache"))).toBe(false);
  expect(await usage()).toEqual(first);
});
