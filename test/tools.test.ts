import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Io } from "../src/doors/cli/io.ts";
import { main } from "../src/doors/cli/main.ts";
import type { ToolView } from "../src/views/tool-view.ts";
import { at, CA, CT, CU, folder, NOW, toolUse, write } from "./cases/build.ts";

const dir = folder();

/** The calls in order: command, duration in seconds, and whether it failed. */
const CALLS: readonly (readonly [command: string, seconds: number, failed: boolean])[] = [
  ["npm ci", 20, false],
  ["ls", 1, false],
  ["npm test", 5, true],
  ["git push --force origin main", 2, false],
  ["rm -rf /srv/other && npm test -- --watch", 3, true],
];

function clock(second: number): string {
  return new Date(Date.parse("2026-05-12T08:00:00Z") + second * 1000).toISOString();
}

let now = 0;
write(join(dir, "claude", "-nowhere-app", "11111111-2222-4333-8444-555555555555.jsonl"), [
  at(clock(now), CU("make it pass")),
  ...CALLS.flatMap(([command, seconds, failed], n) => {
    const id = `t${n}`;
    const started = clock(now);
    now += seconds;
    return [
      at(started, CA([toolUse(id, "Bash", { command })])),
      at(clock(now), CT(id, failed ? "Error: no" : "ok", {}, { is_error: failed })),
    ];
  }),
]);

async function run(argv: readonly string[], terminal = false): Promise<{ code: number; out: string }> {
  let out = "";
  const io: Io = {
    out: (text) => void (out += text),
    err: () => undefined,
    env: { HOME: dir },
    now: NOW,
    columns: 120,
    outIsTerminal: terminal,
    errIsTerminal: false,
  };
  const code = await main(["tools", "--root", `claude-code=${join(dir, "claude")}`, ...argv], io);
  return { code, out };
}

async function commands(...argv: string[]): Promise<string[]> {
  const { tools } = JSON.parse((await run(["--json", ...argv])).out) as { tools: ToolView[] };
  return tools.map(({ input }) => (input as { command: string }).command);
}

const [install, list, test, push, both] = CALLS.map(([command]) => command);

describe("daybook tools", () => {
  it("lists failed calls first, then the slowest; --order time lists them by time", async () => {
    expect(await commands()).toEqual([test, both, install, push, list]);
    expect(await commands("--limit", "2")).toEqual([test, both]);
    expect(await commands("--order", "time")).toEqual([install, list, test, push, both]);
    expect(await commands("--order", "time", "--limit", "1")).toEqual([install]);
  });

  it("--grep filters calls by their command, ignoring case", async () => {
    expect(await commands("--grep", "NPM TEST")).toEqual([test, both]);
    expect(await commands("--grep", "npm", "--status", "ok")).toEqual([install]);
    expect(await commands("--grep", "no such thing")).toEqual([]);
  });

  it("marks risky calls in JSON and in the table, and --risky lists only those", async () => {
    expect(await commands("--risky")).toEqual([both, push]);
    const { tools } = JSON.parse((await run(["--json", "--order", "time"])).out) as { tools: ToolView[] };
    expect(tools.map(({ risks }) => risks)).toEqual([[], [], [], ["force_push"], ["delete_outside"]]);
    const { out } = await run([]);
    expect(out).toContain("▲ force push: git push --force origin main");
    expect(out).toContain("5 calls, 2 marked as risky");
    expect(out).not.toContain("\u001b");
    expect((await run([], true)).out).toContain("\u001b[31m▲ force push: \u001b[39mgit push --force");
  });

  it("says below a call why it failed, for every agent", async () => {
    const { out } = await run(["--status", "failed"]);
    const lines = out.split("\n");
    expect(lines[lines.findIndex((line) => line.includes("npm test")) + 1]).toBe("  Error: no");
    expect((await run(["--status", "ok"])).out).not.toContain("Error: no");
    const file = join(import.meta.dirname, "fixtures/codex/jspar-0.169.0.jsonl");
    const codex = await run(["--root", `codex=${file}`, "--source", "codex", "--status", "failed"]);
    expect(codex.out).toContain("\n  mkdir: cannot create directory ‘once’: File exists\n");
    expect(codex.out).toContain("\n  lab mcp failure\n");
  });

  it("refuses an unknown --order", async () => {
    expect((await run(["--order", "loudest"])).code).toBe(2);
  });
});
