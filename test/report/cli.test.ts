import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import type { Io } from "../../src/doors/cli/io.ts";
import { main } from "../../src/doors/cli/main.ts";
import type { DayReport } from "../../src/answers/report/model.ts";

const MONTH = fileURLToPath(new URL("../fixtures/month", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "daybook-report-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Run {
  code: number;
  out: string;
  err: string;
}

/** Runs the command with a home directory in which no agent has sessions. */
async function run(
  argv: readonly string[],
  terminal = false,
  now = "2026-05-20T12:00:00Z",
  more: Partial<Io> = {},
): Promise<Run> {
  const result: Run = { code: 0, out: "", err: "" };
  const io: Io = {
    out: (text) => void (result.out += text),
    err: (text) => void (result.err += text),
    env: { HOME: folder, XDG_DATA_HOME: join(folder, "data"), XDG_CONFIG_HOME: join(folder, "config") },
    now: Date.parse(now),
    columns: 80,
    outIsTerminal: terminal,
    errIsTerminal: false,
    ...more,
  };
  result.code = await main(argv, io);
  return result;
}

describe("daybook report", () => {
  it("shows the bundled samples and says so when no sessions are found", async () => {
    const { code, out, err } = await run(["report", "-z", "UTC"]);
    expect(code).toBe(0);
    expect(err).toContain("showing the bundled samples");
    expect(out).toContain("Tuesday, 12 May 2026");
    expect((await run(["--sample", "-z", "UTC"])).err).toBe("");
  });

  it("--open writes and opens an HTML page or the --out file, and fails without a program to open it", async () => {
    const opened: string[] = [];
    const more = { open: (path: string) => void opened.push(path) };
    const args = ["report", "--sample", "-z", "UTC", "--open"];
    expect((await run(args, false, undefined, more)).code).toBe(0);
    const named = join(folder, "opened.md");
    expect((await run([...args, "--out", named], false, undefined, more)).code).toBe(0);
    const [page = "", text] = opened;
    expect(page).toMatch(/daybook-2026-05-12\.html$/);
    expect(readFileSync(page, "utf8")).toContain("<!doctype html>");
    rmSync(dirname(page), { recursive: true });
    expect(text).toBe(named);
    expect(readFileSync(named, "utf8")).toContain("# Tuesday, 12 May 2026");
    const refused = await run(args);
    expect(refused).toMatchObject({ code: 2, out: "" });
    expect(refused.err).toContain("no program found that opens files");
  });

  it("without a date shows today so far and the last day with work before it", async () => {
    const month = ["--root", `claude-code=${MONTH}/claude`, "--root", `codex=${MONTH}/codex`, "-z", "Europe/Berlin"];
    const busy = (await run(month, false, "2026-09-18T15:00:00Z")).out;
    const days = busy.split("\n").filter((line) => /^\w+day, /.test(line));
    expect(days).toEqual([
      expect.stringMatching(/^Friday, 18 September 2026 .* partial: not over yet$/),
      expect.stringMatching(/^Thursday, 17 September 2026 .* final$/),
    ]);
    const idle = (await run(month, false, "2026-09-20T15:00:00Z")).out;
    expect(idle).toMatch(/^Nothing yet today\. The last day with work:\n\nFriday, 18 September 2026/);
    const empty = (await run([...month, "--date", "2026-09-13"], false, "2026-09-20T15:00:00Z")).out;
    expect(empty).toMatch(/^No work on these days. The last day with work before: daybook --date 2026-09-11\n/);
    // With --json the output is a single report.
    const json = (await run([...month, "--json"], false, "2026-09-18T15:00:00Z")).out;
    expect((JSON.parse(json) as DayReport).span.since).toBe("2026-09-18");
  });

  it("prints colours to a terminal only, not to pipes or files", async () => {
    expect((await run(["--sample"])).out).not.toContain("\u001b");
    expect((await run(["--sample"], true)).out).toContain("\u001b[");
    const file = join(folder, "day.txt");
    await run(["--sample", "--out", file], true);
    expect(readFileSync(file, "utf8")).not.toContain("\u001b");
  });

  it("prints lines that fit the terminal width", async () => {
    const { out } = await run(["--sample", "--week"]);
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });

  it("chooses the format by the extension of the --out file", async () => {
    for (const [name, start] of [
      ["a.html", "<!doctype html>"],
      ["a.md", "# "],
      ["a.json", "{"],
    ] as const) {
      const { code, out } = await run(["--sample", "-q", "--out", join(folder, name)]);
      expect({ code, out }).toEqual({ code: 0, out: "" });
      expect(readFileSync(join(folder, name), "utf8").startsWith(start)).toBe(true);
    }
  });

  it("prints the report as JSON", async () => {
    const { out } = await run(["--sample", "-z", "UTC", "--json", "--date", "2026-05-11"]);
    const report = JSON.parse(out) as DayReport;
    expect(report).toMatchObject({ schema_version: 1, span: { since: "2026-05-11", status: "final" } });
    expect(report.totals.turns).toBe(8);
  });

  it("says `No requests.` for an empty day", async () => {
    expect((await run(["--sample", "--date", "2026-05-01"])).out).toContain("No requests.");
    expect((await run(["--sample", "--date", "2026-05-01", "--standup"])).out).toContain("No requests.");
    expect((await run(["--sample", "--date", "2026-05-01", "--format", "html"])).out).toContain("No requests.");
  });

  it.each([
    [["--sample", "--date", "2026-05-21", "-z", "UTC"], "in the future"],
    [["--sample", "--format", "pdf"], "unknown format"],
    [["--sample", "--standup", "--format", "html"], "--standup cannot be written as html"],
    [["--sample", "--week", "--since", "7d"], "cannot be used together"],
  ])("exits with 2 for %j", async (argv, message) => {
    const { code, err } = await run(argv);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  it("prints citations that `daybook show` accepts", async () => {
    const { code, out } = await run(["show", "--sample", "-z", "UTC", "7c1e4a52/T0004:89"]);
    expect(code).toBe(0);
    expect(out).toContain("please run `git push");
    expect(out).not.toContain("git commit");
  });
});

describe("daybook context", () => {
  it("lists model, sandbox, branch and version of sessions, and one entry per turn as JSON", async () => {
    const roots = ["codex", "claude-code"].flatMap((source) => ["--root", `${source}=samples/${source}`]);
    const { out } = await run(["context", "-z", "UTC", ...roots]);
    for (const word of ["gpt-5.1-codex", "workspace-write", "on-request", "drop-old-stations", "0.166.0"])
      expect(out).toContain(word);
    const json = JSON.parse((await run(["context", "--json", ...roots])).out) as { context: unknown[] };
    expect(json.context).toHaveLength(13);
  });
});
