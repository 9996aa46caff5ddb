#!/usr/bin/env node
// Hashes the code whose results are stored in a home: per source the code that reads its files, and the code that makes
// the rows of the index. The code is bundled, minified and stripped of types, so only what runs is hashed: comments,
// formatting, types and unused functions do not count. Run as a program (`npm run versions`) it raises the version of
// everything whose code changed, and records the new hashes in src/stored-versions.ts.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import ts from "typescript";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SRC = join(ROOT, "src");
const RECORDED = join(SRC, "stored-versions.ts");
/** The name of the row code among the sources. */
export const ROWS = "TABLES";

/**
 * Members of a source whose results are not stored: texts about the source, and what is asked of it at the moment.
 * Every other member counts, so a new one does until it is listed here.
 */
const UNSTORED = [
  "name",
  "checked",
  "unknowable",
  "times",
  "resume",
  "start",
  "mcp",
  "questionHooks",
  "headless",
  "recordAt",
  "scriptStart",
  "outputMeter",
];
/** Members that rows are made with, of the sessions of any source. */
const ROW_MEMBERS = ["tools", "mainCheckout"];
/** Members that decide what is read and how sessions are put together. */
const BOTH = ["id", "capabilities"];

/** Every page is written by this code, whatever its source. */
const PAGE_WRITER = ["book/pages/page.ts"];
/** What rows are made by: of one file, of sessions, of what reports find in records, of usage before there is a book. */
const ROW_MAKERS = [
  "index/tables/schema.ts",
  "index/sync/ingest.ts",
  "index/sync/copies.ts",
  "index/sync/refresh.ts",
  "index/sync/session-changes.ts",
  "index/tables/file-rows.ts",
  "index/tables/project-names.ts",
  "index/tables/titles.ts",
  "views/facts/record-facts.ts",
  "book/reading/usage-job.ts",
];
/** Code that decides nothing about a row: it has a version of its own, or only moves bytes. */
const APART = [
  "stored-versions.ts",
  "base/redact/",
  "views/pricing/prices-version.ts",
  "book/pages/",
  "index/tables/index-store.ts",
  "index/tables/damaged-index.ts",
  "base/io/disk.ts",
  "base/io/sqlite",
];
/** The same for pages. */
const APART_FROM_PAGES = ["stored-versions.ts", "base/io/disk.ts"];

/** All sources, by their folders. */
export function sourceFolders() {
  return readdirSync(join(SRC, "agents"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(SRC, moduleOf(entry.name))))
    .map(({ name }) => name)
    .toSorted();
}

/** The module that exports a source, below src. */
function moduleOf(folder) {
  return `agents/${folder}/source.ts`;
}

/**
 * Hash of everything, by source, and of the rows. `edited` replaces the text of files, by their path below src: for
 * tests.
 */
export async function codeHashes(edited = {}, only = [...sourceFolders(), ROWS]) {
  const hashes = {};
  for (const name of only) hashes[name] = await codeHash(name, edited);
  return hashes;
}

async function codeHash(name, edited) {
  const isRows = name === ROWS;
  const entries = isRows ? ROW_MAKERS : [moduleOf(name), ...PAGE_WRITER];
  const apart = (isRows ? APART : APART_FROM_PAGES).map((path) => join(SRC, path));
  const isMember = isRows
    ? (member) => BOTH.includes(member) || ROW_MEMBERS.includes(member)
    : (member) => !UNSTORED.includes(member) && !ROW_MEMBERS.includes(member);
  const packages = new Set();
  const made = await rolldown({
    input: ENTRY,
    platform: "node",
    // A module none of whose functions are used does not count, whatever it does when it is loaded.
    treeshake: { moduleSideEffects: false },
    plugins: [
      {
        name: "stored-code",
        resolveId(id, importer) {
          if (id === ENTRY) return id;
          if (id.startsWith("node:")) return { id, external: true };
          const path = id.startsWith(".") ? resolve(dirname(importer), id) : id;
          if (!path.startsWith(SRC)) {
            packages.add(id);
            return { id, external: true };
          }
          // No absolute id: it would be written relative to the working directory, and count.
          return apart.some((one) => path.startsWith(one)) ? { id: path.slice(SRC.length + 1), external: true } : path;
        },
        load(id) {
          if (id === ENTRY) return entries.map((path, i) => `export * as _${i} from "${join(SRC, path)}";`).join("\n");
          const path = id.slice(SRC.length + 1);
          const text = edited[path] ?? readFileSync(id, "utf8");
          if (path === "index/tables/schema.ts") return { code: withoutSqlComments(text), moduleType: "ts" };
          const isSource = /^agents\/[\w-]+\/(?:source|index)\.ts$/.test(path);
          return { code: isSource ? withMembers(text, isMember) : text, moduleType: "ts" };
        },
      },
    ],
  });
  const { output } = await made.generate({ format: "esm", minify: true, comments: false, codeSplitting: false });
  await made.close();
  const hash = createHash("sha256");
  for (const chunk of output) hash.update(chunk.type === "chunk" ? chunk.code : chunk.source);
  for (const id of [...packages].toSorted((a, b) => (a < b ? -1 : 1))) hash.update(`\n${id} ${versionOf(id)}`);
  return hash.digest("hex").slice(0, 12);
}

