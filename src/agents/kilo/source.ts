import { join } from "node:path";
import type { Source } from "../contract.ts";
import { memberOf } from "../kit/family.ts";
import { discoverBrand, recognises, type Brand } from "../opencode/discover.ts";
import { opencode, serverList } from "../opencode/source.ts";

const KILO: Brand = { id: "kilo", name: "Kilo", folder: "kilo", variable: "KILO_DB", early: false };

/** Kilo from version 7 on, a fork of OpenCode: the CLI, and the extensions that share its store. See FORMAT.md. */
export const kilo: Source = memberOf(opencode, {
  id: KILO.id,
  name: KILO.name,
  capabilities: { retentionDays: null, globalIdentities: true, commandsAsText: true },
  checked: { oldest: "7.7.2", newest: "7.7.9", releases: 2 },
  unknowable: [
    "Tokens of a step that was killed: all are 0 and taken for unknown.",
    "Whether quotes around a whole prompt were typed by a human: `kilo run` adds them.",
    "Whether the terminal, `kilo run` or an editor asked. Requests for titles.",
    "What a revert took back once the next prompt is sent: the rows are deleted, with their tokens.",
  ],
  discover: (ctx) => discoverBrand(ctx, KILO),
  recognises: (ref) => recognises(ref, KILO),
  start: ["kilo", "run"],
  resume: (_ref, id) => ({ words: ["kilo", "run", "-s", id] }),
  mcp: () => ({
    variables: ["KILO_DB", "XDG_DATA_HOME"],
    servers: serverList((config) => [join(config, "kilo", "kilo.json"), join(config, "kilo", "kilo.jsonc")]),
  }),
});
