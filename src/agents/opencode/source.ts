/** OpenCode as a source: how it is resumed, run without a terminal and connected to servers, and what its tools do. */
import { basename, dirname, join } from "node:path";
import type {
  Headless,
  HeadlessAnswer,
  McpClient,
  McpServerList,
  ResumeRefusal,
  ResumeWay,
  Source,
  SourceRef,
  Tools,
} from "../contract.ts";
import { patchEdits, replaceTool, textOf, wholeListTool, writeTool } from "../kit/tools.ts";
import { countOf, nonEmptyString, printedEvents } from "../kit/printed-events.ts";
import { discoverBrand, OPENCODE, recognises } from "./discover.ts";
import { SOURCE_ID } from "./native.ts";
import { readSession } from "./read.ts";
import { recordAt } from "./stores.ts";

/** Neither a server's environment nor a call names the session (seen in 1.18.33). */
const mcp: McpClient = {
  name: "opencode",
  variables: ["OPENCODE_DB", "XDG_DATA_HOME"],
  servers: serverList((config) => [
    join(config, "opencode", "opencode.json"),
    join(config, "opencode", "opencode.jsonc"),
  ]),
};

/** The servers in files below the directory for configuration. */
export function serverList(files: (config: string) => readonly string[]): McpServerList {
  return {
    files: (env, home) => files(env["XDG_CONFIG_HOME"]?.trim() || join(home, ".config")),
    form: "json",
    key: "mcp",
    entry: (command, env) => ({
      type: "local",
      command,
      ...(Object.keys(env).length === 0 ? {} : { environment: env }),
    }),
  };
}

/** `opencode run`, which takes settings for one run from a variable and prints one event per line (1.18.33). */
const headless: Headless = {
  // Concurrent runs fail now and then, because the database is locked.
  atOnce: 1,
  run: ({ model, server }) => ({
    words: ["opencode", "run", "--format", "json", ...(model === null ? [] : ["--model", model])],
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        // Input must not be able to trigger actions: all tools are off except those of the server.
        tools: { "*": false, ...(server === null ? {} : { [`${server.name}_*`]: true }) },
        permission: { edit: "deny", bash: "deny", webfetch: "deny" },
        ...(server === null ? {} : { mcp: { [server.name]: { type: "local", command: [...server.command] } } }),
      }),
    },
  }),
  answer: (printed) => headlessAnswer(printed),
};

interface PrintedEvent {
  type?: unknown;
  error?: { name?: unknown; data?: { message?: unknown } };
  part?: { text?: unknown; cost?: unknown; tokens?: Tokens };
}

interface Tokens {
  input?: unknown;
  output?: unknown;
  reasoning?: unknown;
  cache?: { read?: unknown; write?: unknown };
}

/** Every step states its own tokens and cost. The text after the last tool call is the answer. */
function headlessAnswer(printed: string): HeadlessAnswer {
  const texts: string[] = [];
  let [error, cost]: [string | null, number | null] = [null, null];
  let tokens = null as HeadlessAnswer["tokens"];
  for (const event of printedEvents(printed) as PrintedEvent[]) {
    const { type, part } = event;
    if (type === "tool_use") texts.length = 0;
    if (type === "text" && typeof part?.text === "string") texts.push(part.text);
    if (type === "step_finish" && part?.tokens) {
      const { input, output, reasoning, cache } = part.tokens;
      tokens = {
        input: (tokens?.input ?? 0) + countOf(input) + countOf(cache?.read) + countOf(cache?.write),
        output: (tokens?.output ?? 0) + countOf(output) + countOf(reasoning),
      };
      // Without a price it states 0.
      if (countOf(part.cost) > 0) cost = (cost ?? 0) + countOf(part.cost);
    }
    if (type === "error")
      error = nonEmptyString(event.error?.data?.message) ?? nonEmptyString(event.error?.name) ?? "it failed";
  }
  const text = texts.length === 0 ? null : texts.join("");
  return { text, error: text === null ? error : null, tokens, cost_usd: cost };
}

const EDIT = { path: "filePath", before: "oldString", after: "newString", all: "replaceAll" };

const tools: Tools = {
  ask: ["question"],
  plan: ["plan_exit"],
  todos: { todowrite: wholeListTool },
  edits: {
    write: writeTool("filePath", "content"),
    edit: replaceTool(EDIT),
    multiedit: replaceTool({ ...EDIT, list: "edits" }),
    apply_patch: (input) => patchEdits(textOf(input, "patchText") ?? ""),
  },
};

/** OpenCode: sessions in a SQLite database; in older releases a tree of JSON files. See FORMAT.md. */
export const opencode: Source = {
  id: SOURCE_ID,
  name: "OpenCode",
  capabilities: {
    shellVariables: ["OPENCODE"],
    retentionDays: null,
    globalIdentities: true,
    commandsAsText: true,
  },
  checked: { oldest: "1.0.61", newest: "1.18.33", releases: 10 },
  unknowable: [
    "Which prompts were slash commands whose file is not at hand: they are stored expanded.",
    "Tokens of a step that was killed: all are 0 and taken for unknown.",
    "Which client asked, except `opencode run`; whether quotes around a whole prompt were typed by a human.",
    "What a revert took back once the next prompt is sent: the rows are deleted, with their tokens.",
    "What the first OpenCode (in Go) spent: a session holds the tokens of its last request alone, with the cache among them.",
  ],
  sessionId: (ref) => ref.key ?? basename(ref.path, ".json"),
  recognises: (ref) => recognises(ref, OPENCODE),
  discover: (ctx) => discoverBrand(ctx, OPENCODE),
  read: (ref, cursor, ctx) => readSession(ref, cursor, ctx),
  recordAt: (ref, line) => recordAt(ref, line),
  start: ["opencode", "run"],
  resume,
  mcp: () => mcp,
  headless: () => headless,
  tools,
};

/** The first OpenCode kept its database in the project; later ones kept files. The current version reads neither. */
function resume({ container, path }: SourceRef, sessionId: string): ResumeWay | ResumeRefusal {
  if (container === "sqlite" && basename(dirname(path)) !== ".opencode")
    return { words: ["opencode", "--session", sessionId] };
  return { refused: "unknown_to_agent", why: "it lies in a store of an older OpenCode, which today's does not read" };
}
