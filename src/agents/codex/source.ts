/** Codex as a source: how it is resumed, run without a terminal and connected to servers, and what its tools do. */
import { join } from "node:path";
import { zonedTime } from "../../base/io/instant.ts";
import type {
  EditTool,
  FileEdit,
  Headless,
  HeadlessAnswer,
  McpClient,
  ResumeRefusal,
  ResumeWay,
  Source,
  SourceRef,
  Tools,
} from "../contract.ts";
import { commandEntry, fieldsOf, patchEdits, wholeListTool } from "../kit/tools.ts";
import { fileTimes } from "../kit/sniff.ts";
import { JsonLines } from "../kit/json-lines.ts";
import { obj } from "../kit/native.ts";
import { countOf, nonEmptyString, printedEvents } from "../kit/printed-events.ts";
import { discoverRollouts, looksLikeRollout, sideFacts } from "./discover.ts";
import { sessionIdFromPath } from "./native.ts";
import { readRollout } from "./read.ts";
import { CodexOutputMeter, quickUsage } from "./usage.ts";

/** Archived sessions are in a flat folder beside the dated ones. */
const ARCHIVED = /[\\/]archived_sessions[\\/]/;

function resume({ path }: SourceRef, sessionId: string): ResumeWay | ResumeRefusal {
  if (ARCHIVED.test(path))
    return { refused: "archived", why: `it is archived; \`codex unarchive ${sessionId}\` takes it out` };
  return { words: ["codex", "resume", sessionId] };
}

/** Every call names its thread and the session that contains it (seen in 0.166). The environment holds neither. */
const mcp: McpClient = {
  name: "codex-mcp-client",
  variables: ["CODEX_HOME"],
  servers: {
    files: (env, home) => [join(env["CODEX_HOME"]?.trim() || join(home, ".codex"), "config.toml")],
    form: "toml",
    key: "mcp_servers",
    // Codex starts servers without its own environment.
    entry: commandEntry,
  },
  callers: (meta) => [meta["threadId"], meta["sessionId"]].filter((id) => typeof id === "string"),
};

/** `codex exec`, read-only and without approvals; it prints one event per line (tried with 0.166.0). */
const headless: Headless = {
  run: ({ model, server }) => ({
    words: [
      "codex",
      "exec",
      "--json",
      "--skip-git-repo-check",
      "--sandbox",
      "read-only",
      "-c",
      'approval_policy="never"',
      ...(server === null ? [] : serverWords(server)),
      ...(model === null ? [] : ["--model", model]),
      "-",
    ],
  }),
  answer: (printed) => headlessAnswer(printed),
};

/** The values must be TOML; these JSON strings, arrays and booleans are valid TOML as well. */
function serverWords({ name, command: [command, ...args] }: { name: string; command: readonly string[] }): string[] {
  const settings = {
    command,
    args,
    required: true,
    // The server itself limits what its tools may do.
    default_tools_approval_mode: "approve",
  };
  return Object.entries(settings).flatMap(([key, value]) => [
    "-c",
    `mcp_servers.${name}.${key}=${JSON.stringify(value)}`,
  ]);
}

interface PrintedEvent {
  type?: unknown;
  message?: unknown;
  error?: { message?: unknown };
  item?: { type?: unknown; text?: unknown };
  usage?: { input_tokens?: unknown; output_tokens?: unknown };
}

function headlessAnswer(printed: string): HeadlessAnswer {
  const answer: HeadlessAnswer = { text: null, error: null, tokens: null, cost_usd: null };
  for (const event of printedEvents(printed) as PrintedEvent[]) {
    const { type, item, usage } = event;
    if (type === "item.completed" && item?.type === "agent_message" && typeof item.text === "string")
      answer.text = item.text;
    if (type === "turn.completed" && usage)
      answer.tokens = { input: countOf(usage.input_tokens), output: countOf(usage.output_tokens) };
    if (type === "turn.failed") answer.error = nonEmptyString(event.error?.message) ?? "the turn failed";
    else if (type === "error") answer.error ??= nonEmptyString(event.message);
  }
  if (answer.tokens !== null && answer.text !== null) answer.error = null;
  return answer;
}

/** The originator that Codex's Python SDK writes in the header. */
const PYTHON_SDK = "codex_python_sdk";

/** The time stated in the header. Unlike a reading, this proof must not fall back to other times in the file. */
function scriptStart(ref: SourceRef, originator: string | null): number | null {
  if (originator !== PYTHON_SDK || ref.container !== "jsonl") return null;
  try {
    const lines = new JsonLines(ref, null, { detail: "lean" });
    const header = lines.next()?.value ?? null;
    lines.close();
    return zonedTime(header?.["timestamp"]) ?? zonedTime(obj(header?.["payload"])?.["timestamp"]);
  } catch {
    return null;
  }
}

const PATCH_BEGIN = "*** Begin Patch";
const PATCH_END = "*** End Patch";

/** The patch tool gets the patch as its whole input or in a field. */
const patchTool: EditTool = (input) => {
  const text = typeof input === "string" ? input : fieldsOf(input)["input"];
  return typeof text === "string" && text.includes(PATCH_BEGIN) ? patchEdits(fromBegin(text)) : null;
};

