#!/usr/bin/env node
// Lets real agents write the narrative of the sample day with a model that lies on purpose, once with tools and once in
// plain JSON, and reports which lies got through: npm run narrate-agents [-- --into DIR] [--only codex] [--sessions
// DIR]. The agents run with an empty home, without the user's settings, and connect to this machine only. --sessions
// keeps the session files of these runs. Needs a build.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { LIES, traces } from "./lies.js";
import { lyingModel } from "./lying-model.js";
import { AGENTS, envOf, fetchAgents, run } from "./real-agents.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const [only, sessions] = ["--only", "--sessions"].map((flag) => {
  const at = process.argv.indexOf(flag);
  return at === -1 ? null : process.argv[at + 1];
});

fetchAgents();
let failures = 0;
for (const [name, agent] of Object.entries(AGENTS))
  if (only === null || only === name) for (const way of ["tools", "json"]) failures += await tryAgent(name, agent, way);
process.exitCode = failures === 0 ? 0 : 1;

async function tryAgent(name, agent, way) {
  const home = mkdtempSync(join(tmpdir(), "daybook-narrate-"));
  const model = await lyingModel();
  try {
    const where = { home, url: model.url, free: false };
    agent.settings(where);
    mkdirSync(join(home, "bin"));
    symlinkSync(agent.program, join(home, "bin", agent.name));
    const env = envOf(agent, where);
    const path = [join(home, "bin"), env.PATH].join(delimiter);
    const words = ["narrate", "--sample", "--agent", name, "--attempts", "2", "--json"];
    const plain = way === "json" ? ["--no-tools"] : [];
    const program = join(root, "bin/daybook.js");
    const ran = await run(process.execPath, [program, ...words, ...plain], { cwd: home, env: { ...env, PATH: path } });
    if (sessions !== null) keepSessions(home, join(sessions, `${name}-${way}`));
    return reportResult(`${name} ${agent.version}, ${way}`, ran, model);
  } finally {
    model.close();
    rmSync(home, { recursive: true, force: true });
  }
}

function keepSessions(home, to) {
  for (const name of [".claude/projects", ".codex/sessions", ".local/share/opencode"])
    if (existsSync(join(home, name))) cpSync(join(home, name), join(to, name), { recursive: true });
}

function reportResult(name, { code, out, err }, model) {
  if (code !== 0 || out === "") {
    console.log(`${name}: FAILED, exit ${code}\n${err.slice(-2000)}\n${out.slice(0, 1000)}`);
    return 1;
  }
  const { report, rejected, spent, workspace } = JSON.parse(out);
  const outputs = ["report.md", "report.html", "daily-report.json"].map((file) =>
    readFileSync(join(workspace, file), "utf8"),
  );
  const kept = traces.filter((trace) => outputs.some((text) => text.includes(trace)));
  const named = traces.filter((trace) => rejected.some(({ said }) => (said ?? "").includes(trace)));
  const items = report.projects.flatMap(({ work_items }) => work_items).length;
  const calls = model.calls.length > 0 ? `, ${model.calls.length} calls of tools` : "";
  const isRight = kept.length === 0 && named.length === LIES.length && report.left_out.length > 0 && items > 0;
  console.log(
    `${name}: ${isRight ? "ok" : "FAILED"}, ${spent.requests} requests${calls}, ${rejected.length} statements rejected, ${kept.length} of ${LIES.length} lies in the report, ${named.length} named, ${report.left_out.length} turns named as left out`,
  );
  if (!isRight)
    console.log(JSON.stringify({ kept, named, left: report.left_out, rejected: rejected.slice(0, 8) }, null, 1));
  return isRight ? 0 : 1;
}