const ENTRY = "\0stored";

/** What a package does may change with its version. */
function versionOf(id) {
  const name = id.split("/", id.startsWith("@") ? 2 : 1).join("/");
  return JSON.parse(readFileSync(join(ROOT, "node_modules", name, "package.json"), "utf8")).version;
}

function withoutSqlComments(text) {
  return text.replaceAll(/^ *--.*\n/gm, "");
}

/** The module of a source without the members that do not count; imports that only they need fall away with them. */
function withMembers(text, isMember) {
  const file = ts.createSourceFile("index.ts", text, ts.ScriptTarget.Latest);
  const dropped = [];
  for (const statement of file.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { type, initializer } of statement.declarationList.declarations) {
      if (type?.getText(file) !== "Source" || !initializer) continue;
      // A member of a family is made from its base and what it has for itself.
      const members = ts.isCallExpression(initializer) ? initializer.arguments.at(-1) : initializer;
      if (!members || !ts.isObjectLiteralExpression(members)) continue;
      for (const member of members.properties)
        if (!isMember(member.name?.getText(file) ?? "")) dropped.push([member.getFullStart(), member.getEnd()]);
    }
  }
  let out = "";
  let from = 0;
  for (const [start, end] of dropped) {
    out += text.slice(from, start);
    from = text[end] === "," ? end + 1 : end;
  }
  return out + text.slice(from);
}

/** Settles conflicts of a merge: a line of one side, with the higher version of both. */
export function merged(text) {
  return text.replaceAll(CONFLICT, (_, ours, theirs) => {
    const versions = new Map([...theirs.matchAll(LINE)].map(([, , name, version]) => [name, Number(version)]));
    return ours.replaceAll(LINE, (line, before, name, version) => {
      return `${before}${Math.max(Number(version), versions.get(name) ?? 0)}${line.slice(before.length + version.length)}`;
    });
  });
}

const CONFLICT = /^<{7}.*\n([^]*?)^={7}\n([^]*?)^>{7}.*\n/gm;

/** The record with a line for every source, in the order of their names. */
export function listed(text) {
  const [begin, end] = [text.indexOf("READERS"), text.indexOf("\n};", text.indexOf("READERS"))];
  const first = text.indexOf("\n", begin) + 1;
  const lines = new Map([...text.slice(first, end).matchAll(LINE)].map(([line, , name]) => [name, line]));
  for (const name of sourceFolders()) {
    const key = /^\w+$/.test(name) ? name : `"${name}"`;
    if (!lines.has(key)) lines.set(key, `  ${key}: { version: 0, code: ""`);
  }
  const sorted = [...lines].sort(([a], [b]) => (a.replaceAll('"', "") < b.replaceAll('"', "") ? -1 : 1));
  return text.slice(0, first) + sorted.map(([, line]) => `${line} },`).join("\n") + text.slice(end);
}

/** The lines of the record with raised versions where the code changed, and the names of what was raised. */
export function raised(text, hashes) {
  const names = [];
  const lines = text.replaceAll(LINE, (line, before, name, version, middle, code) => {
    const hash = hashes[name.replaceAll('"', "")];
    if (hash === undefined || hash === code) return line;
    names.push(name.replaceAll('"', ""));
    return `${before}${Number(version) + 1}${middle}"${hash}"`;
  });
  return { text: lines, names };
}

const LINE = /^((?: {2}|export const )("[\w-]+"|\w+): (?:StoredVersion = )?\{ version: )(\d+)(, code: )"(\w*)"/gm;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { text, names } = raised(listed(merged(readFileSync(RECORDED, "utf8"))), await codeHashes());
  writeFileSync(RECORDED, text);
  console.log(names.length === 0 ? "no code changed whose results are stored" : `raised: ${names.join(", ")}`);
}
