/** How a reader says what a record holds: prompts, texts, calls, results, ends. */
import type {
  ContextBody,
  RecordBody,
  SessionKind,
  SessionMetaBody,
  Tokens,
  TouchedFile,
  FileOperation,
  ToolFinishedBody,
  ToolStatus,
  TriggerEntry,
  TriggerKind,
  UserBody,
} from "../../record/record.ts";
import type { SourceId } from "../../record/record.ts";
import { callIn, type Block } from "./blocks.ts";
import {
  NO_INSTRUCTIONS,
  instructionRecords,
  toInstructions,
  type Instruction,
  type Instructions,
} from "./instructions.ts";
import { obj, str } from "./native.ts";
import { expandedBody, expansionText, type CommandTemplates } from "./prompts.ts";
import type { RecentMap } from "./state.ts";

/** What the kit knows about the tools of an agent. */
export interface ChatTools {
  /** Tools that run commands: without a stored exit code nobody knows how they ended. */
  shell?: readonly string[];
  /** An agent that reports every exit code other than 0 as an error: a shell call without an error ended with 0. */
  okIsZero?: true;
  /** Tools that write a file: the input fields that may hold its path, and what they do to it. */
  writes?: Readonly<Record<string, FileTool>>;
  /** How results word an end for which there is no field. Only looked for in results that failed. */
  words?: ResultWords;
}

export interface FileTool {
  path: string | readonly string[];
  does: FileOperation;
}

export interface ResultWords {
  /** The exit code in group 1. */
  exit?: RegExp;
  interrupted?: RegExp;
  denied?: RegExp;
}

/** A call without a result yet, with the file it writes. */
export interface OpenCall {
  name: string;
  path: string | null;
}

/** The result of a call, as far as the record states it. */
export interface Result {
  text?: string;
  /** What the agent says; null if it says nothing. */
  failed: boolean | null;
  /** An end that a field states. It does not hide an exit code: a call that exited with another code than 0 failed. */
  status?: ToolStatus | null;
  exit?: number | null;
  ms?: number | null;
  truncated?: boolean;
  structured?: unknown;
  /** The tool, if the record names it: the call may be lost. */
  name?: string | null;
  /** Files the record itself names; otherwise those of the call, if the call succeeded. */
  files?: TouchedFile[];
  /** Why it failed, if that is not its text. */
  error?: string;
}

export interface Prompt {
  /** Left out: `command` if the text is the expansion of one, otherwise `prompt`. */
  kind?: TriggerKind | null;
  entry?: TriggerEntry;
  attachments?: number;
  /** Templates that commands expand to: the command is what was typed. */
  templates?: CommandTemplates;
  /** What the typed command was sent as, if the agent stores both. */
  sent?: string | null;
}

export interface ChildFacts {
  role?: string | null;
  call?: string | null;
}

/** How a response is stated around its blocks. */
export interface Reply {
  id?: string | null;
  model?: string | null;
  finish?: string | null;
}

export interface SayContext {
  source: SourceId;
  kind: SessionKind;
  full: boolean;
  tools: ChatTools;
  calls: RecentMap<OpenCall>;
}

/** Longest text of a result that is repeated as the reason of a failure. */
const LONGEST_ERROR = 2000;

/**
 * Collects the canonical records of one native record. Texts are left out where the reading does not ask for them, so
 * rules need not know how much detail is read.
 */
export class Say {
  readonly records: RecordBody[] = [];
  #instructions: Instructions = NO_INSTRUCTIONS;
  readonly #ctx: SayContext;

  constructor(ctx: SayContext) {
    this.#ctx = ctx;
  }

