import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isNewer, newerVersions } from "../src/book/reading/versions.ts";
import { SOURCES } from "../src/agents/registry.ts";
import { E, M, R, write } from "./cases/build.ts";
import { run } from "./cases/workspace.ts";
import { open, scratch } from "./store/fixture.ts";

const README = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const DOC = readFileSync(new URL("../docs/sources.md", import.meta.url), "utf8");

describe("checked versions", () => {
  it.each(SOURCES.map((source) => [source.id, source.checked] as const))(
    "of %s match README.md and docs/sources.md",
    (id, checked) => {
      const row = DOC.split("\n").find((line) => line.includes(`| \`${id}\` |`)) ?? "";
      const name = /^\| \[([^\]]+)\]/.exec(row)?.[1] ?? "";
      const stated = README.split("\n")
        .find((line) => line.startsWith(`| ${name} |`))
        ?.split(" | ")
        .at(-1)
        ?.replace(/ \|$/, "");
      if (checked === null) return expect(stated).toBe("none: from what is published about it");
      const { oldest, newest, releases } = checked;
      expect(stated).toBe(releases === 1 ? newest : `${oldest} to ${newest}, ${releases} releases`);
      // The table in docs/sources.md may shorten a version by a trailing `.0`.
      for (const version of [oldest, newest]) expect(row).toContain(version.replace(/\.0$/, ""));
    },
  );

  it("are compared number by number, as precisely as they are stated", () => {
    for (const [version, than] of [
      ["0.167.0", "0.166.0"],
      ["0.167.0-alpha.1", "0.166.0"],
      ["1.0.0", "0.166.0"],
      ["2.1.326", "2.1.325"],
      ["0.166.1", "0.166.0"],
      ["schema 17", "schema 16"],
      ["0.49.0", "0.48"],
    ] as const)
      expect([version, isNewer(version, than)]).toEqual([version, true]);
    for (const [version, than] of [
      ["0.166.0", "0.166.0"],
      ["0.99.0", "0.166.0"],
      ["0.48.9", "0.48"],
      ["schema 9", "schema 16"],
      ["schema 17", "0.166.0"],
      ["unknown", "0.166.0"],
      ["", "0.166.0"],
    ] as const)
      expect([version, isNewer(version, than)]).toEqual([version, false]);
  });

  it("are not compared for agents whose files name no version", () => {
    expect(newerVersions(SOURCES, [["gemini", "9.9.9"]])).toEqual([]);
  });
});

describe("a newer version than those checked", () => {
  const dir = scratch("newer");
  write(join(dir, "rollout-a.jsonl"), [M("a", { cli_version: "0.999.0" }), R("go"), E("go")]);
  write(join(dir, "rollout-b.jsonl"), [M("b", { cli_version: "0.1000.0" }), R("go"), E("go")]);
  const roots = ["--root", `codex=${dir}`];
  const NOTE = "daybook: not yet checked with this version: Codex 0.1000.0 (checked up to 0.169.0)\n";

  it("is noted on stderr, by every command that reads files alone, but not with --quiet", async () => {
    for (const args of [["sessions"], ["turns", "--json"], ["report"]]) {
      expect((await run([...args, ...roots], {})).err).toBe(NOTE);
      expect((await run([...args, ...roots, "--quiet"], {})).err).toBe("");
    }
  });

  it("is noted once a day where there is a book", async () => {
    const home = join(scratch("home"), "h");
    const noted = async (args: readonly string[], now: number, errIsTerminal = false): Promise<string> =>
      (await run([...args, ...roots, "--home", home, "-z", "UTC"], {}, now, { errIsTerminal })).err;
    const [day, hour] = [Date.UTC(2026, 11, 30), 3_600_000];
    expect(await noted(["sessions", "--quiet"], day)).toBe("");
    expect(await noted(["sessions"], day)).toBe(NOTE);
    expect(await noted(["turns", "--json"], day + hour)).toBe("");
    expect(await noted(["report", "--no-sync"], day + 23 * hour)).toBe("");
    // A program was told, but not the person.
    expect(await noted(["sessions"], day + 23 * hour, true)).toContain(NOTE);
    expect(await noted(["sessions"], day + 23 * hour, true)).not.toContain(NOTE);
    expect(await noted(["sessions"], day + 24 * hour)).toBe(NOTE);
    expect(await noted(["sessions"], day + 25 * hour)).toBe("");
    const old = scratch("old");
    write(join(old, "rollout-c.jsonl"), [M("c", { cli_version: "0.130.0" }), R("go"), E("go")]);
    // The newer sessions are in the same book, but not under this root.
    expect((await run(["sessions", "--root", `codex=${old}`, "--home", home], {})).err).toBe("");
  });

  it('is listed by doctor, which then does not print "All well"', async () => {
    const { out } = await run(["doctor", ...roots], {});
    expect(out).toContain("not yet checked with this version: 0.999.0, 0.1000.0");
    expect(out).not.toContain("All well");
    const [codex] = (await open({ codex: [dir] }).doctor()).sources;
    expect(codex).toMatchObject({ verdict: "ok", newer_versions: ["0.999.0", "0.1000.0"] });
  });
});
