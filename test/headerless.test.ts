import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { event, M, R, write } from "./cases/build.ts";
import { run } from "./cases/workspace.ts";
import { scratch } from "./store/fixture.ts";

const BRIEF = "D1 — Which port?\nRecommendation: A because it is free\nA) 80 (recommended)\nB) 81";
const ASKED = [R("go"), event("agent_message", { message: BRIEF }), R("B"), event("agent_message", { message: "ok" })];

/** A session whose first line was lost, and one that is whole. */
function sessions(): string {
  const root = scratch("codex");
  write(join(root, "sessions/rollout-2026-05-12T08-00-00-headless.jsonl"), ASKED);
  write(join(root, "sessions/rollout-2026-05-12T08-00-00-whole.jsonl"), [M("whole"), ...ASKED]);
  return root;
}

describe("a session without a header", () => {
  it.each([
    ["decisions", []],
    ["decisions", ["--json"]],
    ["decisions", ["export"]],
    ["export", ["--out", "@"]],
  ])("is warned of by %s %j, with and without a book", async (command, words) => {
    const root = sessions();
    for (const home of [[], ["--home", scratch("home")]]) {
      const given = words.map((word) => (word === "@" ? scratch("out") : word));
      const { code, out, err } = await run([command, ...given, "--root", `codex=${root}`, ...home], {});
      expect(err).toContain(`no header: ${join(root, "sessions/rollout-2026-05-12T08-00-00-headless.jsonl")}`);
      expect(err.match(/no header/g)).toHaveLength(1);
      expect(out).not.toContain("no header");
      expect(code).toBe(0);
    }
  });

  it("is not mentioned where it takes no part, nor with --quiet", async () => {
    const root = ["--root", `codex=${sessions()}`];
    expect((await run(["decisions", "--session", "whole", ...root], {})).err).not.toContain("no header");
    expect((await run(["decisions", "--quiet", ...root], {})).err).not.toContain("no header");
  });
});
