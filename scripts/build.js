#!/usr/bin/env node
// Builds dist: type declarations by tsc, code bundled by rolldown. The library is for import; the program is a few scripts
// with the code V8 makes of them, each loaded when it is needed, because loading is most of what a small command costs. Built
// aside and swapped in, so that a failed build leaves the old one.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { rolldown } from "rolldown";
import { noticesOf } from "./notices.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const fresh = `${root}.dist-new`;
const manifest = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
const require = createRequire(import.meta.url);
// The compiler without the programming interface that our checks use is four times as quick.
const tsc = `${root}node_modules/typescript-native/bin/tsc`;
const packages = Object.keys(manifest.dependencies);
/** Has native code, so it cannot be part of a script. */
const NATIVE = "@photostructure/sqlite";
/**
 * What the program is made of, by the files that are in it; the first that fits counts. A part is loaded when something of it
 * is first used, so what answers a question from the index must not stand with what reads sessions.
 */
const PARTS = [
  ["prices", /\/pricing\/prices/],
  // Only a text that holds the beginning of a token needs them.
  ["secretlint", /\/@secretlint\/|\/src\/redact\/secretlint-rules/],
  // What the index has marked as clean, and what is plain to see, is not searched for secrets.
  ["secrets", /\/src\/redact\/(?!redact|own-rules|version)/],
  // One agent's settings are in it.
  ["yaml", /\/node_modules\/yaml\/|\/src\/mcp\/install\/yaml-list/],
  // All but the questions that are asked many times a day.
  [
    "commands",
    /\/node_modules\/(?:diff|jsonc-parser)\/|\/src\/(?:mcp|teaching)\/install\/|\/src\/cli\/(?:completion\.ts|sample|team-server|workspace-flags|commands\/(?!index|report|search|sessions|statusline|turns|usage))/,
  ],
  ["narrate", /\/src\/(?:narrate\/|sources\/(?:[\w-]+\/headless|kit\/printed-events)\.ts)/],
  ["export", /\/src\/export\/|\/node_modules\/hyparquet/],
  ["mcp", /\/src\/(?:mcp\/|sources\/[\w-]+\/mcp\.ts)/],
  ["protocol", /@modelcontextprotocol\//],
  // Whoever asks a team store, and the only code that speaks to a database of another machine.
  [
    "team",
    /^\0never-loaded$|\/src\/team\/|\/node_modules\/(?:jose|pg|pg-[\w-]+|pgpass|postgres-[\w-]+|split2|xtend)\//,
  ],
  ["http", /\/src\/http\/|\/node_modules\/(?:hono|@hono|@asteasolutions|openapi3-ts|yaml)\//],
  ["formats", /\/(?:zod|smol-toml)\/|\/src\/(?:format\/(?:schema|reader|unknown-fields)|reading\/validate)/],
  ["render", /\/src\/(?:report\/render|cli\/transcript)/],
  // Which of them are ours is asked with every question.
  ["workspace", /\/src\/workspace\/(?!own-places)/],
  [
    "blame",
    /\/src\/(?:blame\/|daybook\/(?:agent-trace|blaming|commit-history|file-history)|io\/git)|\/node_modules\/diff\//,
  ],
  ["decisions", /\/src\/decisions\//],
  // Run by an agent around every question it asks.
  ["teaching", /\/src\/(?:teaching\/|daybook\/decision-stats)/],
  ["risk", /\/src\/(?:answers\/risk|shell)\//],
  ["views", /\/src\/answers\/(?:audit|limit|session|tool-view|turn)/],
  // Which days a report is about is known before any is made.
  ["report", /\/src\/report\/(?!window)/],
  [
    "sessions",
    /\/src\/(?:turns\/|store\/pages\/(?:page-|frame)|store\/(?:sync\/(?:copies|drafts|families|generations)|tables\/packed-state))/,
  ],
  ["reading", /\/src\/sources\/kit\/(?!(?:answers|edit-tools|listing|patch-language|session-files|todo-list)\.ts)/],
  [
    "reading",
    /\/fzstd\/|\/src\/(?:store\/pages|format)\/(?!tokens|forgotten)|\/src\/io\/(?!disk|instant|json|named-path|regular-file|sqlite)|\/src\/reading\/(?!file-times|library|side-facts|versions)/,
  ],
  [
    "reading",
    /\/src\/store\/(?:sync\/(?:fingerprint|ingest|moved-files|rebuild|refresh|session-changes|sync)|search\/doc-pack|tables\/(?:file-rows|prompts|session-rows))/,
  ],
  // Tables of words, which only questions in sentences need.
  ["recall", /\/src\/store\/search\/recall\/|\/node_modules\/@orama\//],
  ["search", /\/src\/store\/search\//],
  // Classes that others extend must be there before them.
  ["errors", /\/src\/errors/],
  ["core", /\/src\/(?!(?:usage-)?worker\.ts)|\/node_modules\//],
];
const PRESET = "@secretlint/secretlint-rule-preset-recommend";
/**
 * What the kept rules import only on demand reads key files of another format: half a megabyte, with code for sockets, that no text asks
 * for. What checks schemas in the protocol's library is given to it as an option, and its own never used.
 */
const leaveOut = {
  name: "leave-out",
  resolveId: (id, importer, { kind }) => {
    if (id === "@modelcontextprotocol/server/_shims") return NO_VALIDATOR;
    // What it has for Node loads its parts in a way that no bundler sees.
    // Code for other runtimes, and for a library in C, that this one never loads.
    if (id === "pg-cloudflare" || id === "pg-native") return NEVER_LOADED;
    if (id === "jsonc-parser") return `${root}node_modules/jsonc-parser/lib/esm/main.js`;
    return kind === "dynamic-import" && importer?.includes(PRESET) && id.startsWith("./") ? LEFT_OUT : null;
  },
  load: (id) => LEAVINGS[id] ?? null,
};
const LEFT_OUT = "\0left-out";
/** In the part that asks for it: what is in none stands with the entry, which would then be apart from what it needs. */
const NEVER_LOADED = "\0never-loaded";
const NO_VALIDATOR = "\0no-validator";
const LEAVINGS = {
  [LEFT_OUT]: "export const i = {};",
  [NEVER_LOADED]: "export const i = {};",
  [NO_VALIDATOR]: 'export { default as process } from "node:process"; export class DefaultJsonSchemaValidator {}',
};
/** Each source's reader is a part of its own: whose sessions have news is read, no other. What finds their files is needed always. */
const READER =
  /\/src\/sources\/(?!kit\/)([\w-]+)\/(?!(?:discover|edits|facts|headless|hooks|index|listing|mcp|places|tools)\.ts)/;

/** Files that became part of what is built. */
const modules = new Set();

rmSync(fresh, { recursive: true, force: true });
execFileSync(process.execPath, [tsc, "-p", `${root}tsconfig.build.json`, "--outDir", fresh], {
  cwd: root,
  stdio: "inherit",
});
const library = { index: `${root}src/index.ts`, schema: `${root}src/format/schema.ts` };
await bundle(library, packages, { format: "esm", entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" });
const script = { format: "cjs", entryFileNames: "[name].cjs", chunkFileNames: "[name].cjs", comments: false };
await bundle({ cli: `${root}src/cli/main.ts` }, [NATIVE], {
  ...script,
  codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: partOf, debugName: "parts" }] },
});
// A thread reads millions of lines, where a call from part to part would be felt: its program is in one.
await bundle({ worker: `${root}src/worker.ts` }, [NATIVE], { ...script, codeSplitting: false });
await bundle({ "usage-worker": `${root}src/usage-worker.ts` }, [NATIVE], { ...script, codeSplitting: false });
for (const name of readdirSync(fresh)) if (name.endsWith(".cjs")) toAscii(`${fresh}/${name}`);
await pages();
writeFileSync(`${fresh}/THIRD-PARTY.txt`, noticesOf(modules));
rmSync(`${root}dist`, { recursive: true, force: true });
cpSync(fresh, `${root}dist`, { recursive: true });
rmSync(fresh, { recursive: true, force: true });
await keepCode();

async function bundle(input, packages, output) {
  const made = await rolldown({
    input,
    platform: "node",
    external: [/^node:/, ...packages],
    plugins: [leaveOut],
    // Parts lend one another what they need of each other.
    preserveEntrySignatures: "allow-extension",
    // A name that is a constant must not load the part it stands in.
    optimization: { inlineConst: { mode: "all" } },
  });
  const written = await made.write({ dir: fresh, ...output });
  for (const chunk of written.output) for (const id of chunk.moduleIds ?? []) modules.add(id);
  await made.close();
}

/** The pages that `serve` shows, one's own and a team's: apart, so that neither fetches in pieces what it shares with the other. */
async function pages() {
  const { build } = await import("vite");
  for (const [config, dir] of [
    ["vite.config.ts", "page"],
    ["vite.team.config.ts", "team-page"],
  ]) {
    const { output } = await build({
      configFile: `${root}web/${config}`,
      build: { outDir: `${fresh}/${dir}` },
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

/** Text of one byte per character is read as it is, and takes half the memory. Escapes mean the same but in raw strings. */
function toAscii(path) {
  const code = readFileSync(path, "utf8");
  if (/String\.raw`[^`]*[^\0-\x7f]/.test(code)) throw new Error(`${path}: a raw string that is not ASCII`);
  writeFileSync(path, code.replaceAll(/[^\0-\x7f]/g, escaped));
}

function escaped(char) {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Does the common things once on the samples: code is kept of the functions that were needed. */
async function keepCode() {
  // V8 forgets the code of what it has not run for a while, the scripts' own beginnings first.
  setFlagsFromString("--no-flush-bytecode");
  const { load, scripts } = require("../bin/load.js");
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
    await main(["decisions", "hook", hook, "--home", home], { ...io, stdin: asked });
  await askOnce(main, { ...io, outIsTerminal: false, errIsTerminal: false }, where);
  const { handle } = load("worker");
  const usage = load("usage-worker");
  for (const [i, ref] of sampleFiles().entries()) {
    usage.handle({ ref });
    const fresh = { page: join(home, String(i)), otherwise: null, cursor: null, print: null, saved: null, drift: null };
    handle({ want: "ingest", bytes: 0, ref, ...fresh, resting: null, tail: [], durable: false });
  }
  // Code made under other flags than the user's is refused.
  setFlagsFromString("--flush-bytecode");
  for (const [name, script] of scripts) writeFileSync(`${root}dist/${name}.code`, script.createCachedData());
  rmSync(home, { recursive: true, force: true });
}

/** A question as an agent tells its hooks of it. */
function asked() {
  const question = {
    question: "Go on? <gstack-qid:build-x>",
    options: [{ label: "Yes (recommended)" }, { label: "No" }],
  };
  return JSON.stringify({
    ...{ session_id: "build", tool_use_id: "build", cwd: root, tool_name: "AskUserQuestion" },
    ...{ tool_input: { questions: [question] }, tool_response: { answers: { [question.question]: "Yes" } } },
  });
}

/** A client of `daybook mcp` that asks what most ask first. */
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