  /** The text, if texts are read. */
  #text(text: string): string {
    return this.#ctx.full ? text : "";
  }

  /** Anything the other methods have no word for. Its texts must be left out unless `full`. */
  record(...bodies: readonly RecordBody[]): void {
    this.records.push(...bodies);
  }

  /** The session's header, or facts of it that changed. */
  header(facts: Partial<Omit<SessionMetaBody, "type" | "source">>): void {
    const { source, kind } = this.#ctx;
    const none = { cwd: null, started_at: null, agent_version: null };
    this.records.push({ type: "session_meta", source, kind, ...none, ...facts });
  }

  /** A sub-agent that a call started, or that came back to it. */
  child(id: string, phase: "spawned" | "returned", { role = null, call = null }: ChildFacts = {}): void {
    const child = { source: this.#ctx.source, session_id: id };
    this.records.push({ type: "child_linked", child, relation: "subagent", phase, role, call_id: call });
  }

  /** Settings in force from here on. */
  settings(settings: Omit<ContextBody, "type">): void {
    this.records.push({ type: "context", ...settings });
  }

  title(title: string | null, by: "human" | "agent"): void {
    const text = title?.trim() ?? "";
    this.records.push({ type: "session_renamed", title: text === "" ? null : text, by });
  }

  /** What a human typed. Its text is never left out. */
  prompt(text: string, { kind, entry = "unknown", attachments = 0, templates, sent = null }: Prompt = {}): void {
    const expansion = templates?.expansion(text) ?? null;
    const typed = expansion ? expansionText(expansion) : text;
    const named = kind ?? (expansion ? "command" : "prompt");
    const body: UserBody = { type: "user", author: "human", text: typed, kind: named, entry };
    if (attachments > 0) body.attachments = attachments;
    this.records.push(body);
    if (expansion) this.records.push(expandedBody(text, this.#ctx.full));
    else if (sent !== null) this.records.push(expandedBody(sent, this.#ctx.full));
  }

  /** A text in the user's role that no human wrote: by the agent's client (`source`), or by another agent. */
  note(author: "source" | "agent", text: string): void {
    this.records.push({ type: "user", author, text: this.#text(text) });
  }

  /** A response of the model: its blocks in order, with neighbouring texts joined. It ends the turn only with `ends`. */
  reply(blocks: readonly Block[], reply: Reply = {}): void {
    this.started(reply);
    const texts: string[] = [];
    for (const block of blocks) {
      const call = callIn(block);
      if (block.type === "text") {
        texts.push(str(block["text"]) ?? "");
        continue;
      }
      this.#joined(texts, reply);
      if (call) this.call(call.id, call.name, call.input);
      else if (block.type === "thinking" || block.type === "reasoning")
        this.thinking(str(block["thinking"]) ?? str(block["text"]) ?? "");
    }
    this.#joined(texts, reply);
  }

  #joined(texts: string[], reply: Reply): void {
    if (texts.length > 0) this.text(texts.splice(0).join("\n"), reply);
  }

  started({ id = null, model = null }: Reply = {}): void {
    this.records.push({ type: "assistant_started", message_id: id, model });
  }

  thinking(text: string): void {
    this.records.push({ type: "reasoning_finished", text: this.#text(text) });
  }

  /** A text of the model; an empty one is none. */
  text(text: string, { model = null, finish = null }: Reply = {}): void {
    if (text === "") return;
    const stated = { model, finish_reason: finish, turn_ended: false };
    this.records.push({ type: "assistant_finished", text: this.#text(text), ...stated });
  }

  call(id: string, name: string, input: unknown): void {
    const { calls, full, tools } = this.#ctx;
    calls.set(id, { name, path: pathOf(input, ownOf(tools.writes, name)) });
    this.records.push({ type: "tool_started", call_id: id, name, input: full ? (input ?? null) : null });
  }

  /** The end of a call. A status that hides an exit code does not: see `statusOf`. */
  result(id: string, result: Result): void {
    const { calls, full, tools } = this.#ctx;
    const call = calls.get(id);
    calls.delete(id);
    const text = result.text ?? "";
    const name = call?.name ?? result.name ?? "";
    const { status, exit } = settled(result, name, tools);
    const body: ToolFinishedBody = {
      type: "tool_finished",
      call_id: id,
      status,
      exit_code: exit,
      duration_ms: result.ms ?? null,
    };
    const does = ownOf(tools.writes, name)?.does;
    const own = call?.path && does ? [{ path: call.path, operation: does }] : [];
    const files = status === "ok" ? (result.files ?? own) : [];
    if (files.length > 0) body.files = files;
    if (full) {
      body.output = text;
      body.truncated = result.truncated ?? false;
      if (result.structured !== undefined) body.structured = result.structured;
      if (status !== "ok" && status !== "pending") body.error = (result.error ?? text).slice(0, LONGEST_ERROR);
    }
    this.records.push(body);
  }

  /**
   * What the agent states for the whole session, without its sub-agents. What it holds beyond the responses was spent by
   * requests without a record, and belongs to no turn: `unwritten` names the rule.
   */
  total(tokens: Tokens | null, { model = null, unwritten }: { model?: string | null; unwritten: string }): void {
    if (!tokens) return;
    const models = [{ model, ...tokens }];
    this.records.push({
      type: "usage_total",
      counter: "session",
      includes_children: false,
      exact: false,
      models,
      unwritten,
    });
  }

  /** The turn ended normally. */
  ends(finish?: string): void {
    const stated = finish === undefined ? {} : { finish_reason: finish };
    this.records.push({ type: "assistant_finished", text: "", ...stated, turn_ended: true });
  }

  /** A request failed. An error is neither an answer nor a prompt, however the agent stores it. */
  fails(message: string | null, ended = true): void {
    this.records.push({ type: "failed", message: message ?? "the model request failed", turn_ended: ended });
  }

  interrupted(): void {
    this.records.push({ type: "cancelled", reason: "interrupted" });
  }

  compacted(trigger: "manual" | "auto" | "unknown", summary: string | null): void {
    this.records.push({ type: "compacted", trigger, summary: this.#ctx.full ? summary : null });
  }

  /** Texts that told the model how to work. */
  instructions(list: readonly Instruction[]): void {
    this.#instructions = toInstructions(list);
  }

  /** The records of the instructions come behind all others. */
  given(): Instructions {
    this.records.push(...instructionRecords(this.#instructions));
    return this.#instructions;
  }
}

function pathOf(input: unknown, tool: FileTool | undefined): string | null {
  const fields = obj(input);
  if (!tool || !fields) return null;
  for (const name of typeof tool.path === "string" ? [tool.path] : tool.path) {
    const path = str(fields[name]);
    if (path !== null) return path;
  }
  return null;
}

function ownOf<V>(table: Readonly<Record<string, V>> | undefined, name: string): V | undefined {
  return table && Object.hasOwn(table, name) ? table[name] : undefined;
}

/**
 * How a call ended, by the strongest evidence: a stated refusal or interruption, the exit code, what the agent says. A
 * shell call that ended without any of these is `pending`: its end is not known, and silence is no success.
 */
function settled(result: Result, name: string, tools: ChatTools): { status: ToolStatus; exit: number | null } {
  const { words } = tools;
  const text = result.text ?? "";
  const stated = result.status ?? "ok";
  const failed = result.failed === true || stated !== "ok";
  const said = failed ? words?.exit?.exec(text)?.[1] : undefined;
  const isShell = tools.shell?.includes(name) === true;
  const implied = isShell && !failed && tools.okIsZero === true ? 0 : null;
  const exit = result.exit ?? (said === undefined ? implied : Number(said));
  if (stated !== "ok") return { status: stated, exit };
  if (failed) return { status: wordedEnd(text, words), exit };
  if (exit !== null && exit !== 0) return { status: "failed", exit };
  return { status: exit === null && (isShell || result.failed === null) ? "pending" : "ok", exit };
}

function wordedEnd(text: string, words: ResultWords | undefined): ToolStatus {
  if (words?.interrupted?.test(text)) return "interrupted";
  return words?.denied?.test(text) ? "denied" : "failed";
}
