import { describe, expect, it } from "vitest";
import { DAYS, month, TRUTH } from "./month.ts";

/** Call ids of the searches (`rg`) in the month fixture that found nothing. */
const NO_HIT = TRUTH.sessions
  .flatMap((session) => session.turns.flatMap((turn) => turn.calls))
  .filter(({ status, command }) => status === "failed" && command?.startsWith("rg ") === true)
  .map(({ id }) => id);

describe("search command without a match", () => {
  it("is the only kind of call marked as an expected exit, directly and from the book", async () => {
    expect(NO_HIT.length).toBeGreaterThan(4);
    for (const withBook of [false, true]) {
      const daybook = month(withBook);
      const tools = await daybook.tools({});
      const marked = tools.filter((tool) => tool.expected_exit === true);
      expect(marked.map((tool) => tool.call_id ?? "").toSorted()).toEqual(NO_HIT.toSorted());
      for (const { status, exit_code } of marked)
        expect({ status, exit_code }).toEqual({ status: "failed", exit_code: 1 });
      // An expected exit is not a problem, so it is sorted after the real failures.
      const worst = await daybook.tools({ order: "worst", status: "failed" });
      expect(
        worst
          .slice(-NO_HIT.length)
          .map((tool) => tool.call_id ?? "")
          .toSorted(),
      ).toEqual(NO_HIT.toSorted());
      daybook.close();
    }
  });

  it("is neither counted nor listed as failed in reports", async () => {
    const report = await month().report({ since: DAYS[0], until: DAYS.at(-1) });
    const { tools } = report.totals;
    const failed = TRUTH.sessions
      .flatMap((session) => session.turns.flatMap((turn) => turn.calls))
      .filter(({ status }) => status === "failed");
    expect(tools.expected_exit).toBe(NO_HIT.length);
    expect(tools.failed).toBe(failed.length - NO_HIT.length);
    expect(tools.total).toBe(
      tools.ok + tools.failed + tools.expected_exit + tools.interrupted + tools.denied + tools.pending,
    );
    const listed = report.projects.flatMap((project) => project.turns.flatMap((turn) => turn.tool_problems));
    expect(listed.filter(({ call_id }) => NO_HIT.includes(call_id ?? ""))).toEqual([]);
  });
});
