// Runs the scenarios with one agent in an empty home, and keeps what was typed and served.
import { spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { envOf } from "../real-agents.js";
import { scriptedAgents } from "./model.js";
import { SCENARIOS, SCRIPTS } from "./scenarios.js";

/** One pixel. */
const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Long enough for the command or the first words to have begun. */
const SETTLING = 4000;
const PATIENCE = 90_000;

/**
 * What happened: `typed` (text, scenario, run, outcome, session, how), `served` answers, where the `store` lies, and the
 * scenarios that this agent cannot do.
 */
export async function drive(agent, home, only, say) {
  const model = await scriptedAgents(SCRIPTS);
  const work = join(home, "work");
  const where = { home, url: model.url, free: true };
  mkdirSync(work, { recursive: true });
  agent.settings(where);
  const env = envOf(agent, where);
  const typed = [];
  const cannot = [];
  let run = 0;
  try {
    for (const scenario of SCENARIOS) {
      if (only.length > 0 && !only.includes(scenario.name)) continue;
      if (scenario.needs && !agent.can.includes(scenario.needs)) {
        cannot.push(scenario.name);
        continue;
      }
      say(scenario.name);
      freshWork(work, scenario.instructions);
      let session = null;
      for (const action of scenario.actions) {
        const number = String(++run);
        const text = action.isBare ? action.text : `${action.text} [${action.script}#${number}]`;
        const asked = { text, how: action.how, run: number, session, special: action.words };
        const { out, code } = await runOnce(agent, asked, { cwd: work, env }, action, model);
        const made = agent.session(out, asked);
        const before = session;
        session = made ?? session;
        typed.push({ text, scenario: scenario.name, run: number, action, session, before, code });
      }
    }
  } finally {
    model.close();
    rmSync(work, { recursive: true, force: true });
  }
  return { typed, served: model.served, store: join(home, agent.store), cannot, loses: agent.loses ?? {} };
}

function freshWork(work, instructions) {
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  writeFileSync(join(work, "README.md"), "# Work\n");
  writeFileSync(join(work, "app.py"), 'print("v1")\n');
  writeFileSync(join(work, "dot.png"), Buffer.from(DOT, "base64"));
  if (instructions) for (const name of ["AGENTS.md", "CLAUDE.md"]) writeFileSync(join(work, name), instructions);
}

/** In a group of its own, so that what the agent started ends with it. */
async function runOnce(agent, asked, options, { stop, script }, model) {
  const begun = model.whenServed(`${script}#${asked.run}`);
  const child = spawn(agent.program, agent.words(asked), {
    ...options,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (out += chunk));
  const ended = new Promise((resolve) => void child.on("close", resolve));
  const tooLong = setTimeout(() => endGroup(child, "SIGKILL"), PATIENCE);
  if (stop) {
    await Promise.race([begun, ended]);
    await delay(SETTLING);
    if (stop === "SIGKILL") endGroup(child, stop);
    else child.kill(stop);
    // A second signal is what people send to an agent that does not end.
    const force = setTimeout(() => endGroup(child, "SIGKILL"), 8000);
    await ended;
    clearTimeout(force);
  }
  const code = await ended;
  clearTimeout(tooLong);
  return { out, code };
}

function endGroup(child, signal) {
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It has ended already.
  }
}
