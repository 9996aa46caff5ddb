import { fileURLToPath } from "node:url";
import { SAMPLES } from "../places.ts";
import type { Io } from "./io.ts";
import { openDaybook, type CommonFlags, type OpenedDaybook } from "./options.ts";

/** Opens the bundled sample sessions. They never enter the user's book. */
export function openSample(io: Io, flags: CommonFlags): OpenedDaybook {
  const { home: _, ...rest } = flags;
  const root = ["codex", "claude-code"].map((source) => `${source}=${fileURLToPath(new URL(source, SAMPLES))}`);
  return openDaybook(io, { ...rest, root });
}
