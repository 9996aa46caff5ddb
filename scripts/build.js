#!/usr/bin/env node
// Builds dist: type declarations by tsc, code bundled by rolldown. The library is for import; the program is one script with
// the code V8 makes of it, because loading is most of what a small command costs. Built aside and swapped in, so that a
// failed build leaves the old one.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));
const fresh = `${root}.dist-new`;
const manifest = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
const require = createRequire(import.meta.url);
const tsc = require.resolve("typescript/bin/tsc");
const packages = Object.keys(manifest.dependencies);
/** Has native code, so it cannot be part of a script. */
const NATIVE = "@photostructure/sqlite";

rmSync(fresh, { recursive: true, force: true });
execFileSync(process.execPath, [tsc, "-p", `${root}tsconfig.build.json`, "--outDir", fresh], {
  cwd: root,
  stdio: "inherit",
});
const library = { index: `${root}src/index.ts`, schema: `${root}src/log/schema.ts` };
await bundle(library, packages, { format: "esm", entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" });
for (const [name, entry] of Object.entries({ cli: "src/cli/main.ts", worker: "src/worker.ts" }))
  await bundle({ [name]: root + entry }, [NATIVE], {
    format: "cjs",
    entryFileNames: "[name].cjs",
    codeSplitting: false,
  });
writeFileSync(
  `${fresh}/THIRD-PARTY.txt`,
  packages
    .filter((name) => name !== NATIVE)
    .map(notice)
    .join("\n"),
);
rmSync(`${root}dist`, { recursive: true, force: true });
cpSync(fresh, `${root}dist`, { recursive: true });
rmSync(fresh, { recursive: true, force: true });
await keepCode();

async function bundle(input, packages, output) {
  const made = await rolldown({ input, platform: "node", external: [/^node:/, ...packages] });
  await made.write({ dir: fresh, ...output });
  await made.close();
}

/** The licence of a package that became part of the program. */
function notice(name) {
  const text = readFileSync(`${root}node_modules/${name}/LICENSE`, "utf8");
  return `${name}\n${"=".repeat(name.length)}\n${text.trim()}\n`;
}

/** Does the common things once on the samples: code is kept of the functions that were needed. */
async function keepCode() {
  const { run, scriptOf } = require("../bin/load.js");
  const home = mkdtempSync(join(tmpdir(), "daybook-build-"));
  const program = scriptOf("cli");
  const { main } = run(program, "cli");
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
    "usage daily",
    "sessions --json",
    "turns",
    "search test",
  ]) {
    const code = await main([...command.split(" "), ...where], { ...io, outIsTerminal: false, errIsTerminal: false });
    if (code !== 0) throw new Error(`daybook ${command} on the samples: exit ${code}`);
  }
  writeFileSync(`${root}dist/cli.code`, program.createCachedData());
  const thread = scriptOf("worker");
  const { handle } = run(thread, "worker");
  for (const [i, ref] of sampleFiles().entries()) {
    handle({ want: "usage", bytes: 0, ref });
    const fresh = { page: join(home, String(i)), otherwise: null, cursor: null, print: null, saved: null, drift: null };
    handle({ want: "ingest", bytes: 0, ref, ...fresh, durable: false });
  }
  writeFileSync(`${root}dist/worker.code`, thread.createCachedData());
  rmSync(home, { recursive: true, force: true });
}

function sampleFiles() {
  return ["codex", "claude-code"].flatMap((source) =>
    readdirSync(`${root}samples/${source}`, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => ({ source, path: `${root}samples/${source}/${name}`, size: 0, mtimeMs: 0, container: "jsonl" })),
  );
}
