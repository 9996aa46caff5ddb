/** Writes what was measured into docs/performance.md, between two marks, so that no figure there is typed by hand. */
import { readFileSync, writeFileSync } from "node:fs";

const [BEGIN, END] = ["<!-- measured: written by npm run bench -->", "<!-- /measured -->"];

/**
 * @typedef {{ case: string, tool: string, what: string, bytes: number, wall_ms: number, cpu_ms: number | null,
 *   rss_kb: number | null, tokens: string }} Row
 */

/** What each tool does that the other does as well: what Daybook's rows are divided by. */
const PEERS = [
  { what: "sync from empty, all searchable", tool: "agentsview", peer: "sync from empty" },
  { what: "usage daily, empty home", tool: "ccusage", peer: "daily" },
  { what: "usage daily, nothing new", tool: "ccusage", peer: "daily" },
];

/**
 * Wall time and CPU time in terms of the peer that does the same, in the same run; empty where none was there.
 *
 * @param {Row} row
 * @param {readonly Row[]} rows
 */
export function ratioOf(row, rows) {
  const pair = PEERS.find(({ what }) => row.tool === "daybook" && row.what === what);
  const peer = pair && rows.find((one) => one.case === row.case && one.tool === pair.tool && one.what === pair.peer);
  if (!peer) return "";
  const cpu = row.cpu_ms === null || peer.cpu_ms === null ? "" : `, CPU ${(row.cpu_ms / peer.cpu_ms).toFixed(2)}`;
  return `${(row.wall_ms / peer.wall_ms).toFixed(2)}${cpu} × ${peer.tool}`;
}

/**
 * @param {string} path
 * @param {{ intro: string, rows: readonly Row[] }} measured
 */
export function writeResults(path, { intro, rows }) {
  const text = readFileSync(path, "utf8");
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error(`${path} has no place for what was measured`);
  const lines = rows.map((row) => {
    const cells = [
      row.case,
      row.tool,
      row.what,
      seconds(row.wall_ms),
      row.cpu_ms === null ? "?" : seconds(row.cpu_ms),
      row.rss_kb === null ? "?" : `${Math.round(row.rss_kb / 1024)} MB`,
      ratioOf(row, rows),
      row.tokens,
    ];
    return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  });
  const head = [
    "| sessions | tool | what | wall | CPU | peak memory | ratio | checked |",
    "|---|---|---|---|---|---|---|---|",
  ];
  const block = [BEGIN, "", intro, "", ...head, ...lines, "", END].join("\n");
  writeFileSync(path, text.slice(0, begin) + block + text.slice(end + END.length));
}

/** @param {number} ms */
function seconds(ms) {
  return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}
