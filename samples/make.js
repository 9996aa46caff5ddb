/**
 * Makes the sample sessions beside this file. Run from a checkout: node samples/make.js
 * The same bytes every time; what they add up to is written to expected.json.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { ClaudeSession, slug } from "../bench/lib/claude.js";
import { CodexSession, rolloutPath } from "../bench/lib/codex.js";
import { Rng } from "../bench/lib/rng.js";
import { FileSink } from "../bench/lib/sink.js";
import { SourceTruth } from "../bench/lib/truth.js";

const HERE = dirname(fileURLToPath(import.meta.url));
const CODEX = join(HERE, "codex");
const CLAUDE = join(HERE, "claude-code");
const TIDEPOOL = { cwd: "/home/mira/src/tidepool", remote: "git@github.com:harbor-labs/tidepool.git" };
const LANTERN = { cwd: "/home/mira/src/lantern", remote: "https://github.com/harbor-labs/lantern.git" };
const SECOND = 1000;
const MINUTE = 60 * SECOND;

const truth = { codex: new SourceTruth(), "claude-code": new SourceTruth() };
const rng = new Rng(20260511);

/** Codex usage as on the wire: input includes what came from the cache. */
const used = (input, cached, output, reasoning) => ({ input, cached, output, reasoning });
/** Claude usage: fresh input, cache read, cache write, output, and thinking within it. */
const spent = (input, cached, cacheWrite, output, thinking) => ({ input, cached, cacheWrite, output, thinking });

function update(path, hunk) {
  const lines = hunk.split("\n");
  const count = (sign) => lines.filter((line) => line[0] === " " || line[0] === sign).length;
  return {
    kind: "patch",
    path,
    patch: `*** Begin Patch\n*** Update File: ${path}\n@@\n${hunk}\n*** End Patch`,
    diff: `@@ -1,${count("-")} +1,${count("+")} @@\n${hunk}\n`,
  };
}

function create(path, content) {
  const body = content.split("\n").map((line) => `+${line}`).join("\n");
  return {
    kind: "patch",
    path,
    patch: `*** Begin Patch\n*** Add File: ${path}\n${body}\n*** End Patch`,
    diff: `${content}\n`,
    add: true,
  };
}

/** One round: a response, its calls, and how they ended. */
function round(session, { think, say, calls = [], usage, again = false }) {
  session.wait(4 * SECOND);
  const made = session.respond({ reasoning: think, text: say, calls: calls.map(([call]) => call), usage });
  made.forEach((call, i) => session.settle(call, calls[i][1]));
  session.settled({ again });
}

function codex(id, dialect, project, branch, start, model, agentsMd) {
  const startMs = Date.parse(start);
  return new CodexSession({
    sink: new FileSink(join(CODEX, rolloutPath(startMs, id))),
    rng,
    truth: truth.codex,
    id,
    dialect,
    startMs,
    cwd: project.cwd,
    branch,
    commit: rng.hex(40),
    remote: project.remote,
    model,
    instructions: "You are Codex, a coding agent. You and the user share one workspace.",
    developer:
      "<permissions instructions>\nFilesystem sandboxing defines which files can be read or written. `sandbox_mode` is `workspace-write`.\n</permissions instructions>",
    agentsMd,
  });
}