/**
 * A shell command contains the patch as a here-document or as an argument: `apply_patch <<'EOF'`,
 * `["apply_patch", "…"]`.
 */
const shellTool: EditTool = (input) => {
  const fields = fieldsOf(input);
  const given = fields["command"] ?? fields["cmd"];
  const words = Array.isArray(given) ? given : [given];
  if (!words.some((word) => typeof word === "string" && /\bapply_?patch\b/.test(word))) return null;
  const text = words.find((word) => typeof word === "string" && word.includes(PATCH_BEGIN)) as string | undefined;
  // A command with several patches or an incomplete one is not parsed.
  if (text === undefined || text.indexOf(PATCH_BEGIN) !== text.lastIndexOf(PATCH_BEGIN) || !text.includes(PATCH_END))
    return null;
  return patchEdits(fromBegin(text));
};

/** A script contains patches as JavaScript literals. If a value is inserted at run time, the patch is unknown. */
const STRING_LITERAL =
  /"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'|(?<raw>String\.raw\s*)?`(?<template>(?:[^`\\]|\\[^])*)`/g;

const scriptTool: EditTool = (input) => {
  if (typeof input !== "string" || !input.includes(PATCH_BEGIN)) return null;
  const edits: FileEdit[] = [];
  for (const { 0: literal, groups } of input.matchAll(STRING_LITERAL)) {
    if (!literal.includes(PATCH_BEGIN)) continue;
    const text = literalValue(literal, groups?.["template"], groups?.["raw"] !== undefined);
    const found = text === null ? null : patchEdits(fromBegin(text));
    if (!found) return null;
    edits.push(...found);
  }
  return edits.length > 0 ? edits : null;
};

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  v: "\v",
  "0": "\0",
  "\n": "",
};

function literalValue(literal: string, template: string | undefined, isRaw: boolean): string | null {
  const body = template ?? literal.slice(1, -1);
  if (template !== undefined && /(?<!\\)\$\{/.test(template)) return null;
  if (isRaw) return body;
  return body.replace(
    /\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([^]))/g,
    (_, point, unit, byte, plain) => {
      const code = (point ?? unit ?? byte) as string | undefined;
      return code === undefined
        ? (ESCAPES[plain as string] ?? (plain as string))
        : String.fromCodePoint(parseInt(code, 16));
    },
  );
}

function fromBegin(text: string): string {
  const from = text.slice(text.indexOf(PATCH_BEGIN));
  const end = from.indexOf(PATCH_END);
  return end === -1 ? from : from.slice(0, end + PATCH_END.length);
}

const tools: Tools = {
  ask: ["request_user_input", "request_user_input_async"],
  todos: { update_plan: wholeListTool },
  edits: {
    apply_patch: patchTool,
    exec: scriptTool,
    // Names of the shell tool in different versions.
    shell: shellTool,
    local_shell: shellTool,
    shell_command: shellTool,
    exec_command: shellTool,
  },
  answers: {
    unasked: /^\s*request_user_input is unavailable/i,
    unanswered: /^\s*request_user_input was\b/i,
    added: "None of the above",
    note: "user_note: ",
  },
};

/** OpenAI Codex: CLI, TUI, `exec`, IDE and app-server sessions, from the first JSON documents to paginated rollouts. */
export const codex: Source = {
  id: "codex",
  name: "Codex",
  capabilities: {
    retentionDays: null,
    commandsAsText: true,
    importedAs: "codex",
    shellVariables: ["CODEX_THREAD_ID", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED"],
  },
  checked: { oldest: "0.20.0", newest: "0.169.0", releases: 16 },
  unknowable: [
    "An answer that Codex threw away because the human steered: no trace of it or its tokens.",
    "Up to 0.63: that a request failed, and a call that was running when Codex was killed. 0.130 states a failure only by a missing answer.",
    "Exit codes of several commands in one script (0.166): the call is ok when the script completed; the commands are listed. Where commands have no records of their own (0.146) only a code that the script printed is known.",
    "Tokens, and whether it was `exec`, in the bare files (to 0.28); up to 0.42 the latter only.",
    "Times inside the bare files of the first versions.",
    "That a permission prompt waits: its call is recorded, and nothing more until the human has answered.",
    "Up to 0.154: whether the human or the parent wrote a prompt without an editor's context into a sub-agent's thread.",
  ],
  discover: (ctx) => discoverRollouts(ctx),
  sessionId: (ref) => sessionIdFromPath(ref.path),
  recognises: (ref) => looksLikeRollout(ref.path),
  read: (ref, cursor, ctx) => readRollout(ref, cursor, ctx),
  quickUsage: (ref, ctx, count) => quickUsage(ref, ctx, count),
  times: (ref) => fileTimes(ref),
  facts: (ctx) => sideFacts(ctx),
  start: ["codex", "exec"],
  resume,
  mcp: () => mcp,
  headless: () => headless,
  tools,
  scriptStart: (ref, originator) => scriptStart(ref, originator),
  outputMeter: () => new CodexOutputMeter(),
};
