#!/usr/bin/env node
// Imports go one way through the house. A room may import only the rooms listed for it; this check holds it.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const SRC = fileURLToPath(new URL("../src", import.meta.url));

/** Room → rooms it may import, besides itself. `sources/*` may not import one another. */
const PLAIN = [
  "errors",
  "io",
  "log",
  "time",
  "projects",
  "pricing",
  "redact",
  "risk",
  "shell",
  "text",
  "home",
  "places",
];
const MODEL = [...PLAIN, "sources/source.ts", "turns"];
const ALLOWED = {
  errors: [],
  places: [],
  home: [],
  version: ["places"],
  text: [],
  redact: [],
  shell: ["text"],
  risk: ["redact", "shell", "text"],
  io: ["errors"],
  log: ["errors", "io"],
  time: ["errors"],
  projects: ["io"],
  pricing: ["log"],
  "sources/source.ts": ["io", "log"],
  "sources/json-lines.ts": ["errors", "io", "log", "sources/source.ts"],
  "sources/registry.ts": ["errors", "sources"],
  "sources/shared/": ["errors", "io", "log", "sources/source.ts", "sources/json-lines.ts"],
  sources: ["errors", "home", "io", "log", "sources/source.ts", "sources/json-lines.ts", "sources/shared/"],
  turns: ["errors", "log", "sources/source.ts", "decisions", "shell"],
  book: ["errors", "io", "log", "sources/source.ts"],
  decisions: ["errors", "io", "log"],
  view: [...MODEL, "decisions"],
  reading: [...MODEL, "book", "sources/registry.ts"],
  index: [...MODEL, "book", "reading", "view"],
  report: [...MODEL, "view", "reading", "decisions"],
  workspace: [...MODEL, "view", "reading"],
  worker: ["reading", "index"],
  service: [...MODEL, "book", "decisions", "view", "reading", "index", "report", "workspace", "version"],
  library: [...MODEL, "sources/registry.ts", "view", "reading", "service", "decisions", "report"],
  cli: [...MODEL, "view", "reading", "index", "decisions", "report", "workspace", "service", "version"],
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
  // The library's entry shares its name with the folder of the index.
  if (parts.length === 1 && parts[0] === "index.ts") return "library";
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
