import type { Source } from "../contract.ts";
import { recordAt } from "./database.ts";
import { discoverGoose } from "./discover.ts";
import { legacyId } from "./legacy.ts";
import { mcp } from "./mcp.ts";
import { idOf } from "./names.ts";
import { SOURCE_ID } from "./native.ts";
import { readSession } from "./read.ts";
import { recognises } from "./sniff.ts";
import { tools } from "./tools.ts";

/** Goose: sessions in a SQLite database; in older releases one JSONL file each. See FORMAT.md. */
export const goose: Source = {
  id: SOURCE_ID,
  name: "Goose",
  capabilities: { retentionDays: null, globalIdentities: true },
  checked: { oldest: "1.34.0", newest: "1.52.0", releases: 2, marked: "schema 16" },
  unknowable: [
    "Calls that were killed, interrupted or malformed, and failed requests: Goose keeps only the prompt. No call, no error, and the token columns stay empty: unknown, which is not 0.",
    "Below schema 15: what each turn cost. The session states one sum; it belongs to the prompt when there is only one, else to none, on the day the session began. Below schema 14 also what was cached: fresh input is overstated. Reasoning is nowhere.",
    "How long a call took (times are whole seconds), the agent's version, whether an imported session repeats its origin's sums.",
  ],
  sessionId: (ref) => ref.key ?? legacyId(ref.path),
  recognises: (ref) => recognises(ref),
  discover: discoverGoose,
  read: (ref, cursor, ctx) => readSession(ref, cursor, ctx),
  recordAt: (ref, line) => (ref.container === "sqlite" ? recordAt(ref.path, ref.key ?? "", line) : null),
  start: ["goose", "run", "-t"],
  resume: (ref, id) =>
    ref.container === "sqlite"
      ? { words: ["goose", "session", "--resume", "--session-id", idOf(id)] }
      : {
          refused: "unknown_to_agent",
          why: "it lies in a file of an older Goose; today's keeps its sessions in a database",
        },
  mcp: () => mcp,
  tools,
};
