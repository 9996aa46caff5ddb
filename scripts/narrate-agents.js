#!/usr/bin/env node
// Lets real agents from npm write the narrative of the sample day under a model that lies on purpose, once by tools and once in plain
// JSON, and says what came of the lies: npm run narrate-agents. Packages of some hundred megabytes are fetched into a directory of their
// own, which is kept for the next time: --into DIR. The agents run without anybody's settings, with an empty home, and talk to this
// machine alone. Needs the build.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { LIES, lyingModel } from "./lying-model.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const at = process.argv.indexOf("--into");
const into = at === -1 ? join(tmpdir(), "daybook-narrate-agents") : process.argv[at + 1];
const PACKAGES = ["@anthropic-ai/claude-code@2.1.325", "@openai/codex@0.166.0"];
const module = (name) => join(into, "node_modules", name);

const AGENTS = {
  "claude-code": {
    ...{ version: "2.1.325", program: ["claude", module("@anthropic-ai/claude-code-linux-x64/claude")] },
    env: ({ home, url }) => ({
      ...{ CLAUDE_CONFIG_DIR: join(home, ".claude"), ANTHROPIC_API_KEY: "dummy", ANTHROPIC_BASE_URL: url },
      ...{ DISABLE_AUTOUPDATER: "1", DISABLE_TELEMETRY: "1", DISABLE_ERROR_REPORTING: "1" },
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    }),
    settings: () => undefined,
  },
  codex: {
    ...{ version: "0.166.0", program: ["codex", module(".bin/codex")] },
    env: ({ home }) => ({ CODEX_HOME: join(home, ".codex"), MODEL_KEY: "dummy" }),
    settings: ({ home, url }) => {
      mkdirSync(join(home, ".codex"), { recursive: true });
      writeFileSync(
        join(home, ".codex/config.toml"),
        [
          ...['model_provider = "scripted"', "check_for_update_on_startup = false", "[analytics]", "enabled = false"],
          ...["[feedback]", "enabled = false", "[model_providers.scripted]", 'name = "scripted"'],
          ...[`base_url = "${url}/v1"`, 'env_key = "MODEL_KEY"', 'wire_api = "responses"'],
          ...["supports_websockets = false", ""],
        ].join("\n"),
      );
    },
  },
};

if (!PACKAGES.every((name) => existsSync(module(name.slice(0, name.lastIndexOf("@")))))) {
  mkdirSync(into, { recursive: true });
  execFileSync("npm", ["install", "--prefix", into, "--no-audit", "--no-fund", ...PACKAGES], { stdio: "inherit" });
}
let failures = 0;
for (const [name, agent] of Object.entries(AGENTS))
  for (const way of ["tools", "json"]) failures += await tried(name, agent, way);
process.exitCode = failures === 0 ? 0 : 1;

async function tried(name, agent, way) {
  const home = mkdtempSync(join(tmpdir(), "daybook-narrate-"));
  const model = await lyingModel();
  try {
    const where = { home, url: model.url };
    agent.settings(where);
    mkdirSync(join(home, "bin"));
    symlinkSync(agent.program[1], join(home, "bin", agent.program[0]));
    const path = [join(home, "bin"), process.env.PATH].join(delimiter);
    const env = { PATH: path, HOME: home, TERM: "xterm", SHELL: "/bin/sh", TMPDIR: home, ...agent.env(where) };
    const words = [
      "narrate",
      "--sample",
      "--agent",
      name,
      "--attempts",
      "2",
      "--json",
      ...(way === "json" ? ["--no-tools"] : []),
    ];
    const { code, out, err } = await run(process.execPath, [join(root, "bin/daybook.js"), ...words], {
      cwd: home,
      env,
    });
    return reported(`${name} ${agent.version}, ${way}`, { code, out, err }, model);
  } finally {
    model.close();
    rmSync(home, { recursive: true, force: true });
  }
}

function reported(name, { code, out, err }, model) {
  if (code !== 0 || out === "") {
    console.log(`${name}: FAILED, exit ${code}\n${err.slice(-2000)}\n${out.slice(0, 1000)}`);
    return 1;
  }
  const { report, rejected, spent, workspace } = JSON.parse(out);
  const told = ["report.md", "report.html", "daily-report.json"].map((file) =>
    readFileSync(join(workspace, file), "utf8"),
  );
  const kept = LIES.filter((lie) => told.some((text) => text.includes(lie.slice(0, 24))));
  const named = LIES.filter((lie) => rejected.some(({ said }) => (said ?? "").includes(lie.slice(0, 24))));
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

function run(program, words, options) {
  return new Promise((resolve) => {
    const child = spawn(program, words, { ...options, stdio: ["ignore", "pipe", "pipe"], timeout: 300_000 });
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk) => (out += chunk));
    child.stderr.on("data", (chunk) => (err += chunk));
    child.on("close", (code) => resolve({ code, out, err }));
  });
}
