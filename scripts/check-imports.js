#!/usr/bin/env node
// Checks that imports between rooms go one way: a room may import only the rooms listed for it.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const SRC = fileURLToPath(new URL("../src", import.meta.url));
/** The page. Documents are drawn by its components, so rooms that make documents may import it. */
const WEB = fileURLToPath(new URL("../web/src", import.meta.url));

/** Room → rooms it may import, besides itself. `sources/*` may not import one another, except what is derived. */
const PLAIN = ["errors", "io", "format", "time", "redact", "shell", "text", "home", "places", "stored-versions"];
const MODEL = [...PLAIN, "sources/contract.ts", "turns", "answers"];
const ALLOWED = {
  errors: [],
  places: [],
  "stored-versions": [],
  home: ["errors"],
  version: ["places"],
  text: [],
  redact: [],
  shell: ["text"],
  io: ["errors"],
  format: ["errors", "io"],
  time: ["errors"],
  "sources/contract.ts": ["io", "format"],
  "sources/registry.ts": ["errors", "sources"],
  "sources/quick.ts": ["sources"],
  "sources/traits.ts": ["sources/contract.ts", "sources/registry.ts"],
  "sources/kit/": ["errors", "io", "text", "format", "sources/contract.ts"],
  sources: ["errors", "home", "io", "format", "sources/contract.ts", "sources/kit/"],
  decisions: ["errors", "io", "format", "sources/contract.ts", "sources/traits.ts"],
  turns: ["errors", "format", "sources/contract.ts", "decisions", "shell"],
  live: ["errors", "io", "text", "format", "time", "sources/contract.ts", "turns"],
  // What a query may say, as data: answers take their types from it.
  "questions/fields": [],
  answers: [...PLAIN, "questions/fields", "sources/contract.ts", "turns", "decisions"],
  teaching: [...PLAIN, "sources/contract.ts", "sources/traits.ts", "decisions", "answers"],
  reading: [...MODEL, "store/pages/", "sources/registry.ts"],
  "store/pages/": ["errors", "io", "format", "stored-versions", "sources/contract.ts"],
  store: [...MODEL, "reading", "store"],
  report: [...MODEL, "sources/traits.ts", "reading", "decisions", "web"],
  blame: [...MODEL, "sources/traits.ts"],
  workspace: [...MODEL, "reading"],
  worker: ["reading", "store"],
  "usage-worker": ["reading", "sources/contract.ts", "sources/quick.ts"],
  daybook: [
    ...MODEL,
    "sources/traits.ts",
    "store",
    "decisions",
    "teaching",
    "reading",
    "report",
    "blame",
    "workspace",
    "version",
  ],
  // One object per question, over the functions that answer it; the façade asks them by name.
  questions: [...MODEL, "questions/fields", "daybook", "reading", "report", "blame", "store"],
  "daybook.ts": [
    ...MODEL,
    "sources/traits.ts",
    "store",
    "reading",
    "report",
    "blame",
    "daybook",
    "questions",
    "questions/fields",
  ],
  library: [
    ...MODEL,
    "daybook.ts",
    "questions/fields",
    "live",
    "sources/registry.ts",
    "reading",
    "daybook",
    "decisions",
    "teaching",
    "report",
    "blame",
  ],
  narrate: [
    ...MODEL,
    "sources/traits.ts",
    "decisions",
    "reading",
    "report",
    "workspace",
    "daybook",
    "daybook.ts",
    "mcp",
    "version",
    "web",
  ],
  // One store for many machines, filled from answers.
  team: [...MODEL, "decisions", "daybook", "daybook.ts", "store/search/", "version"],
  export: [...MODEL, "report", "daybook", "daybook.ts", "version"],
  // Surfaces use the façade, never files or the store directly.
  http: [
    ...MODEL,
    "decisions",
    "report",
    "team",
    "questions",
    "questions/fields",
    "daybook",
    "daybook.ts",
    "version",
    "mcp",
  ],
  mcp: [...MODEL, "decisions", "report", "blame", "questions", "questions/fields", "daybook", "daybook.ts", "version"],
  cli: [
    ...MODEL,
    "decisions",
    "teaching",
    "report",
    "blame",
    "workspace",
    "narrate",
    "team",
    "export",
    "questions",
    "questions/fields",
    "daybook",
    "daybook.ts",
    "version",
    "http",
    "mcp",
  ],
};

/** A source whose agent is derived from another → the file of the other in which what they share is. */
const FAMILIES = { "sources/qwen/": "sources/gemini/family.ts" };

function files(dir) {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    return entry.isDirectory() ? files(path) : /\.(?:ts|svelte)$/.test(entry.name) ? [path] : [];
  });
}

/** The room a file lives in: a shared file by its own name, a source by its folder, else the top folder or file. */
function roomOf(path) {
  if (path.startsWith(WEB + sep)) return "web";
  const parts = relative(SRC, path).split(sep);
  if (parts[0] === "questions" && parts[1]?.startsWith("field")) return "questions/fields";
  if (parts[0] === "sources" || parts[0] === "store")
    return parts.length === 2 ? parts.join("/") : `${parts[0]}/${parts[1]}/`;
  if (parts.length === 1 && parts[0] === "index.ts") return "library";
  if (parts.length === 1 && parts[0] === "daybook.ts") return "daybook.ts";
  return (parts[0] ?? "").replace(/\.ts$/, "");
}

const wrong = [];
for (const file of files(SRC)) {
  if (file.endsWith(".test.ts")) continue;
  const room = roomOf(file);
  const rules = ALLOWED[room] ?? ALLOWED[room.split("/")[0]];
  if (!rules) wrong.push(`${relative(SRC, file)}: room ${room} is not in the list`);
  for (const match of readFileSync(file, "utf8").matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)) {
    const imported = resolve(dirname(file), match[1]);
    const target = roomOf(imported);
    if (target === room || rules?.includes(target)) continue;
    if (relative(SRC, imported).split(sep).join("/") === FAMILIES[room]) continue;
    // Sources must not import one another; only `registry.ts` and `quick.ts` import all of them.
    const isList = room === "sources/registry.ts" || room === "sources/quick.ts";
    if (rules?.includes(target.split("/")[0]) && (!target.startsWith("sources/") || isList)) continue;
    wrong.push(`${relative(SRC, file)} imports ${match[1]}: ${room} may not import ${target}`);
  }
}
for (const line of wrong) console.error(line);
process.exitCode = wrong.length > 0 ? 1 : 0;
