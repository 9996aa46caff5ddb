import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildProgram } from "../src/doors/cli/main.ts";
import { ended, run, start } from "./store/cli.ts";

/**
 * The build consists of chunks that are loaded when first needed. The other tests run the sources; here every command
 * runs from the build, in a process of its own, so that none depends on a chunk that another command has loaded.
 */
describe("the built program", () => {
  const samples = fileURLToPath(new URL("../samples", import.meta.url));
  const [claude] = readdirSync(join(samples, "claude-code"), { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".jsonl") && !name.includes("agent-"),
  );
  const session = "7c1e4a52";
  let dir = "";
  let roots: string[] = [];
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), "daybook-program-"));
    roots = ["--root", `codex=${samples}/codex`, "--root", `claude-code=${samples}/claude-code`];
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  /** Each command in the forms that need different chunks. `@` is replaced by the `--root` flags, `%` by `--home`. */
  const LINES = [
    "report @ %",
    "report @ % --format html",
    "report @ % --format markdown",
    "report @ % --week --standup",
    "report --sample",
    "today @ %",
    "yesterday @ %",
    "week @ % --json",
    "standup @ %",
    "sync @ %",
    "review @ % --dry-run",
    "sync @ % --full",
    "sessions @ %",
    "sessions @",
    "turns @ % --json",
    "turns @",
    "tools @ % --risky",
    "tools @",
    "context @ % --all",
    "decisions @ %",
    "decisions export @ % --format question-log",
    "decisions stats @ %",
    "decisions stats @ % --profile",
    "decisions distill @ % --dry-run",
    "decisions hook --help",
    "decisions prefer --list %",
    "decisions check ship-x %",
    `show ${session} @ %`,
    `show ${session} @ --format html`,
    `show ${session}/T0001 @ % --format jsonl`,
    "resume --help",
    "blame package.json @ %",
    "file package.json @ %",
    "commit HEAD @ %",
    `handoff ${session} @ %`,
    `mark star ${session} @ %`,
    `mark label ${session} ticket=1 @ %`,
    `mark note ${session} remembered @ %`,
    "search test @ %",
    "recall test @ %",
    "usage @ %",
    "usage session @ %",
    "usage daily @",
    "usage limits @ %",
    "statusline @ %",
    `explain ${session}:1 @ %`,
    "audit @ %",
    "audit @",
    "export @ %",
    `validate ${samples}/claude-code/${claude}`,
    "workspace prepare @ % --date 2026-03-11",
    "workspace list %",
    "workspace inspect % --date 2026-03-11",
    "workspace collect % --date 2026-03-11",
    "narrate @ % --date 2026-03-11 --dry-run",
    "narrate @ % --date 2026-03-11 --quiet",
    "doctor @ %",
    "doctor @ % --repair",
    `forget ${session} @ % --dry-run`,
    "push --help",
    "team --help",
    "team invite --help",
    "completions bash",
    "completions zsh",
    "completions fish",
    "--version",
  ];

  const preload = fileURLToPath(new URL("preload/no-network.cjs", import.meta.url));

  it.each(LINES)("runs daybook %s, and opens no socket", async (line) => {
    const words = line.split(" ").flatMap((word) => {
      if (word === "@") return roots;
      return word === "%" ? ["--home", join(dir, "home")] : [word];
    });
    // With this preload, opening a socket fails, also in threads and child processes.
    const child = start(words, undefined, { NODE_OPTIONS: `--require "${preload}"` });
    // `statusline` reads what its agent writes to stdin.
    child.stdin?.end();
    const { code, out, err } = await ended(child);
    expect({ code, err }).toEqual({ code: 0, err: expect.not.stringMatching(/Error|undefined|network/) as string });
    expect(out).not.toBe("");
  });

  // Daybook computes the system's zone from the clock, and a named zone from the runtime's tables.
  it.each(["America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Shanghai", "UTC"])(
    "gives the same answers with TZ=%s as with --timezone",
    async (zone) => {
      const answersWith = async (...words: string[]): Promise<string[]> => {
        const answers = ["usage daily --json", "report --week --json"].map(async (line) => {
          const { code, out } = await run([...line.split(" "), ...roots, ...words], `export TZ=${zone}`);
          expect(code).toBe(0);
          return out;
        });
        return Promise.all(answers);
      };
      expect(await answersWith()).toEqual(await answersWith("--timezone", zone));
    },
  );

  it("is tested with every command except serve and mcp", () => {
    const nothing = (): void => undefined;
    const io = { out: nothing, err: nothing, env: {}, now: 0, columns: 80, outIsTerminal: false, errIsTerminal: false };
    const names = buildProgram(io, nothing).commands.map((command) => command.name());
    // `serve` listens and does not exit by itself: test/http/serve.test.ts. `mcp` prints nothing unasked: test/mcp.
    const untested = names.filter((name) => !LINES.some((line) => line.split(" ")[0] === name));
    expect(untested).toEqual(["serve", "mcp"]);
  });
});
