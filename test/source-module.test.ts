import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { ended, start, type Ran } from "./store/cli.ts";
import { scratch } from "./store/fixture.ts";

/** A reader in a module of the user, far from this package, read by the built program. */
const EXAMPLE = fileURLToPath(new URL("../examples/source.mjs", import.meta.url));

let home = "";
let module = "";

beforeAll(() => {
  home = scratch("home");
  module = join(scratch("readers"), "talk.mjs");
  cpSync(EXAMPLE, module);
  mkdirSync(join(home, ".talk"));
  const lines = [
    { role: "user", id: "1", at: "2026-11-18T07:00:00Z", content: "List the files" },
    { role: "assistant", id: "2", at: "2026-11-18T07:00:01Z", model: "m", content: "None.", usage: { in: 5, out: 2 } },
  ];
  writeFileSync(join(home, ".talk", "s1.talk.jsonl"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
});

function daybook(words: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  return ended(start(words, undefined, { HOME: home, DAYBOOK_CONFIG: "/dev/null", ...env }));
}

async function rulesOfFirstLine(words: readonly string[], env?: Record<string, string>): Promise<string> {
  const { out, err } = await daybook(["explain", "s1:1", ...words], env);
  return `${/rule +(\S+)/.exec(out)?.[1] ?? "none"}${err}`;
}

describe("--source-module", () => {
  it("reads an agent by the user's module, whose sessions stay in the book", async () => {
    const { code, out, err } = await daybook(["turns", "--json", "--source-module", module]);
    expect([code, err]).toEqual([0, ""]);
    const { turns } = JSON.parse(out) as { turns: { source: string; trigger: { text: string } }[] };
    expect(turns).toMatchObject([{ source: "talk", trigger: { text: "List the files" }, usage: { output_tokens: 2 } }]);
    expect((await daybook(["sessions", "--json", "--source-module", module, "--source", "talk"])).code).toBe(0);
    expect((await daybook(["sessions"])).out).toContain("s1");
  });

  it("is taken from the settings as well", async () => {
    const config = join(scratch("settings"), "config.toml");
    cpSync(module, join(config, "..", "mine.mjs"));
    writeFileSync(config, 'source_modules = ["mine.mjs"]');
    const { out } = await daybook(["doctor", "--json", "--source", "talk"], { DAYBOOK_CONFIG: config });
    expect(JSON.parse(out)).toMatchObject({ sources: [{ source: "talk", sessions: 1 }] });
  });

  it("reads stored sessions again when the module changes", async () => {
    expect(await rulesOfFirstLine(["--source-module", module])).toBe("talk.prompt");
    const changed = join(scratch("readers"), "talk.mjs");
    writeFileSync(changed, readFileSync(module, "utf8").replaceAll("talk.prompt", "talk.asked"));
    expect(await rulesOfFirstLine(["--source-module", changed])).toBe("talk.asked");
  });
});

describe("a module that is wrong", () => {
  const COMPLETE =
    'id: "x", name: "X", sessionId: () => "s", recognises: () => true, capabilities: {}, checked: null, unknowable: []';
  const ask = async (text: string | null): Promise<Ran> => {
    const path = join(scratch("wrong"), "x.mjs");
    if (text === null) rmSync(path, { force: true });
    else writeFileSync(path, text);
    return daybook(["sessions", "--json", "--source-module", path], { HOME: scratch("empty") });
  };

  it.each<[string, string | null, RegExp]>([
    ["is missing", null, /there is no such file/],
    ["has a mistake of syntax", "export const a = {", /Unexpected end of input/],
    ["throws", 'throw new Error("boom")', /boom/],
    ["exports nothing", "export const a = 1; export default null;", /it exports no source/],
    ["has an id that leads out of a directory", 'export const a = { id: "../x", read() {} }', /needs an id/],
    ["lacks a method", 'export const a = { id: "x", name: "X", read() {} }', /needs the method `discover`/],
    [
      "takes the id of another",
      `export const a = { ${COMPLETE.replace('"x"', '"codex"')}, discover() {}, read() {} }`,
      /there is a source "codex"/,
    ],
    ["throws when it is looked at", "export const a = new Proxy({}, { has: () => true, get() { throw 1 } })", /: 1$/m],
  ])("and %s is a clear error", async (_, text, message) => {
    const { code, err } = await ask(text);
    const { error } = JSON.parse(err) as { error: { code: string; message: string; hint: string } };
    expect([code, error.code, error.hint]).toEqual([2, "invalid", "how to write one: docs/adding-a-source.md"]);
    expect(error.message).toMatch(message);
  });

  it.each<[string, string, RegExp]>([
    ["finds no list", "discover: () => 7, read() {}", /its sessions cannot be looked for/],
    [
      "finds what is no session",
      'discover: () => [{ source: "codex", path: "/etc/passwd" }], read() {}',
      /no session of "x"/,
    ],
    [
      "reads nothing",
      `discover: () => [{ source: "x", path: import.meta.filename, size: 1, mtimeMs: 1, container: "jsonl" }], read: () => 7`,
      /reading is not iterable/,
    ],
  ])("and %s costs its own sessions only", async (_, members, message) => {
    const { code, out, err } = await ask(`export const a = { ${COMPLETE}, ${members} }`);
    expect([code, JSON.parse(out)]).toEqual([3, { schema_version: 1, sessions: [] }]);
    expect(err).toMatch(message);
  });
});
