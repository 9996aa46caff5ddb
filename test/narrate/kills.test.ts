import { expect, it } from "vitest";
// @ts-expect-error a script of plain JavaScript
import * as script from "../../scripts/narrate-kills.js";

const { narrateKilled } = script as {
  narrateKilled: (kills: number, random: () => number) => Promise<Record<string, unknown>>;
};

/** `npm run narrate-kills` kills it fifty times. */
it("the built program, killed during requests, writes the same files and repeats no answered request", async () => {
  const points = [0.45, 0.5, 0.9, 0.5];
  const found = await narrateKilled(2, () => points.shift() ?? 0.5);
  expect(found).toMatchObject({ kills: 2, days: 1, repeated: 0, different: [] });
});
