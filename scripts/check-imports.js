#!/usr/bin/env node
// Checks that imports between the rooms of src go one way, as `rooms.js` says, and prints that table into
// docs/architecture.md; with --check it only compares.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { writeGenerated } from "./generated.js";
import { FAMILIES, ROOMS, TOP } from "./rooms.js";

const SRC = fileURLToPath(new URL("../src", import.meta.url));
/** The page. Documents are drawn by its components, so rooms that make documents may import it. */
const WEB = fileURLToPath(new URL("../web/src", import.meta.url));

function files(dir) {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    return entry.isDirectory() ? files(path) : /\.(?:ts|svelte)$/.test(entry.name) ? [path] : [];
  });
}

/** The path below src as its parts, or ["web"]. */
function partsOf(path) {
  return path.startsWith(WEB + sep) ? ["web"] : relative(SRC, path).split(sep);
}

/** Why a file must not import another, or null. */
function objection(from, to) {
  const [room] = from;
  const [target, targetFolder] = to;
  if (room === "agents" && target === "agents") return betweenAgents(from, to);
  if (room === target) return null;
  if (to.length === 1 && TOP[target]?.length === 0) return null;
  const allowed = from.length === 1 ? TOP[room] : ROOMS[room]?.imports;
  if (!allowed) return `${room} is not in the table of rooms`;
  if (!allowed.includes(target)) return `${room} may not import ${target}`;
  if (allowed.includes(`${target}/${targetFolder}`)) return null;
  // What one agent alone knows is asked through the contract.
  if (target === "agents" && to.length > 2)
    return `${room} may import only files at the top of agents, not ${targetFolder}/`;
  return null;
}

/** Agents import what all share, and of another agent only what a family names; the lists at the top import all. */
function betweenAgents(from, to) {
  if (from.length === 2 || to.length === 2) return isShared(from, to) ? null : `${from[1]}/ may not import ${to[1]}`;
  if (from[1] === to[1] || to[1] === "kit") return null;
  const shared = FAMILIES[from[1]] ?? [];
  return shared.includes(to.slice(1).join("/")) ? null : `${from[1]}/ may not import ${to[1]}/`;
}

/** The registry names every agent, so an agent or the kit that imported it would import all of them. */
function isShared(from, to) {
  return from.length === 2 || to[1] === "contract.ts";
}

const wrong = [];
for (const file of files(SRC)) {
  if (file.endsWith(".test.ts")) continue;
  for (const match of readFileSync(file, "utf8").matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)) {
    const why = objection(partsOf(file), partsOf(resolve(dirname(file), match[1])));
    if (why) wrong.push(`${relative(SRC, file)} imports ${match[1]}: ${why}`);
  }
}
for (const line of wrong) console.error(line);
if (wrong.length > 0) process.exitCode = 1;

const BEGIN = "<!-- rooms: written by scripts/check-imports.js -->";
const END = "<!-- /rooms -->";
const rows = Object.entries(ROOMS).map(
  ([name, { holds, imports }]) =>
    `| \`src/${name}/\` | ${holds} | ${imports.map((one) => `\`${one}\``).join(", ") || "–"} |`,
);
const document = readFileSync(new URL("../docs/architecture.md", import.meta.url), "utf8");
const [before, rest] = document.split(BEGIN);
const after = rest?.split(END)[1] ?? "";
const table = [BEGIN, "| room | what lives there | may import |", "|---|---|---|", ...rows, END].join("\n");
writeGenerated("docs/architecture.md", `${before}${table}${after}`, "check-imports.js");
