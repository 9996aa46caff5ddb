import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { open, scratch } from "./fixture.ts";

const MONTH = fileURLToPath(new URL("../fixtures/month/", import.meta.url));

it("blocks since a day are the same as among the blocks of all days", async () => {
  const roots = { "claude-code": [join(MONTH, "claude")], codex: [join(MONTH, "codex")] };
  const daybook = open(roots, scratch("home"), { timezone: "UTC" });
  const blocks = await daybook.blocks({ hours: 5 });
  const days = new Set(blocks.map(({ start }) => start.slice(0, 10)));
  expect(days.size).toBeGreaterThan(5);
  for (const since of days)
    expect(await daybook.blocks({ hours: 5, since }), since).toEqual(blocks.filter(({ start }) => start >= since));
  daybook.close();
});
