import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Daybook, inside } from "../src/answers/daybook.ts";
import { findState } from "../src/teach/state.ts";
import { CU, write } from "./cases/build.ts";

const PROGRAM = fileURLToPath(new URL("../bin/daybook.js", import.meta.url));

/** A checkout with everything in it that a user's home could hold, put there by somebody else. */
describe("in a directory of somebody else's", () => {
  let dir = "";
  let checkout = "";
  let before: string[] = [];
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "daybook-no-home-"));
    checkout = join(dir, "checkout");
    for (const place of ["daybook", ".config/daybook"]) {
      mkdirSync(join(checkout, place), { recursive: true });
      writeFileSync(join(checkout, place, "config.toml"), 'timezone = "Nowhere/Else"\n');
    }
    write(join(checkout, ".claude/projects/-w/00000000-0000-4000-8000-00000000000a.jsonl"), [CU("planted")]);
    before = files();
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const files = (): string[] => readdirSync(checkout, { recursive: true, encoding: "utf8" }).toSorted();

  function daybook(words: readonly string[], env: Readonly<Record<string, string>>): { status: number; said: string } {
    const child = spawnSync(process.execPath, [PROGRAM, ...words], { cwd: checkout, env, encoding: "utf8" });
    // Whatever happens, nothing is written into it.
    expect(files()).toEqual(before);
    return { status: child.status ?? -1, said: `${child.stdout}${child.stderr}` };
  }

  it.each([
    ["no home", {}, "there is no home directory for the book: $HOME is not set"],
    ["an empty home", { HOME: "" }, "there is no home directory for the book: $HOME is not set"],
    ["a relative home", { HOME: "." }, "$HOME is not an absolute path: ."],
    ["a relative book", { HOME: "/nowhere", DAYBOOK_HOME: "book" }, "$DAYBOOK_HOME is not an absolute path: book"],
    ["relative data", { HOME: "/nowhere", XDG_DATA_HOME: "." }, "$XDG_DATA_HOME is not an absolute path: ."],
    ["relative settings", { HOME: "/nowhere", XDG_CONFIG_HOME: "." }, "$XDG_CONFIG_HOME is not an absolute path: ."],
    [
      "a relative file",
      { HOME: "/nowhere", DAYBOOK_CONFIG: "c.toml" },
      "$DAYBOOK_CONFIG is not an absolute path: c.toml",
    ],
  ])("with %s, it says so and stops", (_, env, message) => {
    for (const words of [["report"], ["sync"], ["sessions", "--json"], ["prepare"]]) {
      const { status, said } = daybook(words, env);
      expect([words, status]).toEqual([words, 2]);
      expect(said).toContain(message);
      expect(said).toMatch(/(?:\n  |"hint":")set /);
    }
  });

  it("an empty variable counts as unset: its settings are not read", () => {
    const home = join(dir, "home");
    mkdirSync(home);
    const blank = { XDG_CONFIG_HOME: "", XDG_DATA_HOME: "", DAYBOOK_HOME: "", DAYBOOK_CONFIG: "", DAYBOOK_LOGS: "" };
    const { status, said } = daybook(["sync"], { HOME: home, ...blank });
    expect([status, said]).toEqual([0, expect.not.stringContaining("Nowhere")]);
    expect(readdirSync(join(home, ".local/share"))).toEqual(["daybook"]);
  });

  it("its sessions are not taken for the user's, even if a book is named", () => {
    const { status, said } = daybook(["sessions", "--json", "--home", join(dir, "book")], {});
    expect([status, said]).toEqual([2, expect.stringContaining("there is no home directory for the agents' sessions")]);
  });

  it("the settings of agents in it are not changed", () => {
    for (const words of [
      ["mcp", "--install", "codex", "--yes"],
      ["decisions", "hook", "--install", "--yes"],
    ])
      expect(daybook(words, {})).toEqual({
        status: 2,
        said: expect.stringContaining("there is no home directory") as string,
      });
  });

  it("what needs no home works without one", () => {
    expect(daybook(["--version"], {}).status).toBe(0);
    expect(daybook(["report", "--sample"], {}).status).toBe(0);
    const root = `claude-code=${join(checkout, ".claude")}`;
    expect(daybook(["turns", "--json", "--root", root], {}).said).toContain("planted");
  });
});

it("the library says so too", () => {
  expect(() => inside(new Daybook({ env: {}, timezone: "UTC" })).opened()).toThrow("there is no home directory");
  expect(inside(new Daybook({ env: {}, roots: {}, timezone: "UTC" })).opened().refs).toEqual([]);
});

it("the state of gstack is never in a relative directory, and empty variables are unset", () => {
  const place = { home: null, book: () => "/nowhere/book", isNamed: false };
  expect(() => findState({ ...place, env: { GSTACK_HOME: "state" } })).toThrow("$GSTACK_HOME is not an absolute path");
  expect(findState({ ...place, env: { GSTACK_HOME: "", GSTACK_STATE_ROOT: " " } })).toEqual({
    root: join("/nowhere/book", "decisions"),
    owner: "daybook",
  });
});
