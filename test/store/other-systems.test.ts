import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { IndexStore } from "../../src/index/tables/index-store.ts";
import { CORPUS, sourceOfCorpus } from "../truth.ts";
import { open, scratch, syncBook } from "./fixture.ts";

// What other systems do to files, as far as it can be done here; docs/platforms.md lists what cannot.

it.each(["codex-0.166.0", "claude-2.1.325", "copilot-1.0.102"])(
  "lines of %s that end as on Windows give the same turns and the same balance",
  async (label) => {
    const dir = scratch("lines");
    cpSync(join(CORPUS, label), dir, { recursive: true });
    const source = sourceOfCorpus(label);
    const asked = async (root: string): Promise<unknown> => {
      const daybook = open({ [source]: [root] });
      const turns = (await daybook.turns()).map(({ session_path: _path, ...turn }) => turn);
      const { totals } = await daybook.audit();
      daybook.close();
      return { turns, totals };
    };
    const before = await asked(dir);
    for (const name of readdirSync(dir, { recursive: true, encoding: "utf8" }))
      if (name.endsWith(".jsonl"))
        writeFileSync(join(dir, name), readFileSync(join(dir, name), "utf8").replaceAll("\n", "\r\n"));
    expect(await asked(dir)).toEqual(before);
  },
);

it("pages have short names that differ by more than their case and that no system reserves", async () => {
  const [dir, book] = [scratch("names"), scratch("book")];
  const line = readdirSync(join(CORPUS, "codex-0.166.0"), { recursive: true, encoding: "utf8" }).find((name) =>
    name.endsWith(".jsonl"),
  );
  const text = readFileSync(join(CORPUS, "codex-0.166.0", line ?? ""), "utf8");
  mkdirSync(dir, { recursive: true });
  const names = ["rollout-a", "rollout-A", "rollout-con", `rollout-${"x".repeat(200)}`, "rollout-a b:c.", "rollout-ä"];
  for (const [n, name] of names.entries())
    writeFileSync(join(dir, `${name}.jsonl`), text.replaceAll(/01a1d[0-9a-f]{3}-/g, `01a1d00${n}-`));
  await syncBook({ codex: [dir] }, book);
  const store = IndexStore.openExisting(book);
  const pages = store?.all("SELECT page FROM file").map(({ page }) => String(page)) ?? [];
  store?.close();
  IndexStore.release(book);
  expect(new Set(pages.map((page) => page.toLowerCase())).size).toBe(names.length);
  for (const page of pages) expect(page).toMatch(/^book\/codex\/[0-9a-f]{2}\/[\w.-]{1,80}-[0-9a-f]{10}$/);
});