/** Codex, dialect of 0.130: a failing test and its repair, a steered turn, an aborted turn. */
function tides() {
  const id = rng.uuid7(Date.parse("2026-05-11T09:12:04.318Z"));
  const session = codex(id, "legacy", TIDEPOOL, "main", "2026-05-11T09:12:04.318Z", "gpt-5.1-codex", "Run `npm test` before you answer.");

  session.wait(6 * SECOND);
  session.begin("The high-tide test for Brest fails since the clocks changed. Find out why and fix it.");
  round(session, {
    think: "**Running the tests**\n\nI want to see the failure before I read any code.",
    say: "I'll run the test suite first.",
    calls: [
      [
        { kind: "exec", cmd: "npm test" },
        {
          status: "failed",
          exitCode: 1,
          ms: 4210,
          text: " ✓ station > finds Brest by name (3ms)\n ✗ tides > Brest, 2026-03-29: next high tide\n   AssertionError: expected '04:12' to be '05:12'\n\n Tests  1 failed | 41 passed\n",
        },
      ],
    ],
    usage: used(11_482, 0, 214, 96),
  });
  round(session, {
    think: "**An hour off**\n\nExactly one hour, on the day the clocks change: local time is built by hand somewhere.",
    calls: [
      [
        { kind: "exec", cmd: "sed -n '1,40p' src/tides/local-time.ts" },
        {
          status: "ok",
          ms: 31,
          text: "const OFFSET_HOURS = 1; // France\n\nexport function localTime(utc: Date): string {\n  const shifted = new Date(utc.getTime() + OFFSET_HOURS * 3_600_000);\n  return shifted.toISOString().slice(11, 16);\n}\n",
        },
      ],
      [
        { kind: "exec", cmd: 'rg -n "OFFSET_HOURS" src' },
        { status: "ok", ms: 18, text: "src/tides/local-time.ts:1:const OFFSET_HOURS = 1; // France\nsrc/tides/local-time.ts:4:  const shifted\n" },
      ],
    ],
    usage: used(12_060, 11_392, 288, 128),
    again: true,
  });
  round(session, {
    say: "The offset is fixed at one hour, so summer time is ignored. I'll ask the time zone database instead.",
    calls: [
      [
        update(
          "src/tides/local-time.ts",
          '-const OFFSET_HOURS = 1; // France\n+const CLOCK = new Intl.DateTimeFormat("en-GB", { timeZone: "Europe/Paris", timeStyle: "short" });\n \n export function localTime(utc: Date): string {\n-  const shifted = new Date(utc.getTime() + OFFSET_HOURS * 3_600_000);\n-  return shifted.toISOString().slice(11, 16);\n+  return CLOCK.format(utc);\n }',
        ),
        { status: "ok", ms: 24 },
      ],
    ],
    usage: used(12_744, 12_032, 402, 64),
  });
  round(session, {
    calls: [[{ kind: "exec", cmd: "npm test" }, { status: "ok", exitCode: 0, ms: 4080, text: " Tests  42 passed\n" }]],
    usage: used(13_310, 12_672, 58, 0),
    again: true,
  });
  round(session, {
    say: "Fixed. `localTime` added one hour to UTC all year, so every time after 29 March was an hour early. It now uses the Europe/Paris time zone, and all 42 tests pass.",
    usage: used(13_452, 13_184, 121, 0),
  });
  session.complete();

  session.wait(7 * MINUTE);
  session.begin("Add a --json flag to the table command.");
  round(session, {
    think: "**Looking at the command**\n\nThe table is printed by one function; a flag can branch before it.",
    calls: [[{ kind: "exec", cmd: "cat src/cli/table.ts" }, { status: "ok", ms: 22, text: "export function table(rows: Row[]): void {\n  for (const row of rows) console.log(row.join('  '));\n}\n" }]],
    usage: used(13_690, 13_440, 196, 80),
  });
  session.steer("Keep the keys in snake_case, please.");
  round(session, {
    say: "Understood, snake_case keys.",
    calls: [
      [create("src/cli/table-json.ts", 'import type { Row } from "../row.js";\n\nexport const tableJson = (rows: Row[]): string => JSON.stringify(rows.map((row) => row.toSnakeCase()));'), { status: "ok", ms: 20 }],
      [update("src/cli/table.ts", "-export function table(rows: Row[]): void {\n+export function table(rows: Row[], json = false): void {\n+  if (json) return console.log(tableJson(rows));"), { status: "ok", ms: 21 }],
    ],
    usage: used(14_122, 13_952, 511, 118),
    again: true,
  });
  round(session, {
    calls: [[{ kind: "exec", cmd: "npm test" }, { status: "ok", exitCode: 0, ms: 4120, text: " Tests  44 passed\n" }]],
    usage: used(14_790, 14_592, 44, 0),
  });
  round(session, {
    say: "`tidepool table --json` prints the rows as JSON with snake_case keys. Two new tests cover it.",
    usage: used(14_902, 14_720, 77, 0),
  });
  session.complete();

  session.wait(3 * MINUTE);
  session.begin("Benchmark the parser on the full 2025 file.");
  session.wait(3 * SECOND);
  const [bench] = session.respond({
    text: "This may take a few minutes.",
    calls: [{ kind: "exec", cmd: "node bench/parser.js data/2025-all.csv" }],
    usage: used(15_060, 14_848, 71, 0),
  });
  session.settle(bench, { status: "interrupted", ms: 48_600 });
  session.abort();

  session.wait(20 * SECOND);
  session.begin("Leave the benchmark. Just write the changelog line.");
  round(session, {
    calls: [[update("CHANGELOG.md", " ## Unreleased\n+- Local times follow summer time; `table --json`."), { status: "ok", ms: 19 }]],
    usage: used(15_240, 14_976, 93, 0),
  });
  round(session, { say: "Done: one line under Unreleased in CHANGELOG.md.", usage: used(15_388, 15_232, 31, 0), again: true });
  session.complete();
  session.close();
}

