#!/usr/bin/env node
// Compares what two builds of Daybook print, byte for byte: `node scripts/compare-answers.js OTHER_CHECKOUT [--keep DIR]`.
// Asks both the same questions over every store of the corpora (../shared beside this checkout, or $DAYBOOK_CORPORA), from
// the files alone and from a book, and prints where the answers differ. For changes that must not change any answer.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL("..", import.meta.url));
const [other, ...flags] = process.argv.slice(2);
if (other === undefined) throw new Error("usage: compare-answers.js OTHER_CHECKOUT [--keep DIR]");
const keep = flags[0] === "--keep" ? resolve(flags[1] ?? ".") : null;
const corpora = process.env["DAYBOOK_CORPORA"] ?? resolve(here, "../shared");

/** The stores of the corpora, as roots of their agent. */
const AGENTS = { claude: "claude-code", codex: "codex" };
function stores() {
  const found = [];
  for (const month of ["month", "month-2"])
    found.push({
      name: month,
      roots: [`claude-code=${join(corpora, month, "claude")}`, `codex=${join(corpora, month, "codex")}`],
    });
  for (const corpus of ["corpus", "corpus-2"]) {
    for (const entry of readdirSync(join(corpora, corpus), { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      const agent = entry.name.split("-")[0] ?? "";
      const path = join(corpora, corpus, entry.name);
      const database = join(path, "opencode.db");
      found.push({ name: entry.name, roots: [`${AGENTS[agent] ?? agent}=${existsSync(database) ? database : path}`] });
    }
  }
  return found;
}

/** Questions about everything. `S` stands for the newest session, `T` for its last turn. */
const QUESTIONS = `
  sessions
  turns
  tools
  audit
  decisions
  context
  sessions --lost
  usage limits
  usage daily
  usage weekly
  usage monthly
  usage session
  usage turn
  usage model
  usage blocks
  usage daily --breakdown
  usage daily --project x
  usage daily --instances
  decisions stats
  report
  report --week
  report --full
  report --standup
  report --format markdown
  report --week --full --format markdown
  report --since 400d --format json
  sessions --limit 3
  turns --limit 2 --since 400d
  tools --limit 5 --status failed
  tools --grep test
  sessions --project x
  turns --session S
  tools --session S
  show S
  show T
  show S --json
  explain S:2
  resume S
  handoff S
  context --session S
  usage turn --session S
  audit --session S
  search test
  search test --limit 3 --kind prompt
  recall what failed
  export --session S
  doctor
  export --session S --format markdown
  export --session S --format atif
  export --format csv
`
  .trim()
  .split(/\s*\n\s*/);
/** Printed for people as well as in JSON. */
const JSON_TOO = /^(?!report --format|report --standup|show S --json|export|usage.*--json)/;

/** Paths of a run that must not count as a difference, and times that pass. */
function plain(text, home) {
  return text
    .replaceAll(home, "HOME")
    .replace(/\b\d+(?:\.\d+)? ?(?:ms|s)\b(?= (?:to|for) read)/g, "TIME")
    .replace(/"(?:read_at|exported_at|checked_at)": ?"[^"]+"/g, "TIME");
}

function run(checkout, args, home) {
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    TZ: "UTC",
    NO_COLOR: "1",
    COLUMNS: "120",
    DAYBOOK_HOME: join(home, "book"),
  };
  return new Promise((done) => {
    execFile(
      process.execPath,
      [join(checkout, "bin/daybook.js"), ...args],
      { env, cwd: home, maxBuffer: 1 << 30 },
      (error, stdout, stderr) =>
        done(plain(`${stdout}\n--- stderr\n${stderr}\nexit ${error ? (error.code ?? 1) : 0}\n`, home)),
    );
  });
}

let [asked, differing] = [0, 0];
const temporary = mkdtempSync(join(tmpdir(), "daybook-compare-"));
try {
  for (const { name, roots } of stores()) {
    const given = roots.flatMap((root) => ["--root", root]);
    for (const from of ["files", "book"]) {
      const homes = ["this", "other"].map((side) => join(temporary, name, from, side));
      for (const home of homes) mkdirSync(home, { recursive: true });
      const rootsOf = (home) => [...given, ...(from === "book" ? ["--home", join(home, "book")] : [])];
      const listed = await run(here, ["sessions", "--json", "--limit", "1", ...rootsOf(homes[0])], homes[0]);
      const session = /"session_id": ?"([^"]+)"/.exec(listed)?.[1] ?? "none";
      const questions = QUESTIONS.flatMap((question) =>
        JSON_TOO.test(question) ? [question, `${question} --json`] : [question],
      );
      for (const question of questions) {
        const words = question
          .split(" ")
          .map((word) => word.replace(/^S(?=$|:)/, session).replace(/^T$/, `${session}/T0001`));
        const [mine, theirs] = await Promise.all(
          [here, resolve(other)].map((checkout, side) =>
            run(checkout, [...words, ...rootsOf(homes[side])], homes[side]),
          ),
        );
        asked++;
        if (mine === theirs) continue;
        differing++;
        console.log(`${name}, from ${from}: ${question}: ${firstDifference(mine, theirs)}`);
        if (keep) {
          const file = join(keep, `${name}-${from}-${question.replace(/[^\w-]+/g, "_")}`);
          mkdirSync(keep, { recursive: true });
          writeFileSync(`${file}.this`, mine);
          writeFileSync(`${file}.other`, theirs);
        }
      }
    }
    rmSync(join(temporary, basename(name)), { recursive: true, force: true });
  }
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
console.log(`${asked} answers compared, ${differing} differ`);
process.exitCode = differing > 0 ? 1 : 0;

function firstDifference(mine, theirs) {
  const [a, b] = [mine.split("\n"), theirs.split("\n")];
  const at = a.findIndex((line, i) => line !== b[i]);
  return `line ${at + 1}: ${JSON.stringify((a[at] ?? "").slice(0, 160))} here, ${JSON.stringify((b[at] ?? "").slice(0, 160))} there`;
}
