#!/usr/bin/env node
// Lets real agents from npm call the tools of `daybook mcp` with a scripted model, and checks the replies: npm run
// mcp-clients. The agents run with an empty home, without the user's settings, and connect to this machine only. Needs
// a build.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CLIENTS, envOf, fetchAgents, run } from "./real-agents.js";
import { scriptedModel } from "./scripted-model.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const WORDS = {
  "claude-code": ["-p"],
  codex: ["exec", "--json", "--skip-git-repo-check"],
  goose: ["run", "-t"],
  opencode: ["run", "--format", "json"],
};

/** A session of the samples, and its day. */
const KNOWN = "019e164e-cfde-7f50-b9be-5cb599a2b157";
const DAY = "2026-05-11";

/** Every tool, with a pattern its reply must match; `read` also for a session that does not exist. */
const STEPS = [
  { tool: "list", given: { limit: 3 }, holds: /codex\/019e/ },
  { tool: "recall", given: { question: "what did the tests say" }, holds: /found by: / },
  { tool: "read", given: { target: `${KNOWN}/T0001` }, holds: /T0001/ },
  { tool: "read", given: { target: "no-such-session" }, holds: /no session/ },
  { tool: "report", given: { date: DAY }, holds: /2026/ },
  { tool: "usage", given: { group: "model" }, holds: /gpt-/ },
  { tool: "decisions", given: { limit: 5 }, holds: /\S/ },
  { tool: "blame", given: { target: "notes.txt" }, holds: /notes\.txt|not_recorded|unknown/ },
  { tool: "explain", given: { target: `${KNOWN}:1` }, holds: /session_meta/ },
];

fetchAgents();
let failures = 0;
for (const [name, agent] of Object.entries(CLIENTS)) failures += await tryAgent(name, agent);
process.exitCode = failures === 0 ? 0 : 1;

async function tryAgent(name, agent) {
  const home = mkdtempSync(join(tmpdir(), "daybook-client-"));
  const model = await scriptedModel("daybook", STEPS);
  try {
    const where = { home, url: model.url, free: true };
    const work = join(home, "work");
    mkdirSync(work);
    writeFileSync(join(work, "notes.txt"), "nobody's line\n");
    // Sessions to ask about, besides the session that asks.
    cpSync(join(root, "samples/codex"), join(home, ".codex"), { recursive: true });
    agent.settings(where);
    const env = envOf(agent, where);
    const daybook = [join(root, "bin/daybook.js"), "mcp", "--install", name, "--yes"];
    execFileSync(process.execPath, daybook, { env });
    await run(agent.program, [...WORDS[name], "Ask Daybook what was done before."], {
      cwd: work,
      env,
      timeout: 120_000,
    });
    return reportResults(name, agent, model);
  } finally {
    model.close();
    rmSync(home, { recursive: true, force: true });
  }
}

function reportResults(name, { version }, { results }) {
  let failures = 0;
  for (const [i, { tool, holds }] of STEPS.entries()) {
    const text = results[i] ?? "";
    const isQuoted = /(~{5,}) quoted history\n[\s\S]*\n\1 end of quoted history/.test(text);
    const isOwn = text.includes("Ask Daybook what was done before.");
    const isRight = isQuoted && !isOwn && holds.test(text);
    if (!isRight) failures++;
    const bytes = Buffer.byteLength(text);
    console.log(
      `${name} ${version} ${tool}: ${isRight ? "ok" : "FAILED"}, ${bytes} bytes${isOwn ? ", its own session" : ""}`,
    );
    if (!isRight) console.log(text.slice(0, 500));
  }
  return failures;
}