/** Codex, paginated dialect of 0.166: a turn across midnight UTC, then a question in plan mode. */
function pages() {
  const id = rng.uuid7(Date.parse("2026-05-11T23:54:41.007Z"));
  const session = codex(id, "paginated", LANTERN, "new-layout", "2026-05-11T23:54:41.007Z", "gpt-5.1-codex", undefined);

  session.wait(9 * SECOND);
  session.begin("Move the station pages to the new layout. Build the site afterwards and tell me if any page got larger.");
  round(session, {
    think: "**Finding the pages**\n\nFirst the list of templates that still use the old layout.",
    say: "I'll look for pages on the old layout.",
    calls: [[{ kind: "exec", cmd: 'rg -l "layout: station-old" pages' }, { status: "ok", ms: 26, text: "pages/brest.md\npages/saint-malo.md\n" }]],
    usage: used(9_874, 0, 233, 102),
  });
  round(session, {
    calls: [
      [update("pages/brest.md", "-layout: station-old\n+layout: station"), { status: "ok", ms: 18 }],
      [update("pages/saint-malo.md", "-layout: station-oId\n+layout: station"), { status: "failed", text: "layout: station-oId" }],
    ],
    usage: used(10_402, 10_112, 305, 40),
  });
  round(session, {
    say: "My second patch had a typing error; once more.",
    calls: [[update("pages/saint-malo.md", "-layout: station-old\n+layout: station"), { status: "ok", ms: 18 }]],
    usage: used(10_866, 10_624, 148, 22),
    again: true,
  });
  // Five minutes of thought: the rest of this turn happens on 12 May.
  session.wait(5 * MINUTE);
  round(session, {
    think: "**Building**\n\nCompare the sizes before and after.",
    calls: [[{ kind: "exec", cmd: "npm run build && du -b dist/*/index.html" }, { status: "ok", exitCode: 0, ms: 21_400, text: "built 14 pages in 19.8 s\n18342\tdist/brest/index.html\n17990\tdist/saint-malo/index.html\n" }]],
    usage: used(11_240, 10_880, 167, 84),
  });
  round(session, {
    say: "Both station pages use the new layout and the build passes. They are 2.1 KB smaller than before; no page got larger.",
    usage: used(11_512, 11_264, 102, 18),
  });
  session.complete();

  session.wait(4 * MINUTE);
  session.begin("Plan how we cache the tide charts on the site.", { mode: "plan" });
  round(session, {
    think: "**One decision is missing**\n\nHow stale a chart may be is the owner's choice.",
    calls: [
      [
        {
          kind: "ask",
          questions: [
            {
              id: "freshness",
              header: "Freshness",
              question: "How old may a tide chart be when a visitor sees it?",
              options: [
                { label: "One hour (Recommended)", description: "Good hit rate, and corrections show up soon." },
                { label: "One day", description: "Best hit rate, corrections show up late." },
              ],
            },
          ],
        },
        { status: "ok", ms: 34_000, answers: { freshness: "One hour (Recommended)" } },
      ],
    ],
    usage: used(11_930, 11_648, 254, 160),
  });
  round(session, {
    say: "Plan: 1. render charts at build time; 2. serve them with `max-age=3600`; 3. purge a station's chart when its data changes.",
    usage: used(12_288, 12_032, 139, 46),
  });
  session.complete();
  session.close();
}

function claude(id, project, branch, start, model) {
  return new ClaudeSession({
    sink: new FileSink(join(CLAUDE, "projects", slug(project.cwd), `${id}.jsonl`)),
    rng,
    truth: truth["claude-code"],
    id,
    version: "2.1.325",
    startMs: Date.parse(start),
    cwd: project.cwd,
    branch,
    model,
  });
}

/** One round of a Claude session. */
function step(session, { think, say, calls = [], usage }) {
  session.wait(3 * SECOND);
  const made = session.respond({ thinking: think, text: say, calls: calls.map(([call]) => call), usage });
  made.forEach((call, i) => session.result(call, calls[i][1]));
}

const bash = (command, description) => ({ name: "Bash", input: { command, description } });

