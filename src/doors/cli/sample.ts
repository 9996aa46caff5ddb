import { readdirSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SAMPLES } from "../../places.ts";

/** The bundled sessions as values for `--root`: one folder per agent, named by its id. */
export function sampleRoots(): string[] {
  return readdirSync(SAMPLES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${name}=${fileURLToPath(new URL(name, SAMPLES))}`);
}

/** The newest day with work in the samples. */
export const SAMPLE_DAY = "2026-05-12";

/** The home for workspaces of the samples, outside the user's own folder. */
export function sampleHome(): string {
  return join(tmpdir(), `daybook-sample-${userInfo().username}`);
}
