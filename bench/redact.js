/**
 * Measures redaction of clean text: `node bench/redact.js [--root DIR]…`, after a build. Reads prose, source code, logs
 * and JSON from the given directories (by default `node_modules`, `/usr/share/doc` and `/usr/lib/python3`), leaves out
 * files in which anything is hidden, and prints the megabytes that one core redacts in a second of its time, by kind, and
 * the hits per 100,000 words, as JSON. CPU time is measured, because other programs may run meanwhile.
 */
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { redact } from "../dist/index.js";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const { values: flags } = parseArgs({ options: { root: { type: "string", multiple: true } } });
const roots = flags.root ?? [join(ROOT, "node_modules"), "/usr/share/doc", "/usr/lib/python3"];

/**
 * Which files are of which kind; the first that matches.
 *
 * @type {[kind: string, pattern: RegExp][]}
 */
const KINDS = [
  ["logs", /(?:changelog|\.log)[^/]*$/i],
  ["prose", /(?:\.(?:md|rst|txt)|(?:README|NEWS|FAQ|TODO|INSTALL|copyright|AUTHORS)[^/]*)(?:\.gz)?$/i],
  ["json", /\.json$/],
  ["python", /\.py$/],
  ["typescript", /\.[mc]?ts$/],
  ["javascript", /(?<!\.min)\.[mc]?js$/],
];
/** Bytes of each kind, the largest file, and how often each is redacted; the fastest time counts. */
const [MOST, LARGEST, TIMES] = [20_000_000, 3_000_000, 8];

/** @type {Map<string, { texts: string[], bytes: number, words: number, hits: number }>} */
const kinds = new Map(KINDS.map(([kind]) => [kind, { texts: [], bytes: 0, words: 0, hits: 0 }]));
for (const root of roots) for (const path of filesUnder(realpathSync(root))) take(path);

/** @type {Record<string, object>} */
const result = {};
for (const [kind, { texts, bytes, words, hits }] of kinds) {
  let fastest = 0;
  for (let n = 0; n < TIMES; n++) {
    const start = process.cpuUsage();
    for (const text of texts) redact(text);
    const { user, system } = process.cpuUsage(start);
    fastest = Math.max(fastest, bytes / (user + system));
  }
  result[kind] = {
    mb: Math.round(bytes / 1e5) / 10,
    mb_per_s: Math.round(fastest),
    words,
    hits_per_100k_words: Math.round((hits / Math.max(1, words)) * 1e7) / 100,
  };
}
console.log(JSON.stringify(result, null, 2));

/** @param {string} path */
function take(path) {
  const kind = kinds.get(KINDS.find(([, pattern]) => pattern.test(path))?.[0] ?? "");
  if (!kind || kind.bytes > MOST || statSync(path).size > LARGEST) return;
  const bytes = path.endsWith(".gz") ? gunzipSync(readFileSync(path)) : readFileSync(path);
  if (bytes.subarray(0, 4000).includes(0)) return;
  const text = bytes.toString("utf8");
  const hits = redact(text).split("[redacted:").length - text.split("[redacted:").length;
  kind.words += text.match(/\S+/g)?.length ?? 0;
  kind.hits += hits;
  if (hits > 0) return;
  kind.texts.push(text);
  kind.bytes += bytes.length;
}

/**
 * @param {string} dir
 * @returns {Generator<string, void, undefined>}
 */
function* filesUnder(dir) {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) yield* filesUnder(path);
    else if (entry.isFile()) yield path;
  }
}
