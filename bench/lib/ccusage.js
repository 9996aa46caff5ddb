/**
 * Installs ccusage, the tool Daybook is compared with, and reads its answers.
 *
 * Since version 20 the npm package is a thin launcher; the program is a native binary in an optional package per
 * platform. The binary is called directly, so the launcher's Node start-up does not count against it.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const NATIVE = `@ccusage/ccusage-${process.platform}-${process.arch}`;

/** @param {string[]} args */
const npm = (...args) => execFileSync("npm", args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/**
 * @param {string} folder where to install; what an earlier run put there is used again
 * @returns {{ binary: string, version: string, note?: string } | { reason: string }}
 */
export function findCcusage(folder) {
  const found = installed(folder);
  if (found) return found;
  try {
    const latest = npm("view", "ccusage", "version").trim();
    install(folder, latest);
    const fresh = installed(folder);
    if (fresh) return fresh;
    // A release whose native package is not (yet) in the registry cannot run; take the newest one that can.
    const versions = JSON.parse(npm("view", NATIVE, "versions", "--json"));
    install(folder, [versions].flat().at(-1));
    const older = installed(folder);
    if (older) return { ...older, note: `ccusage ${latest} has no ${NATIVE} in the registry` };
    return { reason: `${NATIVE} did not install` };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { reason: `cannot be installed from npm: ${text.split("\n")[0]}` };
  }
}

/**
 * @param {string} folder
 * @param {string} version
 */
function install(folder, version) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  npm("install", "--prefix", folder, "--no-audit", "--no-fund", "--no-save", `ccusage@${version}`);
}

/** @param {string} folder */
function installed(folder) {
  const root = join(folder, "node_modules");
  const require = createRequire(join(root, "ccusage", "package.json"));
  try {
    const binary = require.resolve(`${NATIVE}/bin/ccusage${process.platform === "win32" ? ".exe" : ""}`);
    if (!existsSync(binary)) return undefined;
    // npm drops the executable bit; the launcher sets it on its first run.
    if (process.platform !== "win32") chmodSync(binary, 0o755);
    const { version } = JSON.parse(readFileSync(join(root, "ccusage", "package.json"), "utf8"));
    return { binary, version };
  } catch {
    return undefined;
  }
}

/** Arguments of the reports compared; `all` reads both agents in one process, as Daybook does. */
export const REPORTS = {
  codex: ["codex", "daily", "--json", "--offline", "--timezone", "UTC"],
  "claude-code": ["claude", "daily", "--json", "--offline", "--timezone", "UTC"],
  all: ["daily", "--json", "--offline", "--timezone", "UTC"],
};

/**
 * Its totals under Daybook's names. Input is uncached input in both reports; only the Codex report has reasoning
 * tokens.
 * @param {string} stdout
 */
export function totalsOf(stdout) {
  const { totals } = JSON.parse(stdout);
  return {
    input_tokens: totals.inputTokens,
    cached_input_tokens: totals.cacheReadTokens,
    cache_write_tokens: totals.cacheCreationTokens,
    output_tokens: totals.outputTokens,
    ...(totals.reasoningOutputTokens !== undefined && { reasoning_tokens: totals.reasoningOutputTokens }),
  };
}
