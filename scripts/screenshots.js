#!/usr/bin/env node
// Makes the pictures in docs/screenshots from test/fixtures/month: `node scripts/screenshots.js [page|report]`, after a
// build. Needs `chromium` (or $CHROMIUM) and, for the printed page, `pdftoppm` of poppler-utils.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = join(root, "docs/screenshots");
const work = mkdtempSync(join(tmpdir(), "daybook-pictures-"));
const DAY = "2026-09-16";
const month = join(root, "test/fixtures/month");
const roots = ["--root", `claude-code=${month}/claude`, "--root", `codex=${month}/codex`, "-z", "Europe/Berlin"];

/** Output of `daybook report` with colours. */
function daybook(words, columns) {
  const env = { ...process.env, COLUMNS: String(columns), FORCE_COLOR: "1", LANG: "C.UTF-8", HOME: work };
  delete env.NO_COLOR;
  return execFileSync(process.execPath, [join(root, "bin/daybook.js"), "report", "--no-pager", ...roots, ...words], {
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}

function chromium(...words) {
  const program = process.env.CHROMIUM ?? "chromium";
  const quiet = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--disable-lcd-text",
    `--user-data-dir=${work}/profile`,
  ];
  execFileSync(program, [...quiet, ...words], { stdio: "ignore", timeout: 120_000 });
}

function picture(name, page, width, height, ...more) {
  const size = `--window-size=${width},${height}`;
  chromium(size, `--screenshot=${join(target, name)}`, ...more, `file://${page}`);
}

const COLOURS = { 31: "#c0392b", 32: "#2c7a4b", 33: "#96650b", 34: "#2f5fa8", 35: "#8e44ad", 36: "#1f7a8c" };

/** Terminal output as an HTML page: colour escape sequences become elements. */
function terminalPage(text, columns) {
  const escaped = text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  let open = 0;
  const body = escaped.replace(/\u001b\[([\d;]*)m/g, (_, codes) => {
    const code = Number(codes.split(";")[0] || 0);
    if ([0, 22, 39].includes(code)) return open > 0 ? (open--, "</span>") : "";
    open++;
    const style =
      code === 1 ? "font-weight:bold" : code === 2 ? "color:#77756e" : `color:${COLOURS[code] ?? "inherit"}`;
    return `<span style="${style}">`;
  });
  const style = `body{margin:0;background:#fcfbf9;color:#1d1d1b}pre{margin:14px 16px;width:${columns}ch;font:13px/1.38 "DejaVu Sans Mono",monospace}`;
  return `<!doctype html><meta charset="utf-8"><style>${style}</style><pre>${body}</pre>`;
}

/** What clients of the server send. */
const TOKEN = "token-for-pictures";

/** Pictures of the page of `serve`: name, path, width, height, colour scheme, the selector to wait for, and one to click. */
const PAGES = [
  ["page-day", `/day/${DAY}`, 1440, 900, "light", "main section li"],
  [
    "page-session",
    "/sessions?project=shop-api&sort=oldest",
    1440,
    900,
    "light",
    ".diff .code-keyword",
    'main a[href*="513a27d0"]',
  ],
  ["page-search", "/search?q=billed+a+second+time+when+the+app+tried+again", 1440, 900, "light", "a.meant"],
  [
    "page-usage",
    "/usage?since=2026-09-14&until=2026-09-20&than_since=2026-09-07&than_until=2026-09-13",
    1440,
    900,
    "light",
    "main table",
  ],
  ["page-tools", "/tools", 1440, 900, "dark", "main a.call"],
  ["page-phone", `/day/${DAY}`, 390, 844, "dark", "main section li"],
];

async function pagePictures() {
  const words = ["serve", "--port", "0", "--home", join(work, "home"), ...roots];
  const server = spawn(process.execPath, [join(root, "bin/daybook.js"), ...words], {
    env: { ...process.env, DAYBOOK_TOKEN: TOKEN },
    stdio: ["ignore", "pipe", "ignore"],
  });
  // Loaded here, because only the page pictures need it.
  const { chromium: browsers } = await import("playwright-core");
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  const browser = await browsers.launch({ executablePath, args: ["--no-sandbox", "--disable-lcd-text"] });
  try {
    const url = await addressOf(server);
    const headers = { authorization: `Bearer ${TOKEN}` };
    for (;;) {
      const { sessions, syncing } = await (await fetch(new URL("/api/overview", url), { headers })).json();
      if (sessions > 0 && !syncing) break;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    for (const [name, path, width, height, colorScheme, until, first] of PAGES) {
      const page = await browser.newPage({ viewport: { width, height }, colorScheme });
      await page.context().request.get(new URL(`/?key=${TOKEN}`, url).href);
      await page.goto(new URL(path, url).href);
      if (first !== undefined) await page.locator(first).first().click();
      await page.locator(until).first().waitFor();
      await page.waitForTimeout(1500);
      await page.screenshot({ path: join(target, `${name}.png`) });
      await page.close();
    }
  } finally {
    await browser.close();
    server.kill();
  }
}

async function addressOf(server) {
  let printed = "";
  for await (const chunk of server.stdout) {
    printed += String(chunk);
    const found = /Daybook is at (\S+)/.exec(printed)?.[1];
    if (found !== undefined) return new URL(found);
  }
  throw new Error("the server printed no address");
}

function reportPictures() {
  for (const columns of [80, 120]) {
    const text = daybook(columns === 80 ? ["--date", DAY] : ["--week", "--date", DAY], columns);
    const page = join(work, `terminal-${columns}.html`);
    writeFileSync(page, terminalPage(text, columns));
    picture(`terminal-${columns}.png`, page, columns * 8 + 36, text.trimEnd().split("\n").length * 18 + 32);
  }
  const page = join(work, "day.html");
  daybook(["--date", DAY, "--out", page], 100);
  // Show one item open, as if it had been clicked.
  const opened = join(work, "opened.html");
  writeFileSync(opened, readFileSync(page, "utf8").replace('<details class="item"', '<details open class="item"'));
  picture("html-wide.png", opened, 1200, 1000);
  picture("html-narrow.png", page, 500, 1000);
  picture("html-dark.png", opened, 1200, 800, "--blink-settings=preferredColorScheme=0");
  const pdf = join(work, "day.pdf");
  chromium("--no-pdf-header-footer", `--print-to-pdf=${pdf}`, `file://${page}`);
  execFileSync("pdftoppm", ["-r", "72", "-png", "-singlefile", pdf, join(target, "html-printed")]);
}

const [only] = process.argv.slice(2);
mkdirSync(target, { recursive: true });
try {
  if (only !== "page") reportPictures();
  if (only !== "report") await pagePictures();
} finally {
  rmSync(work, { recursive: true, force: true });
}
