/**
 * How long searches take inside a process that has the index open: rare and common words, several words, phrases,
 * prefixes, scripts without spaces. Prints one JSON object.
 *
 *   node bench/lib/search-times.js HOME SOURCE=PATH...
 */
import { Daybook } from "../../dist/index.js";

const [home, ...roots] = process.argv.slice(2);
const QUERIES = [
  "cursor",
  "invoice",
  "error",
  "the",
  "function",
  "import",
  "session",
  "ledger",
  "window",
  "undefined",
  "atlas",
  "cursor invoice",
  "export const",
  "retry queue",
  "prune parser",
  "npm test",
  "git status",
  "shard replay cache",
  "test*",
  "inv*",
  "sched*",
  "数据",
  "数据库",
  "テスト",
  '"cursor invoice"',
  '"the function"',
  '"session token"',
  '"cache miss"',
  '"src cache"',
];
const daybook = new Daybook({
  book: home,
  noSync: true,
  roots: Object.fromEntries(roots.map((pair) => [pair.split("=")[0], [pair.slice(pair.indexOf("=") + 1)]])),
});
await daybook.search("once");
const times = [];
for (let round = 0; round < 3; round += 1) {
  for (const query of QUERIES) {
    const start = performance.now();
    await daybook.search(query);
    times.push(performance.now() - start);
  }
}
times.sort((a, b) => a - b);
const at = (/** @type {number} */ share) => Math.round(times[Math.floor((times.length - 1) * share)] * 10) / 10;
console.log(JSON.stringify({ searches: times.length, p50_ms: at(0.5), p95_ms: at(0.95), most_ms: at(1) }));
