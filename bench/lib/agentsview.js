/**
 * Runs agentsview, the other tool that indexes the texts of sessions: `agentsview` on the path, or $AGENTSVIEW. It is a
 * single binary (`pip install agentsview` has it); nothing is installed here.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";

import { measure } from "./measure.js";

/** @returns {{ binary: string, version: string } | { reason: string }} */
export function findAgentsview() {
  const binary = process.env["AGENTSVIEW"] ?? "agentsview";
  try {
    const said = execFileSync(binary, ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return { binary, version: /\d+\.\d+\.\d+/.exec(said)?.[0] ?? "unknown" };
  } catch {
    return { reason: "there is no agentsview on the path, and none in $AGENTSVIEW" };
  }
}

/**
 * A first sync, without its daemon, in a home of its own that holds nothing but these sessions.
 *
 * @param {{ binary: string, work: string, corpus: string, sizeOf: (dir: string) => number }} options
 */
export async function syncAgentsview({ binary, work, corpus, sizeOf }) {
  const home = mkdtempSync(join(work, "home-"));
  mkdirSync(join(home, "data"));
  symlinkSync(join(corpus, "claude"), join(home, ".claude"));
  symlinkSync(join(corpus, "codex"), join(home, ".codex"));
  const { PATH } = process.env;
  const env = { PATH, HOME: home, AGENTSVIEW_NO_DAEMON: "1", AGENTSVIEW_TELEMETRY: "0" };
  const run = await measure(binary, ["sync"], { env, cwd: home });
  const kept = sizeOf(join(home, ".agentsview"));
  rmSync(home, { recursive: true, force: true });
  return { run, kept };
}