function edit(path, before, after) {
  const lines = [...before.split("\n").map((line) => `-${line}`), ...after.split("\n").map((line) => `+${line}`)];
  const [oldLines, newLines] = [before.split("\n").length, after.split("\n").length];
  return [
    { name: "Edit", input: { file_path: path, old_string: before, new_string: after, replace_all: false } },
    {
      status: "ok",
      ms: 20,
      detail: {
        filePath: path,
        oldString: before,
        newString: after,
        originalFile: `${before}\n`,
        structuredPatch: [{ oldStart: 1, oldLines, newStart: 1, newLines, lines }],
        userModified: false,
        replaceAll: false,
      },
    },
  ];
}

/** Claude Code: a sub-agent, a question with its answer, a queued prompt, a denied command. */
function stations() {
  const id = "7c1e4a52-0d9b-4f6e-9a57-3b8f21c6d0e4";
  const session = claude(id, TIDEPOOL, "drop-old-stations", "2026-05-12T10:05:12.640Z", "claude-sonnet-4-5-20250929");
  const { cwd } = TIDEPOOL;

  session.prompt("Where do we still use the old station list? Let an agent look through the code; I only need a short list.");
  const description = "find uses of the old list";
  const prompt = "Search the repository for uses of src/stations/old-list.ts. Report each file and line, nothing else.";
  session.wait(3 * SECOND);
  const [spawn] = session.respond({
    thinking: "The user wants an agent to search. A short, closed task.",
    text: "I'll send an agent to look.",
    calls: [{ name: "Agent", input: { description, prompt, subagent_type: "general-purpose" } }],
    usage: spent(6, 0, 16_204, 187, 31),
  });
  const agentId = "a4d19c07be22f6038";
  const launched = session.now;
  session.result(spawn, {
    status: "ok",
    ms: 30,
    text: `Async agent launched successfully.\nagentId: ${agentId}`,
    detail: { isAsync: true, status: "async_launched", agentId, description, resolvedModel: "claude-haiku-4-5-20251001", prompt },
  });
  step(session, { say: "The agent is searching.", usage: spent(4, 16_204, 322, 24, 0) });
  session.complete();

  const path = join(CLAUDE, "projects", slug(cwd), id, "subagents", `agent-${agentId}`);
  const agent = new ClaudeSession({
    ...session.options,
    sink: new FileSink(`${path}.jsonl`),
    agentId,
    promptId: session.promptId,
    startMs: launched + 40,
    model: "claude-haiku-4-5-20251001",
  });
  agent.task(prompt);
  step(agent, {
    think: "One search will do.",
    calls: [[bash('rg -n "old-list" src test', "Search for the old list"), { status: "ok", ms: 60, text: "src/cli/table.ts:3:import { stations } from \"../stations/old-list.js\";\ntest/stations.test.ts:5:import { stations } from \"../src/stations/old-list.js\";" }]],
    usage: spent(5, 0, 9_310, 96, 14),
  });
  const found = "src/cli/table.ts:3\ntest/stations.test.ts:5";
  step(agent, { say: found, usage: spent(3, 9_310, 188, 29, 0) });
  agent.close();
  const meta = { agentType: "general-purpose", isBuiltIn: true, description, toolUseId: spawn.id, spawnDepth: 1, finished: true };
  writeFileSync(`${path}.meta.json`, JSON.stringify(meta));

  session.now = Math.max(session.now, agent.now) + 200;
  session.notify(agentId, spawn, `Agent "${description}" finished`, found, { tokens: 18_941, tools: 1, ms: agent.now - launched });
  step(session, { say: "Two places: `src/cli/table.ts` line 3 and `test/stations.test.ts` line 5.", usage: spent(5, 16_526, 240, 38, 0) });
  session.complete({ notified: true });

  session.wait(2 * MINUTE);
  session.prompt("Then remove it.");
  const question = "Should the old station codes keep working as aliases?";
  const options = [
    { label: "Keep aliases for one release (Recommended)", description: "Scripts with old codes keep working and print a warning." },
    { label: "Remove at once", description: "Old codes fail with an error." },
  ];
  const asked = { question, header: "Aliases", options, multiSelect: false };
  step(session, {
    think: "Removing the list breaks scripts that use the old codes. That is the user's decision.",
    calls: [
      [
        { name: "AskUserQuestion", input: { questions: [asked] } },
        {
          status: "ok",
          ms: 21 * SECOND,
          answered: true,
          text: `Your questions have been answered: "${question}"="Remove at once". You can now continue with these answers in mind.`,
          detail: { questions: [asked], answers: { [question]: "Remove at once" }, annotations: {} },
        },
      ],
    ],
    usage: spent(4, 16_804, 611, 246, 88),
  });
  step(session, {
    say: "I'll switch both files to the new list and delete the old one.",
    calls: [
      edit(`${cwd}/src/cli/table.ts`, 'import { stations } from "../stations/old-list.js";', 'import { stations } from "../stations/list.js";'),
      [bash("git rm -q src/stations/old-list.ts && npm test", "Delete the list, run the tests"), { status: "failed", exitCode: 1, ms: 4300, text: "Error: Cannot find module '../src/stations/old-list.js'\n  at test/stations.test.ts:5" }],
    ],
    usage: spent(6, 17_415, 402, 331, 52),
  });
  const readme = "And mention it in the README.";
  session.enqueue(readme);
  step(session, {
    think: "The test still imports the old list.",
    calls: [edit(`${cwd}/test/stations.test.ts`, 'import { stations } from "../src/stations/old-list.js";', 'import { stations } from "../src/stations/list.js";')],
    usage: spent(5, 17_817, 356, 214, 40),
  });
  step(session, { calls: [[bash("npm test", "Run the tests"), { status: "ok", ms: 4150, text: " Tests  44 passed" }]], usage: spent(4, 18_173, 260, 61, 0) });
  step(session, { say: "The old list is gone; both users read the new one and all 44 tests pass. Old codes now fail with an error, as you chose.", usage: spent(5, 18_433, 118, 71, 0) });
  session.complete();

  session.dequeue();
  session.prompt(readme, { queued: true });
  step(session, {
    calls: [edit(`${cwd}/README.md`, "Station codes: see `tidepool stations`.", "Station codes: see `tidepool stations`. The codes from before 2.0 no longer work.")],
    usage: spent(4, 18_551, 205, 143, 12),
  });
  step(session, { say: "The README says so now, below the list of codes.", usage: spent(5, 18_756, 162, 22, 0) });
  session.complete();

  session.wait(4 * MINUTE);
  session.prompt("Commit it and push the branch.");
  step(session, {
    calls: [[bash('git commit -qam "Remove the old station list"', "Commit"), { status: "ok", ms: 90, text: "" }]],
    usage: spent(4, 18_918, 148, 88, 0),
  });
  step(session, {
    calls: [[bash("git push -u origin drop-old-stations", "Push the branch"), { status: "denied", denial: "permission-rule" }]],
    usage: spent(5, 19_066, 131, 66, 0),
  });
  step(session, { say: "Committed. Pushing is forbidden by this project's settings, so please run `git push -u origin drop-old-stations` yourself.", usage: spent(4, 19_197, 126, 58, 0) });
  session.complete();
  session.title("Remove the old station list");
  session.close();
}

