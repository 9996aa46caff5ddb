#!/usr/bin/env node
// Lets real agents from npm call the tools of `daybook mcp` under a scripted model, and says what each was given: npm run mcp-clients.
// Packages of some hundred megabytes are fetched into a directory of their own, which is kept for the next time: --into DIR. The agents run
// without anybody's settings, with an empty home, and talk to this machine alone. Needs the build.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { scriptedModel } from "./scripted-model.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const at = process.argv.indexOf("--into");
const into = at === -1 ? join(tmpdir(), "daybook-mcp-clients") : process.argv[at + 1];
const PACKAGES = ["@anthropic-ai/claude-code@2.1.325", "@openai/codex@0.166.0", "opencode-ai@1.18.33"];
const module = (name) => join(into, "node_modules", name);

/** How each is started in its home, against the model's address. */
const AGENTS = {
  "claude-code": {
    version: "2.1.325",
    env: ({ home, url }) => ({
      ...{ CLAUDE_CONFIG_DIR: join(home, ".claude"), ANTHROPIC_API_KEY: "dummy", ANTHROPIC_BASE_URL: url },
      ...{ DISABLE_AUTOUPDATER: "1", DISABLE_TELEMETRY: "1", DISABLE_ERROR_REPORTING: "1" },
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    }),
    settings: ({ home }) =>
      put(join(home, ".claude/settings.json"), JSON.stringify({ permissions: { allow: ["mcp__daybook"] } })),
    words: (prompt) => [module("@anthropic-ai/claude-code-linux-x64/claude"), "-p", prompt],
  },
  codex: {
    version: "0.166.0",
    env: ({ home }) => ({ CODEX_HOME: join(home, ".codex"), MODEL_KEY: "dummy" }),
    settings: ({ home, url }) =>
      put(
        join(home, ".codex/config.toml"),
        [
          ...['model_provider = "scripted"', "check_for_update_on_startup = false", 'approval_policy = "never"'],
          ...['sandbox_mode = "danger-full-access"', "[analytics]", "enabled = false", "[feedback]", "enabled = false"],
          ...["[model_providers.scripted]", 'name = "scripted"', `base_url = "${url}/v1"`, 'env_key = "MODEL_KEY"'],
          ...['wire_api = "responses"', "supports_websockets = false", ""],
        ].join("\n"),
      ),
    words: (prompt) => [module(".bin/codex"), "exec", "--json", "--skip-git-repo-check", prompt],
  },
  opencode: {
    version: "1.18.33",
    env: ({ home }) => ({
      ...{ XDG_DATA_HOME: join(home, ".local/share"), XDG_CONFIG_HOME: join(home, ".config") },
      ...{ XDG_STATE_HOME: join(home, ".local/state"), XDG_CACHE_HOME: join(home, ".cache") },
      ...{ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" },
      ...{ OPENCODE_DISABLE_DEFAULT_PLUGINS: "1", OPENCODE_DISABLE_SHARE: "1" },
    }),
    settings: ({ home, url }) =>
      put(
        join(home, ".config/opencode/opencode.json"),
        JSON.stringify({
          ...{ autoupdate: false, share: "disabled", model: "scripted/model", enabled_providers: ["scripted"] },
          permission: { "*": "allow" },
          provider: {
            scripted: {
              ...{ npm: "@ai-sdk/openai-compatible", name: "Scripted" },
              options: { baseURL: `${url}/v1`, apiKey: "dummy" },
              models: { model: { name: "Model", tool_call: true, limit: { context: 200_000, output: 8000 } } },
            },
          },
        }),
      ),
    words: (prompt) => [module("opencode-linux-x64/bin/opencode"), "run", "--format", "json", prompt],
  },
};

const STEPS = [
  { tool: "list", given: { limit: 3 } },
  { tool: "recall", given: { question: "what did the tests say" } },
  { tool: "usage", given: { group: "model" } },
  { tool: "read", given: { target: "no-such-session" } },
];

if (!existsSync(module("opencode-ai"))) {
  mkdirSync(into, { recursive: true });
  execFileSync("npm", ["install", "--prefix", into, "--no-audit", "--no-fund", ...PACKAGES], { stdio: "inherit" });
}
let failures = 0;
for (const [name, agent] of Object.entries(AGENTS)) failures += await tried(name, agent);
process.exitCode = failures === 0 ? 0 : 1;

async function tried(name, agent) {
  const home = mkdtempSync(join(tmpdir(), "daybook-client-"));
  const model = await scriptedModel("daybook", STEPS);
  try {
    const where = { home, url: model.url };
    const work = join(home, "work");
    mkdirSync(work);
    // What there is to be asked about, beside the session that asks.
    cpSync(join(root, "samples/codex"), join(home, ".codex"), { recursive: true });
    agent.settings(where);
    const env = { PATH: process.env.PATH, HOME: home, TERM: "xterm", SHELL: "/bin/sh", ...agent.env(where) };
    const daybook = [join(root, "bin/daybook.js"), "mcp", "--install", name, "--yes"];
    execFileSync(process.execPath, daybook, { env });
    const [program, ...words] = agent.words("Ask Daybook what was done before.");
    // Beside this process, which is the model.
    await run(program, words, { cwd: work, env });
    return reported(name, agent, model);
  } finally {
    model.close();
    rmSync(home, { recursive: true, force: true });
  }
}

function reported(name, { version }, { results }) {
  let failures = 0;
  for (const [i, { tool }] of STEPS.entries()) {
    const text = results[i] ?? "";
    const isQuoted = /(~{5,}) quoted history\n[\s\S]*\n\1 end of quoted history/.test(text);
    const isOwn = text.includes("Ask Daybook what was done before.");
    const isRight = isQuoted && !isOwn;
    if (!isRight) failures++;
    const bytes = Buffer.byteLength(text);
    console.log(
      `${name} ${version} ${tool}: ${isRight ? "ok" : "FAILED"}, ${bytes} bytes${isOwn ? ", its own session" : ""}`,
    );
    if (!isRight) console.log(text.slice(0, 500));
  }
  return failures;
}

function run(program, words, options) {
  return new Promise((resolve) => {
    const child = spawn(program, words, { ...options, stdio: ["ignore", "ignore", "ignore"], timeout: 120_000 });
    child.on("close", resolve);
  });
}

function put(path, text) {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
}
