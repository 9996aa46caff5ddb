import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { SAMPLES } from "../places.ts";
import type { Io } from "./io.ts";
import { openDaybook, type CommonFlags, type OpenedDaybook } from "./options.ts";

/** Opens the bundled sample sessions. They never enter the user's book. */
export function openSample(io: Io, flags: CommonFlags): OpenedDaybook {
  const { home: _, ...rest } = flags;
  return openDaybook(io, { ...rest, root: sampleRoots() });
}

/** A folder per agent, called by its id. */
export function sampleRoots(): string[] {
  return readdirSync(SAMPLES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${name}=${fileURLToPath(new URL(name, SAMPLES))}`);
}
