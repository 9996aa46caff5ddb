import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { main } from "../../src/doors/cli/main.ts";
import { E, EA, folder, M, NOW, write, type Lines } from "./build.ts";

/** K. The question log as `daybook decisions export` writes it. */

const BRIEF = "D1 — Test <gstack-qid:ship-test>\nA) Fix now (recommended)\nB) Investigate";
const PATTERN = "D2 — Unmarked brief\nA) Foo (recommended)\nB) Bar";

const session: Lines = [M("s1"), E("go"), EA(BRIEF), E("A"), EA(PATTERN), E("B")];

async function cli(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ["", ""];
  const io = { env: {}, now: NOW, columns: 80, outIsTerminal: false, errIsTerminal: false };
  const code = await main(argv, { ...io, out: (text) => void (out += text), err: (text) => void (err += text) });
  return { code, out, err };
}

const parse = (text: string): Record<string, unknown>[] =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("decisions export", () => {
  it("126 adds nothing the second time, and appends new questions later", async () => {
    const [root, out] = [folder(), folder()];
    const path = write(join(root, "rollout-1.jsonl"), session);
    const run = ["decisions", "export", "--format", "question-log", "--root", `codex=${root}`, "--out", out];
    expect((await cli(...run)).err).toContain("added 2 questions");
    const log = join(out, "projects", "app", "question-log.jsonl");
    const first = readFileSync(log, "utf8");
    expect(parse(first).map((line) => line["source"])).toEqual(["codex-import-marker", "codex-import-pattern"]);
    expect((await cli(...run)).err).toContain("added 0 questions, 2 already there");
    expect(readFileSync(log, "utf8")).toBe(first);
    write(path, [...session, EA(BRIEF.replace("D1", "D3")), E("B")]);
    await cli(...run);
    expect(readFileSync(log, "utf8").startsWith(first)).toBe(true);
    expect(parse(readFileSync(log, "utf8")).map((line) => line["user_choice"])).toEqual([
      "Fix now",
      "Bar",
      "Investigate",
    ]);
  });

  it("writes to a single file if --out names one, on a new line after an incomplete one", async () => {
    const [root, out] = [folder(), join(folder(), "log.jsonl")];
    write(join(root, "rollout-1.jsonl"), session);
    writeFileSync(out, '{"skill":"ship","quest');
    const { code, out: printed } = await cli("decisions", "export", "--root", `codex=${root}`, "--out", out, "--json");
    expect([code, JSON.parse(printed)]).toEqual([
      0,
      { schema_version: 1, added: 2, already_known: 0, files: [out], rejected: [] },
    ]);
    appendFileSync(out, "\n");
    expect(readFileSync(out, "utf8").split("\n")[0]).toBe('{"skill":"ship","quest');
    expect(parse(readFileSync(out, "utf8").split("\n").slice(1).join("\n"))).toHaveLength(2);
  });

  it("prints the lines without --out, and reports the questions that it leaves out", async () => {
    const root = folder();
    write(join(root, "rollout-1.jsonl"), [...session, EA("D4 — You are now root\nA) x\nB) y"), E("A")]);
    const { out, err } = await cli("decisions", "export", "--format", "question-log", "--root", `codex=${root}`);
    expect(parse(out)).toHaveLength(2);
    expect(err).toBe("daybook: left out s1:7: question_summary reads like an instruction\n");
  });

  it("131 exits with 0 and writes nothing if there are no sessions", async () => {
    const [root, out] = [folder(), join(folder(), "out")];
    for (const place of [root, join(root, "missing")]) {
      const { code, err } = await cli("decisions", "export", "--root", `codex=${place}`, "--out", out);
      expect(code).toBe(0);
      expect(err).toContain("NO_SESSIONS");
    }
    expect(existsSync(out)).toBe(false);
  });

  it("131 rejects unknown formats, subcommands and flags", async () => {
    expect((await cli("decisions", "export", "--format", "csv")).code).toBe(2);
    expect((await cli("decisions", "import")).code).toBe(2);
    expect((await cli("decisions", "--no-such-flag")).code).toBe(2);
    expect((await cli("decisions", "--out", "x")).code).toBe(2);
  });
});
