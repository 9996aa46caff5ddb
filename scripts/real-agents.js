// Real agents from npm, each with an empty home and a model on this machine: for scripts/conformance.js,
// scripts/mcp-clients.js and scripts/narrate-agents.js. The packages, several hundred megabytes, are installed into a directory that is kept for
// the next run: --into DIR.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const at = process.argv.indexOf("--into");
const into = at === -1 ? join(tmpdir(), "daybook-real-agents") : process.argv[at + 1];
const VERSIONS = {
  "@anthropic-ai/claude-code": "2.1.325",
  "@openai/codex": "0.166.0",
  "opencode-ai": "1.18.33",
  "@aaif/goose-binary-linux-x64": "1.52.0",
};
const module = (name) => join(into, "node_modules", name);

/** How each agent is configured to use the model at `url`. `free`: it may call all MCP tools without asking. */
export const AGENTS = {
  "claude-code": {
    version: VERSIONS["@anthropic-ai/claude-code"],
    package: "@anthropic-ai/claude-code",
    name: "claude",
    program: module("@anthropic-ai/claude-code-linux-x64/claude"),
    env: ({ home, url }) => ({
      CLAUDE_CONFIG_DIR: join(home, ".claude"),
      ANTHROPIC_API_KEY: "dummy",
      ANTHROPIC_BASE_URL: url,
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    }),
    settings: ({ home, free }) => {
      const allowed = { permissions: { allow: ["mcp__daybook"] } };
      if (free) put(join(home, ".claude/settings.json"), JSON.stringify(allowed));
    },
  },
  codex: {
    version: VERSIONS["@openai/codex"],
    package: "@openai/codex",
    name: "codex",
    program: module(".bin/codex"),
    env: ({ home }) => ({ CODEX_HOME: join(home, ".codex"), MODEL_KEY: "dummy" }),
    settings: ({ home, url, free }) =>
      put(
        join(home, ".codex/config.toml"),
        [
          'model_provider = "scripted"',
          "check_for_update_on_startup = false",
          ...(free ? ['approval_policy = "never"', 'sandbox_mode = "danger-full-access"'] : []),
          "[analytics]",
          "enabled = false",
          "[feedback]",
          "enabled = false",
          "[model_providers.scripted]",
          'name = "scripted"',
          `base_url = "${url}/v1"`,
          'env_key = "MODEL_KEY"',
          'wire_api = "responses"',
          "supports_websockets = false",
          "",
        ].join("\n"),
      ),
  },
  opencode: {
    version: VERSIONS["opencode-ai"],
    package: "opencode-ai",
    name: "opencode",
    program: module("opencode-linux-x64/bin/opencode"),
    env: ({ home }) => ({
      XDG_DATA_HOME: join(home, ".local/share"),
      XDG_CONFIG_HOME: join(home, ".config"),
      XDG_STATE_HOME: join(home, ".local/state"),
      XDG_CACHE_HOME: join(home, ".cache"),
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      OPENCODE_DISABLE_SHARE: "1",
    }),
    settings: ({ home, url, free }) => {
      const scripted = {
        npm: "@ai-sdk/openai-compatible",
        name: "Scripted",
        options: { baseURL: `${url}/v1`, apiKey: "dummy" },
        models: { model: { name: "Model", tool_call: true, limit: { context: 200_000, output: 8000 } } },
      };
      const settings = {
        autoupdate: false,
        share: "disabled",
        model: "scripted/model",
        enabled_providers: ["scripted"],
        ...(free ? { permission: { "*": "allow" } } : {}),
        provider: { scripted },
      };
      put(join(home, ".config/opencode/opencode.json"), JSON.stringify(settings));
    },
  },
};

/** The agents that can be tested as MCP clients. */
export const CLIENTS = {
  ...AGENTS,
  goose: {
    version: VERSIONS["@aaif/goose-binary-linux-x64"],
    package: "@aaif/goose-binary-linux-x64",
    name: "goose",
    program: module("@aaif/goose-binary-linux-x64/bin/goose"),
    env: ({ url }) => ({
      GOOSE_DISABLE_KEYRING: "1",
      GOOSE_TELEMETRY_ENABLED: "false",
      GOOSE_MODE: "auto",
      GOOSE_PROVIDER: "openai",
      GOOSE_MODEL: "model",
      OPENAI_API_KEY: "dummy",
      OPENAI_HOST: url,
      OPENAI_BASE_PATH: "v1/chat/completions",
    }),
    settings: () => {},
  },
};

/** Installs the packages unless they are already there; says which version of each agent it is. */
export function fetchAgents({ latest = false } = {}) {
  const wanted = Object.entries(VERSIONS).filter(([name, version]) => latest || versionOf(name) !== version);
  if (wanted.length > 0) {
    mkdirSync(into, { recursive: true });
    const packages = wanted.map(([name, version]) => `${name}@${latest ? "latest" : version}`);
    execFileSync("npm", ["install", "--prefix", into, "--no-audit", "--no-fund", ...packages], { stdio: "inherit" });
  }
  return Object.fromEntries(Object.entries(CLIENTS).map(([name, { package: from }]) => [name, versionOf(from)]));
}

function versionOf(name) {
  const path = join(module(name), "package.json");
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).version : null;
}

/** The environment of an agent: nothing of the user's except `PATH`. */
export function envOf(agent, where) {
  const { home } = where;
  return { PATH: process.env.PATH, HOME: home, TERM: "xterm", SHELL: "/bin/sh", TMPDIR: home, ...agent.env(where) };
}

/** Runs asynchronously, because this process serves the model meanwhile. */
export function run(program, words, options) {
  return new Promise((resolve) => {
    const child = spawn(program, words, { timeout: 300_000, ...options, stdio: ["ignore", "pipe", "pipe"] });
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk) => (out += chunk));
    child.stderr.on("data", (chunk) => (err += chunk));
    child.on("close", (code) => resolve({ code, out, err }));
  });
}

function put(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
