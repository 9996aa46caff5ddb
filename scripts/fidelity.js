#!/usr/bin/env node
// Writes the tables of docs/fidelity.md: what Daybook reads in genuine files, against what was really typed and served.
// `npm run fidelity` measures Daybook and compares with the committed table; `-- --write` writes it.
//
//   --peers             also asks ccusage (from npm) and agentsview what they find in the same files
//   --agentsview PATH   the program; without it agentsview is left out
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findCcusage } from "../bench/lib/ccusage.js";
import { importTypeScript } from "../test/typescript.js";

importTypeScript();
const { Daybook } = await import("../src/answers/daybook.ts");
const { readTruth, rootOfCorpus, sourceOfCorpus } = await import("../test/truth.ts");
const { actualSession, answersOf } = await import("../test/truth/actual.ts");
const { callsByOrder, expected } = await import("../test/truth/expected.ts");
const { OWN_CALL_IDS } = await import("../test/truth/exceptions.ts");

const root = fileURLToPath(new URL("..", import.meta.url));
const DOCUMENT = join(root, "docs/fidelity.md");
const PEERS = join(root, "test/fixtures/fidelity-peers.json");
const { values: flags } = parseArgs({
  options: { write: { type: "boolean" }, peers: { type: "boolean" }, agentsview: { type: "string" } },
});

/** Where the stores of agents lie in a home, as far as both tools read them. */
const PLACES = {
  "claude-code": ".claude",
  codex: ".codex",
  copilot: ".copilot",
  gemini: ".gemini",
  goose: ".local/share/goose",
  kilo: ".local/share/kilo/kilo.db",
  opencode: ".local/share/opencode/opencode.db",
  pi: ".pi/agent",
  qwen: ".qwen",
  kimi: ".kimi-code",
  vibe: ".vibe",
  droid: ".factory",
  openhands: ".openhands",
  gptme: ".local/share/gptme",
  grok: ".grok",
};

const rows = [];
for (const [label, { sessions }] of Object.entries(readTruth().corpora)) rows.push(await measured(label, sessions));
const peers = flags.peers ? measuredPeers() : JSON.parse(readFileSync(PEERS, "utf8"));
if (flags.peers) writeFileSync(PEERS, `${JSON.stringify(peers, null, 2)}\n`);
const text = documentOf(rows, peers);
if (flags.write) writeFileSync(DOCUMENT, text);
else if (readFileSync(DOCUMENT, "utf8") !== text) {
  console.error("docs/fidelity.md is out of date: run npm run fidelity -- --write");
  process.exitCode = 1;
}
process.stdout.write(text.slice(text.indexOf("<!-- measured -->")));

/** Sessions that left a file, turn by turn against the truth. */
async function measured(label, sessions) {
  const daybook = new Daybook({
    roots: { [sourceOfCorpus(label)]: [rootOfCorpus(label)] },
    timezone: "UTC",
    env: {},
    home: "/nowhere",
  });
  const answers = await answersOf(daybook);
  const sum = { sessions: 0, typed: 0, found: 0, shown: 0, calls: 0, settled: 0, turns: 0, tokens: 0 };
  for (const session of sessions.filter(({ files }) => files.length > 0)) {
    const ownIds = (one) => (OWN_CALL_IDS.test(label) ? callsByOrder(one) : one);
    const [wanted, got] = [ownIds(expected(session, label)), ownIds(actualSession(answers, session))];
    const left = got.turns.map(({ text: words }) => words);
    sum.sessions++;
    sum.typed += wanted.turns.length;
    sum.shown += got.turns.length;
    for (const [i, turn] of wanted.turns.entries()) {
      const at = left.indexOf(turn.text);
      if (at !== -1) left[at] = undefined;
      if (at !== -1) sum.found++;
      const same = got.turns[i];
      const calls = Object.entries(turn.calls);
      sum.calls += calls.length;
      sum.settled += calls.filter(([id, status]) => same?.calls[id] === status).length;
      sum.turns++;
      if (same?.with_children === turn.with_children) sum.tokens++;
    }
  }
  daybook.close();
  return { label, ...sum };
}

/** What other tools find: ccusage's tokens, and the texts agentsview takes for a user's. */
function measuredPeers() {
  const found = findCcusage(join(root, ".bench/ccusage"));
  const ccusage = "binary" in found ? found : null;
  const { agentsview } = flags;
  const corpora = Object.entries(readTruth().corpora).map(([label, { sessions }]) => {
    const kept = sessions.filter(({ files }) => files.length > 0);
    const typed = kept.flatMap((session) => expected(session, label).turns.map(({ text: words }) => words.trim()));
    return [
      label,
      {
        tokens: ccusage && tokensByCcusage(ccusage.binary, label, kept),
        ...(agentsview && promptsByAgentsview(agentsview, label, typed)),
      },
    ];
  });
  return {
    ccusage: ccusage?.version ?? null,
    agentsview: agentsview ? execFileSync(agentsview, ["--version"], { encoding: "utf8" }).trim().split(" (")[0] : null,
    corpora: Object.fromEntries(corpora),
  };
}

