#!/usr/bin/env node
// Checks the package as users would get it: what is in it, whether its declarations compile, files and entry points
// (publint), and types for every way of importing it (attw).
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The package has grown by accident before: by code that no other Node can use, and by a thousand declarations. */
const MOST_FILES = 300;
const MOST_BYTES = 3.5 * 1024 ** 2;
const DECLARATIONS = ["dist/index.d.ts", "dist/kit.d.ts", "dist/schema.d.ts"];

const root = fileURLToPath(new URL("..", import.meta.url));
const dir = mkdtempSync(join(tmpdir(), "daybook-package-"));
try {
  const options = ["--ignore-scripts", "--silent", "--json", "--pack-destination", dir];
  const told = JSON.parse(execFileSync("npm", ["pack", ...options], { cwd: root, encoding: "utf8" }));
  // npm 12 tells by name what earlier versions list.
  const [packed] = Object.values(told);
  for (const problem of problemsOf(packed)) fail(`package: ${problem}\n`);
  const tool = (name) => join(root, "node_modules", name);
  const tarball = join(dir, packed.filename);
  run(
    tool("typescript-native/bin/tsc"),
    "--ignoreConfig",
    "--noEmit",
    "--strict",
    "--module",
    "nodenext",
    "--types",
    "node",
    ...DECLARATIONS,
  );
  run(tool(".bin/publint"), tarball);
  // An ESM-only package: CommonJS code has to load it with `import()`.
  run(tool(".bin/attw"), "--profile", "esm-only", "--no-color", tarball);
} finally {
  rmSync(dir, { recursive: true, force: true });
}

function* problemsOf({ files, size }) {
  const paths = files.map(({ path }) => path);
  for (const path of paths) if (path.endsWith(".code")) yield `${path} is for one Node alone`;
  const declarations = paths.filter((path) => path.endsWith(".d.ts")).toSorted();
  if (String(declarations) !== String(DECLARATIONS)) yield `declarations are not one per entry: ${declarations}`;
  // npm warns of these whenever the package is installed as a dependency.
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  for (const name of ["preinstall", "install", "postinstall", "prepare"])
    if (scripts[name] !== undefined) yield `a script that npm would run on installing it: ${name}`;
  if (paths.length > MOST_FILES) yield `${paths.length} files, more than ${MOST_FILES}`;
  if (size > MOST_BYTES) yield `${size} bytes, more than ${MOST_BYTES}`;
}

function run(program, ...words) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], { cwd: root, encoding: "utf8" });
  if (status !== 0) fail(`${stdout}${stderr}`);
}

function fail(text) {
  process.stderr.write(text);
  process.exitCode = 1;
}
