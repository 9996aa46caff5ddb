import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { main } from "../src/doors/cli/main.ts";
import { scratch } from "./store/fixture.ts";

const SAMPLES = fileURLToPath(new URL("../samples/", import.meta.url));
const ROOTS = ["--root", `codex=${SAMPLES}codex`, "--root", `claude-code=${SAMPLES}claude-code`];
const HOME = scratch("mistakes");
const BOOK = join(HOME, "book");
/** A day after the samples; the report of a day without work would be all alike. */
const NOW = Date.UTC(2026, 4, 12, 18);

async function run(line: string, isTerminal = false): Promise<{ code: number; out: string; err: string }> {
  const ran = { code: 0, out: "", err: "" };
  const words = [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
  ran.code = await main([...words, ...(words.includes("--help") ? [] : ["--home", BOOK, ...ROOTS, "-z", "UTC"])], {
    out: (text) => void (ran.out += text),
    err: (text) => void (ran.err += text),
    env: { HOME, NO_COLOR: "1" },
    cwd: HOME,
    now: NOW,
    columns: 100,
    outIsTerminal: isTerminal,
    errIsTerminal: false,
    inIsTerminal: true,
  });
  return ran;
}

const named = "019e164e/T0001";

describe("what people type", () => {
  beforeAll(async () => void (await run("sync")));

  it.each([
    ["ls", "sessions"],
    ["session", "sessions"],
    ["log --limit 2", "sessions --limit 2"],
    ["cost", "usage"],
    ["stats", "usage"],
    ["daily", "usage daily"],
    ["monthly", "usage monthly"],
    ["usage month", "usage monthly"],
    ["usage project", "usage --instances"],
    ["usage last week", 'usage --since "last week" --until "last week"'],
    ["usage 7d", "usage --since 7d"],
    ["models", "usage model"],
    ["status", "doctor"],
    ["turn", "turns"],
    ["find rates", "search rates"],
    ['"which station list"', 'search "which station list"'],
    [named, `show ${named}`],
    ["019e164e", "show 019e164e"],
    ["view 019e164e", "show 019e164e"],
    ["last", "show last"],
    ["2026-05-11", "report 2026-05-11"],
    ["11.5.2026", "report 2026-05-11"],
    ["last monday", 'report "last monday"'],
    ["failed", "tools --status failed"],
    ["done 019e164e/T0001", "mark done 019e164e/T0001"],
    ["help session", "sessions --help"],
    ["sessions --since lastweek", 'sessions --since "last week"'],
  ])("%s is %s", async (given, meant) => {
    const { out, code } = await run(given);
    expect({ out, code }).toEqual({ out: (await run(meant)).out, code: 0 });
    expect(out).not.toBe("");
  });

  it.each([
    ["tools --failed", "tools --status failed"],
    ["tools failed", "tools --status failed"],
    ["tools --error", "tools --status failed"],
    ["sessions -n 1", "sessions --limit 1"],
    ["sessions -n1", "sessions --limit 1"],
    ["sessions --last=1", "sessions --limit 1"],
    ["sessions --from 2026-05-12", "sessions --since 2026-05-12"],
    ["sessions --today", "sessions --since today --until today"],
    ["sessions --week", "sessions --since this week --until this week"],
    ["sessions --codex", "sessions --source codex"],
    ["sessions --agent codex", "sessions --source codex"],
    ["turns -p harbor-labs-tidepool", "turns --project harbor-labs-tidepool"],
    ["turns harbor-labs-tidepool", "turns --project harbor-labs-tidepool"],
    ["report --html", "report --format html"],
    ["report --md", "report --format markdown"],
    ["usage --daily", "usage daily"],
    ["standup --yesterday", "standup --since yesterday --until yesterday"],
    ["decisions --open", "decisions --unanswered"],
    ["sessions --cost", "sessions --sort cost"],
    ["show 019e164e -f markdown --tz UTC", "show 019e164e --format markdown --timezone UTC"],
  ])("%s is taken for %s, and says so", async (given, meant) => {
    const { out, err, code } = await run(given);
    const last = err.split("\n").findLast((line) => line.startsWith("daybook: taken for: daybook "));
    expect(last?.startsWith(`daybook: taken for: daybook ${meant} --home`)).toBe(true);
    const words = meant.replace(/(this week)/g, '"$1"');
    expect({ out, code }).toEqual({ out: (await run(words)).out, code: 0 });
  });

  it.each([
    ["--dayly", "did you mean daybook daily?"],
    ["usage --dayly", "did you mean daybook usage daily?"],
    ["tools --faild", "did you mean --status failed?"],
    ["sesions", "did you mean sessions?"],
    ["show", "for example daybook show 019e2f1c/T0002"],
    ["search", "for example daybook search flaky test"],
    ["sessions nonsense", "no project nonsense"],
    ["doctor --limit 5", "doctor does not take --limit"],
  ])("%s is refused with what to do instead", async (given, hint) => {
    const { out, err, code } = await run(given);
    expect({ out, code }).toEqual({ out: "", code: 2 });
    expect(err).toContain(hint);
  });

  it("export does not pour the archive onto a terminal, and writes one session to a file of any format", async () => {
    const { code, out, err } = await run("export", true);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain("--out DIR writes files");
    expect((await run("export --session 019e164e", true)).out).toContain("session_meta");
    const file = join(HOME, "x.html");
    expect((await run(`export --format html --session 019e164e --out ${file}`)).code).toBe(0);
    expect(readFileSync(file, "utf8")).toContain("<!doctype html>");
    const many = await run(`export --format html --out ${join(HOME, "y.html")}`);
    expect(many.err).toContain("--session ID writes one session there");
  });

  it("file finds a relative path from anywhere, where only one file has it", async () => {
    mkdirSync(join(HOME, "elsewhere"), { recursive: true });
    const { out, err } = await run("file brest.md");
    expect(err).toMatch(/^daybook: \/.*\/pages\/brest\.md$/m);
    expect(out).toContain("1 request");
    expect((await run("file nothing/brest.md")).out).toBe("No recorded request touched it.\n");
    // A name of several files lists them, each with the command that opens it.
    const many = (await run("file README.md")).out;
    const [command = ""] = /daybook (file \S+)/.exec(many)?.slice(1) ?? [""];
    if (command !== "") expect((await run(command)).out).toContain("turn");
  });

  it("doctor fits a screen; --full has everything it looked at", async () => {
    const brief = (await run("doctor")).out;
    expect(brief.split("\n").length).toBeLessThan(24);
    expect(brief).toContain("✓ Codex  ");
    const full = (await run("doctor --full")).out;
    expect(full.split("\n").length).toBeGreaterThan(brief.split("\n").length);
    expect(full).toContain("cannot be known from its files:");
  });
});
