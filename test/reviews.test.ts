import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { event, M, R, write } from "./cases/build.ts";
import { run } from "./cases/workspace.ts";
import { open, scratch } from "./store/fixture.ts";
import { rootOfCorpus } from "./truth.ts";

const FINDINGS = [
  { file: "/nowhere/app/src/cart.ts", line: 42, severity: "error", message: "zirconium coupons count twice" },
  { file: "/nowhere/app/src/tax.ts", line: 7, severity: "warning", message: "rounds before it sums" },
];

/**
 * A review as an early description of the format states it: findings with `file`, `line`, `severity` and `message`, and
 * no message after it that repeats them.
 */
function reviewed(): string {
  const root = scratch("codex");
  write(join(root, "sessions", "rollout-review.jsonl"), [
    M("reviewed"),
    event("entered_review_mode", { target: { type: "baseBranch", branch: "master" }, user_facing_hint: "changes" }),
    event("exited_review_mode", {
      review_output: {
        findings: FINDINGS,
        overall_correctness: "patch is incorrect",
        overall_explanation: "Two problems in the totals.",
        overall_confidence_score: 0.8,
      },
    }),
    R("Fix them"),
  ]);
  return `codex=${root}`;
}

const FIRST = "src/cart.ts:42 · error · zirconium coupons count twice";
const SECOND = "src/tax.ts:7 · warning · rounds before it sums";

describe("the findings of a review", () => {
  it.each(["terminal", "markdown", "html"])("are shown with the session, as %s", async (format) => {
    const { out } = await run(["show", "reviewed", "--root", reviewed(), "--format", format], {});
    expect(out).toContain("Two problems in the totals.");
    expect(out).toContain("Review: patch is incorrect (confidence 0.8), 2 findings");
    expect(out).toContain(FIRST);
    expect(out).toContain(SECOND);
  });

  it.each(["book", "files"])("are found by search, in the %s", async (place) => {
    const [, root = ""] = reviewed().split("=");
    const daybook = place === "book" ? open({ codex: [root] }, scratch("home")) : open({ codex: [root] });
    const found = await daybook.search("zirconium");
    expect(found).toMatchObject([{ kind: "reply", session_id: "reviewed", turn_ref: "T0001", line: 3 }]);
    daybook.close();
  });

  it.each([
    ["terminal", ["--full"]],
    ["markdown", ["--format", "markdown"]],
    ["html", ["--format", "html"]],
  ])("are in the report, as %s, with paths of the project shortened", async (_, how) => {
    const { out } = await run(["report", "--date", "2026-05-12", "--root", reviewed(), ...how], {});
    expect(out).toContain("Review: patch is incorrect (confidence 0.8), 2 findings");
    for (const words of [FIRST, SECOND]) expect(out).toContain(words);
  });

  it("are counted in the summary and are data in JSON", async () => {
    const root = reviewed();
    const summary = await run(["report", "--date", "2026-05-12", "--root", root], {});
    expect(summary.out).toContain("2 findings");
    const { out } = await run(["report", "--date", "2026-05-12", "--root", root, "--format", "json"], {});
    const [turn] =
      (JSON.parse(out) as { projects: { turns: { review: unknown; last_words: unknown }[] }[] }).projects[0]?.turns ??
      [];
    expect(turn?.review).toMatchObject({
      overall_correctness: "patch is incorrect",
      overall_confidence: 0.8,
      line: 3,
      findings: [
        { path: FINDINGS[0]?.file, start_line: 42, severity: "error", title: FINDINGS[0]?.message },
        { path: FINDINGS[1]?.file, start_line: 7, severity: "warning", title: FINDINGS[1]?.message },
      ],
    });
    expect(turn?.last_words).toMatchObject({ text: "Two problems in the totals." });
  });

  it("of a genuine review have their place once, though its title names the priority", async () => {
    const root = `codex=${rootOfCorpus("codex-0.130.0")}`;
    const { out } = await run(["show", "01a1de03-5464-7220-9635-83bb1b8f8f08", "--root", root], {});
    expect(out).toContain("Review: patch is correct (confidence 0.9), 1 finding");
    expect(out).toContain("- /srv/dev/labs/app.py:1 · [P2] Avoid hard-coded version\n");
  });
});

describe("usage limits", () => {
  it.each([
    [{ has_credits: true, unlimited: false, balance: 12.5 }, "credits: 12.5 left"],
    [{ has_credits: true, unlimited: false, balance: null }, "credits: some, balance not stated"],
    [{ has_credits: false, unlimited: false, balance: null }, "credits: none"],
    [{ has_credits: true, unlimited: true, balance: null }, "credits: unlimited"],
  ])("names the plan and the credits %j", async (credits, words) => {
    const root = scratch("codex");
    const primary = { used_percent: 20, window_minutes: 300, resets_at: 1765975828 };
    write(join(root, "sessions", "rollout-limits.jsonl"), [
      M("limited"),
      R("go"),
      event("token_count", { info: null, rate_limits: { primary, secondary: null, credits, plan_type: "pro" } }),
    ]);
    const { out } = await run(["usage", "limits", "--root", `codex=${root}`], {});
    expect(out).toContain("plan pro");
    expect(out).toContain(words);
  });

  const limited = (): string => {
    const root = scratch("codex");
    const primary = { used_percent: 20, window_minutes: 300, resets_at: Date.parse("2026-05-12T20:00:00Z") / 1000 };
    const limits = { primary, secondary: null, plan_type: "pro" };
    const stated = event("token_count", { info: null, rate_limits: limits });
    write(join(root, "sessions", "rollout-limits.jsonl"), [M("limited"), R("go"), stated]);
    return `codex=${root}`;
  };

  it.each([
    "--since 1d",
    "--until 2026-05-01",
    "--last 3",
    "--project app",
    "--session x",
    "--label a=b",
    "--starred",
    "--limit 1",
    "--breakdown",
    "--by-agent",
    "--instances",
    "--compact",
    "--order desc",
    "--by trigger",
    "--start-of-week sunday",
    "--sections daily",
    "--no-cost",
    "--mode display",
    "--debug",
    "--project-aliases a=b",
  ])("refuses %s, which would have no effect", async (given) => {
    const { code, err } = await run(["usage", "limits", "--root", limited(), ...given.split(" ")], {});
    expect([code, err]).toEqual([2, expect.stringContaining(`${given.split(" ")[0]} has no effect on limits`)]);
  });

  it("heeds the time zone, --format and --jq", async () => {
    const root = limited();
    const table = await run(["usage", "limits", "--root", root, "-z", "Asia/Tokyo"], {});
    expect(table.out).toContain("recorded 2026-05-12 17:00");
    expect(table.out).toContain("resets 2026-05-13 05:00");
    const { out } = await run(["usage", "limits", "--root", root, "--format", "json"], {});
    expect(JSON.parse(out)).toMatchObject({ limits: [{ plan: "pro", recorded_at: "2026-05-12T08:00:00.000Z" }] });
    const refused = await run(["usage", "limits", "--root", root, "--format", "ccusage"], {});
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("ccusage has no report limits")]);
  });
});
