#!/usr/bin/env node
// Records the answers of the real ccusage to test/fixtures/ccusage/questions.json, for test/ccusage.test.ts. ccusage is
// installed from npm into .bench, or given: node scripts/record-ccusage.js [binary]. It runs with a temporary home and
// environment.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { findCcusage } from "../bench/lib/ccusage.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "test/fixtures/ccusage");
const named = process.argv[2];
const found = named === undefined ? findCcusage(join(root, ".bench/ccusage")) : { binary: named };
if (!("binary" in found)) throw new Error(found.reason);

const scratch = mkdtempSync(join(tmpdir(), "record-ccusage-"));
try {
  const [claude, codex, empty] = ["claude", "codex", "empty"].map((name) => join(scratch, name));
  const { invocations, without_codex: without } = JSON.parse(readFileSync(join(folder, "questions.json"), "utf8"));
  cpSync(join(root, "test/fixtures/month/claude"), claude, { recursive: true });
  cpSync(join(root, "test/fixtures/month/codex"), codex, { recursive: true });
  // The one session that ccusage and Daybook count differently.
  rmSync(join(codex, without));
  mkdirSync(empty);
  const env = { PATH: process.env.PATH, HOME: empty, CLAUDE_CONFIG_DIR: claude, CODEX_HOME: codex };
  const run = (args) => spawnSync(found.binary, args, { env, encoding: "utf8" });
  const answers = invocations.map((line) => {
    const words = line.split(" ");
    const { status, stdout } = run([...words, "--offline", "-z", "UTC"]);
    // For tables only the exit status is compared.
    const isJson = words.includes("--json") || words.includes("--jq");
    return { line, status, ...(isJson && status === 0 ? { answer: JSON.parse(stdout) } : {}) };
  });
  const version = run(["--version"]).stdout.trim();
  const text = JSON.stringify({ version, answers });
  writeFileSync(join(folder, "recorded.json.br"), brotliCompressSync(text));
  console.log(`${version}: ${answers.length} answers, ${text.length} bytes`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
