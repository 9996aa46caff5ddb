import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const preload = join(root, "test/preload/no-network.cjs");

/** Every way in which Node can open a socket or resolve a name. */
const WAYS: readonly string[] = [
  `require("net").connect(1, "127.0.0.1")`,
  `require("net").connect("nowhere.sock")`,
  `require("net").createServer().listen(0)`,
  `require("net").createServer().listen("nowhere.sock")`,
  `require("http").get("http://127.0.0.1:1")`,
  `require("https").get("https://127.0.0.1:1")`,
  `require("http2").connect("http://127.0.0.1:1")`,
  `require("tls").connect(1, "127.0.0.1")`,
  `require("dgram").createSocket("udp4").send("x", 1, "127.0.0.1")`,
  `require("dns").lookup("nowhere.invalid", () => undefined)`,
  `require("dns").promises.resolveTxt("nowhere.invalid")`,
  `fetch("http://127.0.0.1:1")`,
  `require("inspector").open(0)`,
];

/**
 * `test/program.test.ts` runs every command with this preload, to check that none opens a socket. Here the preload
 * itself is tested.
 */
describe("the no-network preload", () => {
  it("reports a socket, whichever way it is opened", () => {
    const tries = WAYS.map((code) => `try { ${code} } catch {}`);
    const program = `process.on("uncaughtException", () => undefined);\n${tries.join("\n")}`;
    const { stderr } = spawnSync(process.execPath, ["--require", preload, "-e", program], { encoding: "utf8" });
    const noticed = stderr.split("\n").filter((line) => line.startsWith("network: "));
    expect(noticed).toHaveLength(WAYS.length);
  });

  it("reports a socket that a thread opens", () => {
    const thread = `new (require("worker_threads").Worker)("require('net').connect(1, '127.0.0.1')", { eval: true })`;
    const { stderr } = spawnSync(process.execPath, ["--require", preload, "-e", thread], { encoding: "utf8" });
    expect(stderr).toContain("network: TCP.connect");
  });
});

/** Node modules the build may load: none of them opens network connections. */
const MODULES = [
  "async_hooks",
  "buffer",
  "child_process",
  "crypto",
  "events",
  "fs",
  "module",
  "os",
  "path",
  "process",
  "readline/promises",
  "sqlite",
  "stream",
  "stream/promises",
  "timers/promises",
  "tty",
  "url",
  "util",
  "v8",
  "worker_threads",
  "zlib",
];
const PACKAGES = [
  "@photostructure/sqlite",
  "@secretlint/secretlint-rule-preset-recommend",
  "fzstd",
  "smol-toml",
  "zod",
];

/**
 * Chunks that may load more modules. `serve` listens, on this machine unless its user says otherwise, and uses `vm` to
 * get the garbage collector. `team` connects to a database that its user names.
 */
const REACHING: Readonly<Record<string, readonly string[]>> = {
  "http.cjs": ["http", "http2", "vm"],
  "team.cjs": ["dns", "net", "string_decoder", "tls", "util/types"],
};

