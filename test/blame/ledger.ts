import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { scratch, type Roots } from "../store/fixture.ts";

/** A small project that real agents and a human worked on in turns. */
export const LEDGER: string = fileURLToPath(new URL("../fixtures/blame/ledger", import.meta.url));

export const LEDGER_ROOTS: Roots = {
  codex: [join(LEDGER, "codex"), join(LEDGER, "codex-classic")],
  "claude-code": [join(LEDGER, "claude-code")],
};

/** A clone of its repository in another directory than the agents worked in, with the final files. */
export function ledgerRepository(): string {
  const repo = join(scratch("blame"), "ledger");
  execFileSync("git", ["clone", "-q", join(LEDGER, "repo.bundle"), repo]);
  for (const name of readdirSync(repo)) if (name !== ".git") rmSync(join(repo, name), { recursive: true });
  copyLedger(repo);
  return repo;
}

/** Copies the final files into a directory. */
export function copyLedger(dir: string): void {
  mkdirSync(dir, { recursive: true });
  cpSync(join(LEDGER, "tree"), dir, { recursive: true });
}
