#!/usr/bin/env node
// Traces an append, a report and a search through the code and counts the files involved and the calls from one room to
// another: `node scripts/trace-calls.js [directory of another checkout] [--calls]`. Every function is instrumented to
// report that it was entered; the caller is read from the stack.
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";

const here = fileURLToPath(new URL("..", import.meta.url));
const root = resolve(process.argv.slice(2).find((word) => !word.startsWith("--")) ?? here);
/** One genuine session of 139 lines: seven requests, calls, a compaction. */
const SESSION = join(
  here,
  "test/fixtures/corpus/codex-0.166.0-tui-nodaemon/sessions/2026/11/15",
  "rollout-2026-11-15T07-16-58-01a1de10-fde4-7bb2-b594-a1bd67130ccd.jsonl",
);
const scratch = mkdtempSync(join(tmpdir(), "daybook-trace-"));

function instrumented(text, name) {
  const inserts = [];
  const visit = (node) => {
    // A constructor may have to call `super` first, so constructors are not instrumented.
    if (ts.isFunctionLike(node) && node.body && !ts.isConstructorDeclaration(node)) {
      if (ts.isBlock(node.body)) inserts.push([node.body.getStart(file) + 1, "traceEntered();"]);
      else inserts.push([node.body.getStart(file), "(traceEntered(), "], [node.body.end, ")"]);
    }
    ts.forEachChild(node, visit);
  };
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  visit(file);
  // Insert from the end of the text; at equal positions an inner body must end before the outer one.
  const order = inserts
    .map((insert, i) => [...insert, i])
    .sort((a, b) => b[0] - a[0] || (a[1] === ")" ? a[2] - b[2] : b[2] - a[2]));
  let out = text;
  for (const [at, what] of order) out = out.slice(0, at) + what + out.slice(at);
  return ts.transpileModule(out, {
    fileName: name,
    compilerOptions: {
      target: "es2024",
      module: "esnext",
      rewriteRelativeImportExtensions: true,
      verbatimModuleSyntax: true,
    },
  }).outputText;
}

for (const name of readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })) {
  if (!name.endsWith(".ts") || /\.test\.ts$|\.d\.ts$|testing\.ts$/.test(name)) continue;
  const target = join(scratch, "src", name.replace(/\.ts$/, ".js"));
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, instrumented(readFileSync(join(root, "src", name), "utf8"), name));
}
for (const name of ["package.json", "node_modules", "samples", "data"])
  symlinkSync(join(root, name), join(scratch, name));

const code = join(scratch, "src");
let files = new Set();
let crossings = new Map();
let count = 0;
let plain = 0;
/** Rooms of small functions that know nothing about sessions; calls to them are counted separately. */
const PLAIN = new Set(["base", "record"]);
Error.stackTraceLimit = 12;
/** The folder below `src`; a file at the top level belongs to the room of its own name. */
const roomOf = (path) => path.split("/")[0].replace(/\.js$/, "");
globalThis.traceEntered = () => {
  const holder = {};
  Error.prepareStackTrace = (_, sites) => sites.map((site) => site.getFileName() ?? "");
  Error.captureStackTrace(holder);
  const stack = holder.stack.slice(1);
  Error.prepareStackTrace = undefined;
  const own = stack
    .map((url) => (url.startsWith("file:") ? relative(code, fileURLToPath(url)) : ""))
    .filter((path) => path !== "" && !path.startsWith(".."));
  const [callee, caller] = own;
  if (callee === undefined) return;
  files.add(callee);
  if (caller === undefined || roomOf(caller) === roomOf(callee)) return;
  count++;
  if (PLAIN.has(roomOf(callee))) plain++;
  const key = `${roomOf(caller)} -> ${roomOf(callee)}`;
  crossings.set(key, (crossings.get(key) ?? 0) + 1);
};

try {
  const { main } = await import(pathToFileURL(join(code, "doors/cli/main.js")).href);
  const native = join(scratch, "codex");
  const path = join(native, "sessions/2026/11/15", basename(SESSION));
  const lines = readFileSync(SESSION, "utf8").split("\n").filter(Boolean);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${lines.slice(0, -1).join("\n")}\n`);
  const given = ["--root", `codex=${native}`, "--home", join(scratch, "home")];
  const day = (JSON.parse(lines[0]).timestamp ?? "").slice(0, 10);
  const io = {
    out() {},
    err: (text) => process.stderr.write(text),
    env: { HOME: scratch },
    now: Date.parse(`${day}T23:00:00Z`),
    columns: 100,
    outIsTerminal: false,
    errIsTerminal: false,
  };
  const run = async (...argv) => {
    files = new Set();
    crossings = new Map();
    count = 0;
    plain = 0;
    return main(argv, io);
  };
  const note = (what, exit) => {
    console.log(
      `${what}: ${files.size} files, ${count} crossings, ${count - plain} of them between rooms that know sessions${exit ? ` (exit ${exit})` : ""}`,
    );
    if (process.argv.includes("--calls"))
      for (const [key, n] of [...crossings].sort((a, b) => b[1] - a[1]))
        console.log(`  ${String(n).padStart(6)}  ${key}`);
  };
  await run("sync", ...given);
  appendFileSync(path, `${lines.at(-1)}\n`);
  note("append", await run("sync", ...given));
  note("report", await run("report", "--date", day, ...given));
  note("search", await run("search", "file", ...given));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