describe("the build", () => {
  const built = readdirSync(join(root, "dist")).filter((name) => /\.c?js$/.test(name));
  const textOf = (name: string): string => readFileSync(join(root, "dist", name), "utf8");

  it.each(built)("loads only the listed modules in %s, and calls no bare fetch or WebSocket", (name) => {
    const loaded = [
      ...textOf(name).matchAll(/\b(?:require|import|getBuiltinModule\??\.?)\(\s*["'`]([^"'`]+)["'`]\s*\)/g),
      ...textOf(name).matchAll(/^(?:import|export)\b[^;"']*?(?:from\s*)?["']([^"']+)["']/gm),
    ].map(([, id = ""]) => id);
    const known = [...MODULES, ...(REACHING[name] ?? [])];
    const foreign = loaded.filter(
      (id) => !id.startsWith("./") && !PACKAGES.includes(id) && !known.includes(id.replace(/^node:/, "")),
    );
    expect(foreign).toEqual([]);
    expect(textOf(name)).not.toMatch(/\bprocess\.binding\b|\bXMLHttpRequest\b|\bnew WebSocket\b|(?<![.\w])fetch\(/);
  });

  /**
   * For the endpoints that the user configured for narratives and for vectors, the collector named for an export, the keys of a team's
   * identity provider, and the server named for `push` or `--store`.
   */
  it("calls globalThis.fetch only in the listed files", () => {
    const fetchingChunks = built.filter((name) => textOf(name).includes("globalThis.fetch("));
    expect(fetchingChunks).toEqual(["export.cjs", "index.js", "narrate.cjs", "team.cjs", "vectors.cjs"]);
    const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
    const sources = files.filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
    const fetching = sources.filter((name) =>
      /\bglobalThis\.fetch\b/.test(readFileSync(join(root, "src", name), "utf8")),
    );
    expect(fetching.map((name) => name.replaceAll("\\", "/")).toSorted()).toEqual([
      "export/otlp-endpoint.ts",
      "index/search/vectors/endpoint-embedder.ts",
      "narrate/agents/endpoint.ts",
      "team/oidc.ts",
      "team/server.ts",
    ]);
  });

  it("includes the expected chunks, so that these tests check them", () => {
    expect(built).toEqual(expect.arrayContaining(["cli.cjs", "worker.cjs", "index.js", "secretlint.cjs"]));
  });
});

it("src/ starts no program but Daybook itself, git, and what the user asked for by name", () => {
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  const starting = files
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .filter((name) => readFileSync(join(root, "src", name), "utf8").includes("child_process"));
  expect(starting.map((name) => name.replaceAll("\\", "/")).toSorted()).toEqual([
    "base/io/git.ts",
    "doors/cli/io.ts",
    "doors/cli/system.ts",
    "doors/http/terminal.ts",
    "index/sync/sync-process.ts",
    "narrate/agents/run-program.ts",
  ]);
  // The writer of a narrative, without a shell: an agent's program or the configured command. Prompts go to stdin.
  expect(readFileSync(join(root, "src/narrate/agents/run-program.ts"), "utf8").match(/spawn\([^)]*\)/g)).toEqual([
    'spawn(program, words, { cwd, env: { ...env }, stdio: "pipe", ...(signal ? { signal } : {})',
  ]);
  // Syncs for long-running commands: Daybook's own file, controlled by messages.
  expect(readFileSync(join(root, "src/index/sync/sync-process.ts"), "utf8").match(/fork\([^)]*\)/g)).toEqual([
    expect.stringContaining("fork(this.#program, [], {"),
  ]);
  // Daybook's own file, with its own arguments: nothing from a session.
  expect(readFileSync(join(root, "src/doors/cli/io.ts"), "utf8").match(/spawn\([^)]*\)/g)).toEqual([
    expect.stringContaining("spawn(process.execPath, [process.argv[1]"),
    // `resume --exec`: the agent's own program, with separate arguments. The session id is one of them.
    expect.stringContaining('spawn(program, words, { stdio: "inherit", shell,'),
  ]);
  // The terminal that the user's settings name; its shell gets what `resume` prints, quoted word by word.
  expect(readFileSync(join(root, "src/doors/http/terminal.ts"), "utf8").match(/spawn\([^{]*/g)).toEqual([
    "spawn(program, [...words, command], ",
  ]);
  // Always with the options that keep git from running programs, writing and fetching.
  const git = readFileSync(join(root, "src/base/io/git.ts"), "utf8");
  expect(git.match(/spawnSync\([^{]*/g)).toEqual(['spawnSync("git", [...READ_ONLY_OPTIONS, ...words], ']);
  // The user's own command is run by a shell; the path of a file to open and the text of a notification never are.
  const startsIn = (name: string): string[] =>
    readFileSync(join(root, "src/doors/cli", name), "utf8").match(/(?:spawn|startDetached)\([^)]*\)/g) ?? [];
  expect(startsIn("system.ts").filter((call) => !call.includes("program: string"))).toEqual([
    'spawn(program, words, { ...options, stdio: "ignore" })',
    "startDetached(command, [...words, path], { detached: true }, failed)",
  ]);
  expect(startsIn("commands/sync.ts")).toEqual([
    "startDetached(hook, [], { env: { ...io.env, ...hookEnv(event)",
    "startDetached(program, words, { env: { ...io.env } }, failed)",
  ]);
});