/** An empty home in which only this store lies. */
function withHome(label, ask) {
  const home = mkdtempSync(join(tmpdir(), "daybook-fidelity-"));
  try {
    const place = PLACES[sourceOfCorpus(label)];
    if (place === undefined) return null;
    mkdirSync(dirname(join(home, place)), { recursive: true });
    symlinkSync(rootOfCorpus(label), join(home, place));
    return ask(home);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Tokens of all kinds that were served, and those ccusage counts; null where it reads nothing. */
function tokensByCcusage(binary, label, sessions) {
  const served = sessions.reduce((total, session) => total + sumOf(expected(session, label).all), 0);
  const counted = withHome(label, (home) => {
    const env = { PATH: process.env.PATH, HOME: home };
    const { totals } = JSON.parse(
      execFileSync(binary, ["daily", "--json", "--offline"], {
        env,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      }),
    );
    return totals?.totalTokens ?? 0;
  });
  return { served, counted: counted === 0 ? null : counted };
}

/** Fresh input, cache reads, cache writes and output; reasoning is part of the output. */
function sumOf(brief) {
  const [input, cached, written, output] = brief.split("/").map(Number);
  return input + cached + written + output;
}

function promptsByAgentsview(program, label, typed) {
  const texts = withHome(label, (home) => {
    const env = { PATH: process.env.PATH, HOME: home, AGENTSVIEW_NO_DAEMON: "1" };
    try {
      execFileSync(program, ["sync"], { env, stdio: "ignore", timeout: 120_000 });
    } catch {
      return null;
    }
    const path = join(home, ".agentsview/sessions.db");
    if (!existsSync(path)) return null;
    const database = new DatabaseSync(path, { readOnly: true });
    const users = database
      .prepare(
        `SELECT content FROM messages JOIN sessions ON sessions.id = messages.session_id
         WHERE role = 'user' AND is_system = 0 AND is_sidechain = 0 AND coalesce(parent_session_id, '') = ''`,
      )
      .all();
    database.close();
    return users.map(({ content }) => content.trim());
  });
  if (texts === null || texts.length === 0) return { prompts: null };
  const left = [...texts];
  let hits = 0;
  for (const one of typed) {
    const at = left.indexOf(one);
    if (at === -1) continue;
    left.splice(at, 1);
    hits++;
  }
  return { prompts: { found: hits, false: left.length } };
}

function documentOf(all, others) {
  const before = readFileSync(DOCUMENT, "utf8");
  const head = before.slice(0, before.indexOf("<!-- measured -->"));
  const tail = before.slice(before.indexOf("<!-- end -->"));
  const total = (key) => all.reduce((sum, one) => sum + one[key], 0);
  const keys = Object.keys(all[0]).filter((key) => key !== "label");
  const sums = Object.fromEntries(keys.map((key) => [key, total(key)]));
  const own = [...all, { label: "**all**", ...sums }].map((one) => [
    one.label,
    one.sessions,
    one.typed,
    one.found,
    one.typed - one.found,
    one.shown - one.found,
    `${one.settled} of ${one.calls}`,
    `${one.tokens} of ${one.turns}`,
  ]);
  const compared = all.flatMap(({ label, typed, found, shown }) => {
    const { tokens, prompts } = others.corpora[label] ?? {};
    if (!tokens?.counted && !prompts) return [];
    return [
      [
        label,
        typed,
        `${found} / ${shown - found}`,
        prompts ? `${prompts.found} / ${prompts.false}` : "–",
        tokens?.counted ? tokens.served.toLocaleString("en") : "–",
        tokens?.counted ? tokens.counted.toLocaleString("en") : "–",
      ],
    ];
  });
  return [
    `${head}<!-- measured -->`,
    "",
    table(
      [
        "store",
        "sessions",
        "prompts typed",
        "found",
        "missed",
        "false",
        "calls with the right end",
        "turns with the served tokens",
      ],
      own,
    ),
    "",
    "## The same files, other tools",
    "",
    `${others.agentsview ?? "agentsview: not asked"}; ccusage ${others.ccusage ?? "not asked"}. Prompts are shown as found / false.`,
    "",
    table(["store", "prompts typed", "Daybook", "agentsview", "tokens served", "tokens of ccusage"], compared),
    "",
    tail,
  ].join("\n");
}

function row(cells) {
  return `| ${cells.join(" | ")} |`;
}

function table(heads, lines) {
  return [row(heads), row(heads.map((_, i) => (i === 0 ? "---" : "---:"))), ...lines.map(row)].join("\n");
}
