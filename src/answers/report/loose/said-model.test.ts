import { expect, it } from "vitest";
import { expectLinear } from "../../../../test/linear.ts";
import { likeliestIn } from "./said.ts";
import { learned } from "../../../base/text/learned.ts";
import { BUCKETS, partsOf, SAID_OPEN, saysOpen } from "./said-model.ts";

it("data/said-open.json holds a weight for every bucket", () => {
  const { bias, step, weights } = learned(SAID_OPEN);
  expect(weights.length).toBe(BUCKETS);
  expect(weights.some((weight) => weight !== 0)).toBe(true);
  expect(Math.abs(bias)).toBeLessThan(5);
  expect(step).toBeGreaterThan(0);
});

it("tells what is handed over from what is done, in several languages", () => {
  const pairs = [
    ["The migration has not been applied to production yet.", "The migration has been applied to production."],
    ["Die Migration ist noch nicht eingespielt.", "Die Migration ist eingespielt."],
    ["Il reste deux tests à corriger.", "Les deux tests sont corrigés."],
    ["まだデプロイしていません。", "デプロイしました。"],
    ["还没有部署。", "已部署。"],
  ] as const;
  for (const [open, done] of pairs) expect(saysOpen(open), open).toBeGreaterThan(saysOpen(done));
});

it("names, paths and numbers of a project do not matter", () => {
  const one = partsOf("Moved `parseDate` to src/a/dates.ts in 12 files.");
  expect(partsOf("Moved `zip` to lib/other/file.rb in 9,400 files.")).toEqual(one);
});

it("finds the sentence of a reply that is open, wherever it stands", () => {
  const reply =
    "Retries double up to 6 h.\n\nThe load test still has to be run by you.\n\n```\nnot pushed\n```\nAll 12 tests pass.";
  expect(likeliestIn(reply)?.quote).toBe("The load test still has to be run by you.");
  expect(likeliestIn("```\ncode\n```")).toBeNull();
});

it("takes linear time on long text", () => {
  for (const unit of ["not ", "a. ", "未", "`", "/a", "1,"]) {
    expectLinear(unit, 40_000, (text) => {
      likeliestIn(text);
    });
  }
});
