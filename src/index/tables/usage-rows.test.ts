import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { IndexStore } from "./index-store.ts";
import { QUARTER } from "../../base/time/zone.ts";
import type { CountedResponse } from "../../views/response.ts";
import { parseSessionKey } from "../../record/session-key.ts";
import { noTokens } from "../../record/tokens.ts";
import { writeUsage } from "./usage-rows.ts";

const response = fc.record({
  // Includes times before 1970, no time, an empty model name, and no model name.
  time: fc.constantFrom(null, -1, 0, QUARTER - 1, QUARTER, 5 * QUARTER),
  model: fc.constantFrom(null, "", "a", "b"),
  output_tokens: fc.nat(1000),
  pico: fc.oneof(
    fc.constant(null),
    fc.nat(1e9).map((n) => n * 1e6 + 7),
  ),
});

function rowsOf(
  session: string,
  responses: { time: number | null; model: string | null; output_tokens: number; pico: number | null }[],
): CountedResponse[] {
  const none = { ...parseSessionKey(session), ...noTokens(), owner: null, owner_time: null };
  return responses.map((row, i) => ({ ...none, ...row, response_id: `r${i}` }));
}

it("keeps the usage_sum table equal to the sums over the usage table as rows are added, changed and removed", () => {
  const step = fc.record({
    session: fc.constantFrom("codex/x", "codex/y"),
    rows: fc.array(response, { maxLength: 8 }),
  });
  const store = IndexStore.create(mkdtempSync(join(tmpdir(), "daybook-sums-")));
  const computedSums = (): unknown =>
    store.all(
      `SELECT CASE WHEN time IS NULL THEN NULL ELSE CAST(floor(time / ${QUARTER}.0) AS INTEGER) END AS quarter, model, count(*) AS responses,
         sum(output_tokens) AS output, sum(IFNULL(pico, 0) / 1000000) AS micro, sum(IFNULL(pico, 0) % 1000000) AS pico, sum(pico IS NULL) AS unpriced
       FROM usage GROUP BY 1, 2 ORDER BY 1, 2`,
    );
  const storedSums = (): unknown =>
    store.all(
      "SELECT quarter, model, responses, output_tokens AS output, micro, pico, unpriced FROM usage_sum ORDER BY 1, 2",
    );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
      for (const { session, rows } of steps) {
        store.transaction(() => writeUsage(store, session, rowsOf(session, rows)));
        expect(storedSums()).toEqual(computedSums());
      }
    }),
    { numRuns: 80 },
  );
  store.close();
});
