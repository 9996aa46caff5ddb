#!/usr/bin/env node
// Imports go one way through the house. A room may import only the rooms listed for it; this check holds it.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const SRC = fileURLToPath(new URL("../src", import.meta.url));

/** Room → rooms it may import, besides itself. `sources/*` may not import one another. */
const ALLOWED = {
  errors: [],
  version: ["places"],
  places: [],
  worker: ["reading", "index"],
  io: ["errors"],
  log: ["errors", "io"],
  time: ["errors"],
  projects: [],
  "sources/source.ts": ["io", "log"],
  "sources/json-lines.ts": ["errors", "io", "log", "sources/source.ts"],
  "sources/registry.ts": ["sources"],
  sources: ["errors", "io", "log", "sources/source.ts", "sources/json-lines.ts"],
  turns: ["errors", "log", "sources/source.ts"],
  pricing: ["log"],
  view: ["errors", "log", "turns", "pricing", "projects", "time", "sources/source.ts"],
  book: ["errors", "io", "log", "sources/source.ts"],
  index: ["errors", "io", "log", "book", "sources/source.ts", "turns", "reading", "view", "pricing", "projects", "time"],
  reading: ["errors", "places", "io", "log", "sources/source.ts", "sources/registry.ts", "turns", "time"],
  service: ["errors", "book", "index",  "log", "turns", "pricing", "projects", "time", "view", "reading", "sources/source.ts"],
  index: ["errors", "log", "turns", "view", "reading", "service", "sources/source.ts"],
  cli: ["errors", "places", "log", "service", "view", "time", "turns", "reading", "version"],
};

function files(dir) {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    return entry.isDirectory() ? files(path) : entry.name.endsWith(".ts") ? [path] : [];
  });
}

/** The room a file lives in: a shared file by its own name, a source by its folder, else the top folder or file. */
function roomOf(path) {
  const parts = relative(SRC, path).split(sep);
  if (parts[0] === "sources") return parts.length === 2 ? `sources/${parts[1]}` : `sources/${parts[1]}/`;
  return (parts[0] ?? "").replace(/\.ts$/, "");
}

const wrong = [];
for (const file of files(SRC)) {
  if (file.endsWith(".test.ts")) continue;
  const room = roomOf(file);
  const rules = ALLOWED[room] ?? ALLOWED[room.split("/")[0]];
  if (!rules) wrong.push(`${relative(SRC, file)}: room ${room} is not in the list`);
  for (const match of readFileSync(file, "utf8").matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)) {
    const target = roomOf(resolve(dirname(file), match[1]));
    if (target === room || rules?.includes(target)) continue;
    if (rules?.includes(target.split("/")[0]) && room === "sources/registry.ts") continue;
    wrong.push(`${relative(SRC, file)} imports ${match[1]}: ${room} may not import ${target}`);
  }
}
for (const line of wrong) console.error(line);
process.exitCode = wrong.length > 0 ? 1 : 0;