/** Claude Code: a tool stopped with Escape, and what was asked instead. */
function fonts() {
  const session = claude("b2f60d93-5e18-4c7a-8d04-91ae7c35f2b8", LANTERN, "main", "2026-05-11T14:20:33.115Z", "claude-opus-4-5-20251101");
  session.prompt("The font files make the site slow. Which ones are never used?");
  session.wait(3 * SECOND);
  const [call] = session.respond({
    thinking: "I could render every page, but a search may be enough.",
    text: "I'll render all pages and collect the fonts they load.",
    calls: [bash("node tools/render-all.js --fonts", "Render all pages")],
    usage: spent(7, 0, 15_877, 158, 37),
  });
  session.interrupt(call, 17 * SECOND);

  session.wait(12 * SECOND);
  session.prompt("Too slow. Just search the style sheets.");
  step(session, {
    calls: [[bash("rg -o \"url\\([^)]+woff2\\)\" styles | sort | uniq -c; ls fonts", "Compare fonts and styles"), { status: "ok", ms: 70, text: "   2 url(fonts/inter.woff2)\nfonts/inter.woff2\nfonts/inter-thin.woff2" }]],
    usage: spent(5, 15_877, 310, 117, 20),
  });
  step(session, { say: "Only `fonts/inter-thin.woff2` is never used: no style sheet refers to it.", usage: spent(4, 16_187, 173, 34, 0) });
  session.complete();
  session.close();
}

for (const folder of [CODEX, CLAUDE]) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}
tides();
pages();
stations();
fonts();
writeFileSync(join(HERE, "expected.json"), `${JSON.stringify({ sources: truth }, null, 2)}\n`);
