import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { run, flagsOf } from "./cli.ts";
import { copyCorpus, scratch } from "./fixture.ts";

const LOADER = fileURLToPath(new URL("../../bin/load.js", import.meta.url));

/** Runs a command and returns the parts of the program that it loaded. */
function partsLoaded(args: readonly string[]): string[] {
  const script = join(mkdtempSync(join(tmpdir(), "daybook-start-")), "parts-loaded.cjs");
  writeFileSync(
    script,
    `const { load, scripts } = require(${JSON.stringify(LOADER)});
     load("cli").main(${JSON.stringify(args)}).then(() => process.stderr.write(JSON.stringify([...scripts.keys()])));`,
  );
  const env = { PATH: process.env["PATH"], HOME: "/nowhere", TZ: "UTC" };
  const text = execFileSync("bash", ["-c", 'exec "$0" "$1" 2>&1 >/dev/null', process.execPath, script], {
    env,
    encoding: "utf8",
  });
  // The bundler's runtime is only a few lines.
  return (JSON.parse(text) as string[]).filter((name) => name !== "rolldown-runtime");
}

describe("a command", () => {
  it("loads only the parts it needs if there is nothing new to read", async () => {
    const { roots } = copyCorpus(["codex-0.130.0-tui", "claude-2.1.325"]);
    const flags = flagsOf(roots, scratch("home"));
    expect((await run(["sync", ...flags])).code).toBe(0);
    // The first report caches what it found out.
    expect((await run(["report", "--json", ...flags])).code).toBe(0);
    for (const command of ["sessions", "turns", "report"])
      expect([command, partsLoaded([command, "--json", ...flags]).toSorted()]).toEqual([command, ["cli", "errors"]]);
    // Model names are not among the rows that the index marks as free of secrets.
    expect(partsLoaded(["usage", "--json", ...flags]).toSorted()).toEqual(["cli", "errors", "secrets"]);
    expect(partsLoaded(["tools", "--json", ...flags]).toSorted()).toEqual(["cli", "commands", "errors", "secrets"]);
  });

  it("loads the reading part if there is something to read", () => {
    const { roots } = copyCorpus(["codex-0.130.0-tui"]);
    expect(partsLoaded(["sync", ...flagsOf(roots, scratch("home"))])).toContain("reading");
  });
});
