import { readdirSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SAMPLES } from "../places.ts";

/** The bundled sessions as `--root` takes them: a folder per agent, called by its id. */
export function sampleRoots(): string[] {
  return readdirSync(SAMPLES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${name}=${fileURLToPath(new URL(name, SAMPLES))}`);
}

/** The newest day with work in them. */
export const SAMPLE_DAY = "2026-05-12";

/** Where evidence of them is laid out: not in the user's own folder. */
export function sampleHome(): string {
  return join(tmpdir(), `daybook-sample-${userInfo().username}`);
}
