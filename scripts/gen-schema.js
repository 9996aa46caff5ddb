#!/usr/bin/env node
// Writes docs/schema/record.v1.schema.json from src/format/schema.ts; with --check only compares. The sources are
// transpiled by this script, so the result never depends on a stale build.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";

const MODULES = ["record", "schema", "short-forms", "unknown-fields"];

const root = fileURLToPath(new URL("..", import.meta.url));
const target = join(root, "docs/schema/record.v1.schema.json");

const wanted = `${JSON.stringify((await loadSchema()).recordJsonSchema(), null, 2)}\n`;

if (process.argv.includes("--check")) {
  if (read(target) !== wanted) {
    console.error("docs/schema/record.v1.schema.json is out of date: run node scripts/gen-schema.js");
    process.exitCode = 1;
  }
} else {
  mkdirSync(join(root, "docs/schema"), { recursive: true });
  writeFileSync(target, wanted);
}

/** Under node_modules, so that zod is found from there. */
async function loadSchema() {
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const dir = mkdtempSync(join(cache, "gen-schema-"));
  try {
    writeFileSync(join(dir, "package.json"), `{"type":"module"}`);
    for (const name of MODULES) {
      const source = readFileSync(join(root, `src/format/${name}.ts`), "utf8");
      const { outputText } = ts.transpileModule(source, {
        compilerOptions: {
          target: ts.ScriptTarget.ES2023,
          module: ts.ModuleKind.ESNext,
          verbatimModuleSyntax: true,
          rewriteRelativeImportExtensions: true,
        },
      });
      writeFileSync(join(dir, `${name}.js`), outputText);
    }
    return await import(pathToFileURL(join(dir, "schema.js")).href);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
