import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { IndexStore } from "../../src/index/tables/index-store.ts";
import { CORPUS } from "../truth.ts";
import { open, scratch } from "./fixture.ts";

/** A genuine session with synthetic statements of rate limits: those of the corpora name no limit. */
function linesWithLimits(): string[] {
  const root = join(CORPUS, "codex-0.130.0-tui");
  const [file = ""] = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".jsonl"),
  );
  const lines = readFileSync(join(root, file), "utf8").trimEnd().split("\n");
  return lines.flatMap((line, i) => {
    const { timestamp } = JSON.parse(line) as { timestamp: string };
    const limits = { limit_id: i % 3 === 0 ? "weekly" : "codex", primary: { used_percent: i, window_minutes: 300 } };
    const statement = {
      timestamp,
      type: "event_msg",
      payload: { type: "token_count", info: null, rate_limits: limits },
    };
    return i % 4 === 2 ? [line, JSON.stringify(statement)] : [line];
  });
}

it("rate limits are the same from the book as from the files while a session grows, also in mid-line", async () => {
  const [root, book] = [scratch("limits"), scratch("book")];
  const path = join(root, "rollout-2026-11-15T07-18-00-01a1de12-a772-7c92-97c6-e5944303aa40.jsonl");
  const lines = linesWithLimits();
  for (const end of [8, 20.5, 21, 33.5, lines.length]) {
    const partialLine = end % 1 === 0 ? "" : (lines[Math.floor(end)] ?? "").slice(0, 30);
    writeFileSync(path, `${lines.slice(0, Math.floor(end)).join("\n")}\n${partialLine}`);
    const [fromBook, direct] = [open({ codex: [root] }, book), open({ codex: [root] })];
    const found = await fromBook.limits();
    expect(found).toEqual(await direct.limits());
    expect(found.length).toBeGreaterThan(0);
    fromBook.close();
  }
  const store = IndexStore.openExisting(book);
  expect(store?.all("SELECT id FROM rate_limit ORDER BY id").map(({ id }) => id)).toEqual(["codex", "weekly"]);
  store?.close();
});
