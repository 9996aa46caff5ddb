import type { Source } from "../contract.ts";
import { discoverQwen } from "./discover.ts";
import { sessionIdFromPath, SOURCE_ID } from "./identity.ts";
import { mcp } from "./mcp.ts";
import { readSession } from "./read.ts";
import { isQwenFile } from "./sniff.ts";
import { tools } from "./tools.ts";

/** Qwen Code: JSONL transcripts under `projects/`, one file per session and per subagent. See FORMAT.md. */
export const qwen: Source = {
  id: SOURCE_ID,
  name: "Qwen Code",
  capabilities: {
    shellVariables: ["QWEN_CODE"],
    retentionDays: null,
    globalIdentities: true,
    commandsAsText: true,
  },
  checked: { oldest: "0.5.0", newest: "0.24.4", releases: 5 },
  unknowable: [
    "The typed form of a command under `-p` whose file is not at hand: stored expanded, as if a human had typed it.",
    "Retried requests; whether a plain prompt came from the terminal or `-p`; commands typed with `!`.",
    "The usage of a stream that was cut.",
  ],
  sessionId: (ref) => sessionIdFromPath(ref.path),
  recognises: (ref) => isQwenFile(ref.path) === "yes",
  discover: discoverQwen,
  read: (ref, cursor, ctx) => readSession(ref, cursor, ctx),
  start: ["qwen"],
  resume: (_ref, id) => ({ words: ["qwen", "--resume", id] }),
  mcp: () => mcp,
  tools,
};
