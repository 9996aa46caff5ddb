#!/usr/bin/env node
// Writes docs/screenshots/recording.svg: `node scripts/recording.js`, after a build. A terminal in which commands are
// typed over the bundled samples; what they print is what the program prints. No tool but Node is needed.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const COLUMNS = 100;
const ROWS = 28;
/** Of one character, in pixels. */
const [WIDE, HIGH] = [8, 18];
const [LEFT, TOP] = [16, 44];

/** What is typed, how many rows of the answer are shown, and for how many seconds. */
const SCENES = [
  { words: ["--no-pager"], typed: "daybook", seconds: 11 },
  { words: ["search", "station list"], typed: "daybook search station list", seconds: 8 },
  { words: ["show", "7c1e4a52/T0004"], typed: "daybook show 7c1e4a52/T0004", seconds: 8 },
  { words: ["usage", "session"], typed: "daybook usage session", seconds: 6 },
  { words: ["handoff", "7c1e4a52", "--to", "codex"], typed: "daybook handoff 7c1e4a52 --to codex", seconds: 7 },
];

const COLOURS = { 31: "#f2777a", 32: "#8fc77f", 33: "#e6b450", 34: "#7aa6da", 35: "#c397d8", 36: "#6cc4c9" };

function daybook(words) {
  const env = { ...process.env, COLUMNS: String(COLUMNS), FORCE_COLOR: "1", LANG: "C.UTF-8" };
  delete env.NO_COLOR;
  const program = [`${root}bin/daybook.js`, ...words, "--sample", "-z", "Europe/Berlin", "-q"];
  const options = { env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] };
  // Where this checkout is belongs in no picture.
  return execFileSync(process.execPath, program, options).replaceAll(root, "");
}

/** Cut as a terminal would wrap it: documents have lines of any length. */
function fitted(line) {
  return !line.includes("\u001b") && [...line].length > COLUMNS ? `${[...line].slice(0, COLUMNS - 1).join("")}…` : line;
}

const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");

/** A line of terminal output: colour escape sequences become spans. */
function lineOf(line, y) {
  let style = "";
  const spans = line
    .split(/(\u001b\[[\d;]*m)/)
    .map((piece) => {
      const code = /^\u001b\[([\d;]*)m$/.exec(piece)?.[1];
      if (code === undefined) return piece === "" ? "" : `<tspan${style}>${escaped(piece)}</tspan>`;
      const n = Number(code.split(";")[0] || 0);
      if ([0, 22, 39].includes(n)) style = "";
      else style = n === 1 ? ' font-weight="bold"' : n === 2 ? ' fill="#8b9098"' : ` fill="${COLOURS[n] ?? "#d7dae0"}"`;
      return "";
    })
    .join("");
  const plain = line.replace(/\u001b\[[\d;]*m/g, "");
  if (plain.trim() === "") return "";
  // The width is fixed, whatever font the reader has.
  return `<text x="${LEFT}" y="${y}" textLength="${[...plain].length * WIDE}" lengthAdjust="spacingAndGlyphs">${spans}</text>`;
}

const total = SCENES.reduce((sum, { seconds }) => sum + seconds, 0);
const percent = (seconds) => `${((100 * seconds) / total).toFixed(2)}%`;
const [wide, high] = [LEFT * 2 + COLUMNS * WIDE, TOP + ROWS * HIGH + 8];
const rules = [];
const groups = [];
let begin = 0;
for (const [i, { words, typed, seconds }] of SCENES.entries()) {
  const typing = 0.3 + typed.length * 0.06;
  const all = daybook(words).trimEnd().split("\n");
  const lines = all.slice(0, ROWS - 3).map(fitted);
  const more = all.length > lines.length ? ["\u001b[2m…\u001b[22m"] : [];
  const shown = (from, to) => {
    const before = from === 0 ? "" : `0%,${percent(from - 0.01)}{visibility:hidden}`;
    const after = to >= total ? "" : `${percent(to)},100%{visibility:hidden}`;
    return `${before}${percent(from)},${percent(to - 0.01)}{visibility:visible}${after}`;
  };
  const letters = typed.length * WIDE;
  rules.push(
    `@keyframes s${i}{${shown(begin, begin + seconds)}}`,
    `@keyframes a${i}{${shown(begin + typing + 0.4, begin + seconds)}}`,
    `@keyframes t${i}{0%,${percent(begin + 0.3)}{width:0}${percent(begin + typing)},100%{width:${letters}px}}`,
    `.s${i}{animation:s${i} ${total}s infinite}.a${i}{animation:a${i} ${total}s infinite}.t${i}{animation:t${i} ${total}s infinite steps(${typed.length * SCENES.length * 4})}`,
  );
  groups.push(
    `<g class="s${i}"><text x="${LEFT}" y="${TOP}"><tspan fill="#8fc77f">$</tspan></text>`,
    `<svg class="t${i}" x="${LEFT + 2 * WIDE}" y="${TOP - HIGH}" width="${letters}" height="${HIGH + 8}">`,
    `<text x="0" y="${HIGH}" textLength="${letters}" lengthAdjust="spacingAndGlyphs" font-weight="bold">${escaped(typed)}</text></svg>`,
    `<g class="a${i}">${[...lines, ...more].map((line, n) => lineOf(line, TOP + (n + 2) * HIGH)).join("\n")}</g></g>`,
  );
  begin += seconds;
}
// Who wants no motion sees the first answer.
const still = `@media (prefers-reduced-motion:reduce){*{animation:none!important}${SCENES.slice(1)
  .map((_, i) => `.s${i + 1}`)
  .join(",")}{visibility:hidden}}`;
const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${wide} ${high}" width="${wide}" height="${high}" role="img" aria-label="daybook in a terminal: the report of a day, a search, one turn, usage, a brief for another agent">
<style>text{font:13px/1 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d7dae0;white-space:pre}
${[...rules, still].join("\n")}</style>
<rect width="${wide}" height="${high}" rx="8" fill="#1d2026"/>
<circle cx="20" cy="16" r="5" fill="#f2777a"/><circle cx="38" cy="16" r="5" fill="#e6b450"/><circle cx="56" cy="16" r="5" fill="#8fc77f"/>
${groups.join("\n")}
</svg>
`;
writeFileSync(`${root}docs/screenshots/recording.svg`, svg);
process.stdout.write(`docs/screenshots/recording.svg: ${total} s, ${Math.round(svg.length / 1000)} kB\n`);
