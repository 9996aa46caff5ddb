#!/usr/bin/env node
// Builds dist with rolldown. The library is for import, with one file of type declarations per entry. The program is split
// into a few scripts, each with V8's code cache and loaded on demand, because loading is most of the cost of a small
// command. The build runs in a separate directory that replaces dist at the end, so a failed build leaves the old one
// in place.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { noticesOf } from "./notices.js";
import { svelteOnServer } from "./svelte-on-server.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const fresh = `${root}.dist-new`;
const manifest = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
const require = createRequire(import.meta.url);
// The native compiler is four times as fast; the checks still need the JavaScript one for its API.
const tsc = `${root}node_modules/typescript-native/bin/tsc`;
const packages = Object.keys(manifest.dependencies);
/** Contains native code, so it cannot be bundled. */
const NATIVE = "@photostructure/sqlite";
/**
 * The parts of the program by the files they contain; the first matching pattern wins. A part is loaded when something
 * in it is first used, so code that answers from the index must not share a part with code that reads sessions.
 */
const PARTS = [
  // HTML documents, drawn by the components of the page.
  [
    "documents",
    /\/web\/src\/|\.svelte$|\.css\?raw$|\/src\/(?:render\/html|narrate\/render\/html)|\/node_modules\/(?:svelte|esm-env|clsx|devalue|marked)\//,
  ],
  // Needed only for a text that contains the prefix of a token.
  ["secretlint", /\/@secretlint\/|\/src\/base\/redact\/secretlint-rules/],
  // Texts that the index has marked as clean, and texts that obviously contain no secret, are not scanned.
  ["secrets", /\/src\/base\/redact\/(?!redact|own-rules|version)/],
  // One agent keeps its settings in YAML.
  ["yaml", /\/node_modules\/yaml\/|\/src\/doors\/mcp\/install\/yaml-list/],
  // All commands except the ones used many times a day.
  [
    "commands",
    /\/node_modules\/(?:diff|jsonc-parser)\/|\/src\/(?:doors\/mcp|teach)\/install\/|\/src\/doors\/cli\/(?:workspace-flags|commands\/(?!index|report|search|sessions|statusline|turns|usage))/,
  ],
  ["narrate", /\/src\/(?:narrate\/|agents\/kit\/printed-events\.ts)/],
  ["export", /\/src\/export\/|\/node_modules\/hyparquet/],
  ["mcp", /\/src\/doors\/mcp\//],
  ["protocol", /@modelcontextprotocol\//],
  // Access to a team store: the only code that connects to a database on another machine.
  [
    "team",
    /^\0never-loaded$|\/src\/team\/|\/node_modules\/(?:jose|pg|pg-[\w-]+|pgpass|postgres-[\w-]+|split2|xtend)\//,
  ],
  ["http", /\/src\/doors\/http\/|\/node_modules\/(?:hono|@hono|@asteasolutions|openapi3-ts|yaml)\//],
  ["formats", /\/(?:zod|smol-toml)\/|\/src\/(?:record\/(?:schema|reader)|book\/reading\/validate)/],
  ["render", /\/src\/render\//],
  // Every question needs the own and places files, which tell Daybook's own workspaces from others.
  ["workspace", /\/src\/answers\/workspace\/(?!own|places)/],
  [
    "blame",
    /\/src\/(?:answers\/blame\/|answers\/(?:agent-trace|blaming|history)|base\/io\/git)|\/node_modules\/diff\//,
  ],
  // Questions about one thing; those that list and sum are asked many times a day.
  ["questions", /\/src\/answers\/questions\/(?:book|code|one-session|table)/],
  ["decisions", /\/src\/turns\/decisions\//],
  // Run as a hook around every question that an agent asks.
  ["teaching", /\/src\/(?:teach\/|answers\/decision-stats)/],
  ["risk", /\/src\/(?:views\/risk|base\/shell)\//],
  ["views", /\/src\/views\/(?:audit|limit|session|tool-view|turn)/],
  // The days of a report are worked out before the report itself is needed.
  ["report", /\/src\/answers\/report\/(?!window)/],
  [
    "sessions",
    /\/src\/(?:turns\/|book\/pages\/(?:page-|frame)|index\/(?:sync\/(?:copies|drafts|families|generations)|tables\/packed-state))/,
  ],
  ["reading", /\/src\/agents\/kit\/(?!(?:family|log-source|session-files|tools)\.ts)/],
  [
    "reading",
    /\/fzstd\/|\/src\/(?:book\/pages|record)\/(?!tokens|forgotten|session-key|row-count)|\/src\/base\/io\/(?!disk|instant|json|move-over|named-path|regular-file|sqlite)|\/src\/book\/reading\/(?!file-times|library|side-facts|versions)/,
  ],
  [
    "reading",
    /\/src\/index\/(?:file-origin|sync\/(?:fingerprint|ingest|moved-files|rebuild|refresh|session-changes|sync)|search\/(?:doc-pack|file-texts)|tables\/(?:file-rows|prompts|session-rows))/,
  ],
  // Only for those who named a model.
  ["vectors", /\/src\/index\/search\/vectors\//],
  // Word tables, which only questions in whole sentences need.
  ["recall", /\/src\/index\/search\/recall\/|\/node_modules\/@orama\//],
  ["search", /\/src\/index\/search\//],
  // A base class must be loaded before the classes that extend it.
  ["errors", /\/src\/base\/errors/],
  ["core", /\/src\/(?!(?:index\/|book\/usage-)worker\.ts)|\/node_modules\//],
];
const PRESET = "@secretlint/secretlint-rule-preset-recommend";
/**
 * Replaces modules that are never used. The secretlint rules import a reader of another key file format on demand: half
 * a megabyte, with code for sockets, that no text needs. The protocol library gets its schema validator as an option
 * and never uses its own.
 */
const leaveOut = {
  name: "leave-out",
  resolveId: (id, importer, { kind }) => {
    if (id === "@modelcontextprotocol/server/_shims") return NO_VALIDATOR;
    // Code for another runtime and for a C library, which is never loaded here.
    if (id === "pg-cloudflare" || id === "pg-native") return NEVER_LOADED;
    // The package's entry for Node loads its modules in a way that a bundler cannot follow.
    if (id === "jsonc-parser") return `${root}node_modules/jsonc-parser/lib/esm/main.js`;
    return kind === "dynamic-import" && importer?.includes(PRESET) && id.startsWith("./") ? LEFT_OUT : null;
  },
  load: (id) => STUBS[id] ?? null,
};
const LEFT_OUT = "\0left-out";
/** Belongs to the `team` part: a module in no part would go to the entry script, away from the code that needs it. */
const NEVER_LOADED = "\0never-loaded";
const NO_VALIDATOR = "\0no-validator";
const STUBS = {
  [LEFT_OUT]: "export const i = {};",
  [NEVER_LOADED]: "export const i = {};",
  [NO_VALIDATOR]: 'export { default as process } from "node:process"; export class DefaultJsonSchemaValidator {}',
};
/**
 * Each source's reader is a part of its own, loaded only if that source has new records. Discovery is always needed, so
 * it is not in it.
 */
const READER = /\/src\/agents\/(?!kit\/)([\w-]+)\/(?!(?:discover|source)\.ts)/;

/** Files that became part of the build. */
const modules = new Set();

rmSync(fresh, { recursive: true, force: true });
const library = { index: "index.ts", kit: "kit.ts", schema: "record/schema.ts" };
const exported = await bundle(
  Object.fromEntries(Object.entries(library).map(([name, file]) => [name, `${root}src/${file}`])),
  packages,
  {
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    // What names mean is said in the declarations.
    comments: { legal: true, annotation: true, jsdoc: false },
  },
  // Users see every name that an entry exports.
  "strict",
);
await declarations();
const script = { format: "cjs", entryFileNames: "[name].cjs", chunkFileNames: "[name].cjs", comments: false };
await bundle({ cli: `${root}src/doors/cli/main.ts` }, [NATIVE], {
  ...script,
  codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: partOf, debugName: "parts" }] },
});
// A worker reads millions of lines, where calls between parts would be slow: it is a single script.
await bundle({ worker: `${root}src/index/worker.ts` }, [NATIVE], { ...script, codeSplitting: false });
await bundle({ "usage-worker": `${root}src/book/usage-worker.ts` }, [NATIVE], { ...script, codeSplitting: false });
for (const name of readdirSync(fresh)) if (name.endsWith(".cjs")) toAscii(`${fresh}/${name}`);
await pages();
writeFileSync(`${fresh}/THIRD-PARTY.txt`, noticesOf(modules));
rmSync(`${root}dist`, { recursive: true, force: true });
cpSync(fresh, `${root}dist`, { recursive: true });
rmSync(fresh, { recursive: true, force: true });
await keepCode();

/** Returns the names that each entry exports. By default parts may export what other parts need. */
async function bundle(input, packages, output, preserveEntrySignatures = "allow-extension") {
  const made = await rolldown({
    input,
    platform: "node",
    external: [/^node:/, ...packages],
    plugins: [leaveOut, svelteOnServer()],
    preserveEntrySignatures,
    // Reading a constant must not load the part that defines it.
    optimization: { inlineConst: { mode: "all" } },
  });
  const written = await made.write({ dir: fresh, ...output });
  for (const chunk of written.output) for (const id of chunk.moduleIds ?? []) modules.add(id);
  await made.close();
  return new Map(written.output.filter(({ isEntry }) => isEntry).map(({ name, exports }) => [name, exports]));
}

/** Writes one file of type declarations per entry of the library. */
async function declarations() {
  const types = `${fresh}/types`;
  execFileSync(process.execPath, [tsc, "-p", `${root}tsconfig.build.json`, "--outDir", types], {
    cwd: root,
    stdio: "inherit",
  });
  for (const [name, file] of Object.entries(library)) {
    const made = await rolldown({
      input: { [name]: `${types}/${file.replace(/\.ts$/, ".d.ts")}` },
      platform: "node",
      external: [/^node:/, ...packages],
      plugins: [dts({ dtsInput: true })],
    });
    const { output } = await made.generate({ format: "esm", entryFileNames: "[name].d.ts" });
    await made.close();
    if (output.length !== 1) throw new Error(`the declarations of ${name} are in ${output.length} files`);
    writeFileSync(`${fresh}/${name}.d.ts`, typesAndValues(output[0].code, new Set(exported.get(name))));
  }
  rmSync(types, { recursive: true });
}

/** Declarations whose last statement exports as values only what the code exports. */
function typesAndValues(declared, values) {
  const code = declared.replaceAll(/^\/\/#(?:end)?region.*\n/gm, "");
  const [statement = "", list] = /^export \{([^}]*)\};\s*$/m.exec(code) ?? [];
  if (!code.endsWith(statement) || list === undefined) throw new Error("declarations that end without their exports");
  const names = list.split(",").map((one) => one.trim().replace(/^type /, ""));
  const isValue = (one) => values.has(one.split(" as ").at(-1));
  return code.replace(
    statement,
    `export { ${names.map((one) => (isValue(one) ? one : `type ${one}`)).join(", ")} };\n`,
  );
}

/**
 * Builds the two pages of `serve`, the personal and the team page, separately: shared chunks would cost extra requests.
 */
async function pages() {
  const { build } = await import("vite");
  for (const [config, dir] of [
    ["vite.config.ts", "page"],
    ["vite.team.config.ts", "team-page"],
  ]) {
    const { output } = await build({
      configFile: `${root}web/${config}`,
      // How long plugins took is told by no build.
      build: { outDir: `${fresh}/${dir}`, rollupOptions: { checks: { pluginTimings: false } } },
      logLevel: "warn",
    });
    for (const { moduleIds = [] } of output) for (const id of moduleIds) modules.add(id.replace(/\?.*$/, ""));
  }
}

function partOf(file) {
  const path = file.replaceAll("\\", "/");
  const reader = READER.exec(path)?.[1];
  if (reader !== undefined) return `read-${reader}`;
  return PARTS.find(([, files]) => files.test(path))?.[0] ?? null;
}

/**
 * An ASCII script needs no decoding and half the memory. Escapes have the same meaning everywhere except in raw
 * strings.
 */
function toAscii(path) {
  const code = readFileSync(path, "utf8");
  if (/String\.raw`[^`]*[^\0-\x7f]/.test(code)) throw new Error(`${path}: a raw string that is not ASCII`);
  writeFileSync(path, code.replaceAll(/[^\0-\x7f]/g, escaped));
}

function escaped(char) {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/**
 * Runs common commands on the samples and writes V8's code cache, which then contains the functions they used. It is for
 * this checkout and this Node alone (`bin/code-cache.js`), and no part of the package.
 */
async function keepCode() {
  // V8 discards bytecode that has not run for a while, the top-level code of the scripts first.
  setFlagsFromString("--no-flush-bytecode");
  // Where the loader looks for code instead of the user's cache directory.
  mkdirSync(`${root}dist/code`);
  const { buildCode, load } = require("../bin/load.js");
  const home = mkdtempSync(join(tmpdir(), "daybook-build-"));
  const { main } = load("cli");
  const io = { out() {}, err() {}, env: {}, now: Date.UTC(2026, 0, 1), columns: 100 };
  const where = [
    "--home",
    home,
    "--root",
    `codex=${root}samples/codex`,
    "--root",
    `claude-code=${root}samples/claude-code`,
  ];
  for (const command of [
    "usage daily --json",
    "sync",
    "report",
    "report --json",
    "usage daily",
    "usage daily --json",
    "sessions --json",
    "turns",
    "turns --json",
    "search test",
  ]) {
    const code = await main([...command.split(" "), ...where], { ...io, outIsTerminal: false, errIsTerminal: false });
    if (code !== 0) throw new Error(`daybook ${command} on the samples: exit ${code}`);
  }
  for (const hook of ["capture", "enforce"])
    await main(["decisions", "hook", hook, "--home", home], { ...io, stdin: hookInput });
  await askOnce(main, { ...io, outIsTerminal: false, errIsTerminal: false }, where);
  const { handle } = load("worker");
  const usage = load("usage-worker");
  const rows = { home, naming: { home: root, given: {} }, title: null };
  for (const [i, ref] of sampleFiles().entries()) {
    usage.handle({ ref });
    const fresh = {
      page: join(home, String(i)),
      otherwise: null,
      cursor: null,
      fingerprint: null,
      saved: null,
      drift: null,
    };
    handle({ want: "ingest", bytes: 0, ref, ...fresh, resting: null, tail: [], durable: false, rows });
  }
  // V8 rejects a code cache that was made under different flags than the user's.
  setFlagsFromString("--flush-bytecode");
  buildCode();
  rmSync(home, { recursive: true, force: true });
}

/** The input that an agent passes to its hooks for a question. */
function hookInput() {
  const question = {
    question: "Go on? <gstack-qid:build-x>",
    options: [{ label: "Yes (recommended)" }, { label: "No" }],
  };
  return JSON.stringify({
    session_id: "build",
    tool_use_id: "build",
    cwd: root,
    tool_name: "AskUserQuestion",
    tool_input: { questions: [question] },
    tool_response: { answers: { [question.question]: "Yes" } },
  });
}

/** Acts as a client of `daybook mcp` and makes the requests that most clients make first. */
async function askOnce(main, io, where) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const done = main(["mcp", ...where], { ...io, streams: { input, output } });
  const clientInfo = { name: "build", version: "1" };
  const asked = [
    { method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } },
    { method: "tools/list", params: {} },
    { method: "tools/call", params: { name: "list", arguments: {} } },
    { method: "tools/call", params: { name: "recall", arguments: { question: "failing test" } } },
  ];
  const answers = createInterface({ input: output })[Symbol.asyncIterator]();
  for (const [id, { method, params }] of asked.entries()) {
    input.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const { result } = JSON.parse((await answers.next()).value);
    if (!result || result.isError) throw new Error(`daybook mcp on the samples: ${method} failed`);
    if (id === 0) input.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  }
  input.end();
  await done;
}

function sampleFiles() {
  return ["codex", "claude-code"].flatMap((source) =>
    readdirSync(`${root}samples/${source}`, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => ({ source, path: `${root}samples/${source}/${name}`, size: 0, mtimeMs: 0, container: "jsonl" })),
  );
}
