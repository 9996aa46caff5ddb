// The texts that quality is measured on. A material is a directory in the form of test/fixtures/month: `claude/`, `codex/`
// or a folder with the name of another source, `TRUTH.json`, `QUESTIONS.json`; each has an author, and it matters whether
// a rule was written with his text in sight.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Daybook, sourceIds } from "../../dist/index.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Own material: who wrote it, and whether rules were written for it. */
const OWN = [
  { dir: join(root, "test/fixtures/month"), name: "month", author: "N", isTuned: true },
  { dir: join(root, "test/fixtures/further/w1"), name: "w1", author: "W1", isTuned: true },
  { dir: join(root, "test/fixtures/further/w2"), name: "w2", author: "W2", isTuned: false },
];
/** Authors whose text was looked at while rules were written. */
const TUNED = new Set(OWN.filter(({ isTuned }) => isTuned).map(({ author }) => author));

/**
 * `words`: directories, each with `=AUTHOR` behind it if the author is known; without, the directory's name stands for
 * him. The same sessions as in own material are own material.
 */
export function materials(words) {
  const given = words.map((word) => {
    const [, path = word, author] = /^(.+?)(?:=([\w .-]+))?$/.exec(word) ?? [];
    const dir = resolve(path);
    const name = basename(dir);
    return { dir, name, author: author ?? name, isTuned: TUNED.has(author ?? name) };
  });
  for (const { dir } of given) {
    if (!existsSync(join(dir, "TRUTH.json"))) throw new Error(`${dir} has no TRUTH.json`);
  }
  const strangers = given.filter(({ dir }) => !OWN.some((own) => isSame(own.dir, dir)));
  return [...strangers, ...OWN].toSorted((a, b) => Number(a.isTuned) - Number(b.isTuned));
}

function isSame(a, b) {
  return a === b || readFileSync(join(a, "TRUTH.json"), "utf8") === readFileSync(join(b, "TRUTH.json"), "utf8");
}

export function truthOf(dir) {
  return JSON.parse(readFileSync(join(dir, "TRUTH.json"), "utf8"));
}

/** The sessions of a material, as a user would see them. `book`: where the index is kept, for questions that need one. */
export function daybookOf(dir, timezone, book) {
  return new Daybook({
    roots: rootsOf(dir),
    timezone,
    env: {},
    home: "/nowhere",
    ...(book === undefined ? {} : { book }),
  });
}

/** A folder is named as its source; `claude` is short for Claude Code. Other folders are passed over. */
export function rootsOf(dir) {
  const folders = readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const named = folders.map(({ name }) => [name === "claude" ? "claude-code" : name, [join(dir, name)]]);
  return Object.fromEntries(named.filter(([source]) => sourceIds().includes(source)));
}

/** What was listed against what is true. `found` of `of` true ones are listed; `right` of `listed` are true. */
export function counted(capability, { found, of, right = null, listed = null }) {
  return { capability, found, of, right, listed };
}
