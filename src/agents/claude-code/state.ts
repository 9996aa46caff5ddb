/** What the reader remembers between two records: of the session, of its windows, of lines written twice; and which lines it parses. */
import type { Skimmer } from "../../base/io/lines.ts";
import type { SessionKind, TriggerEntry } from "../../record/record.ts";
import type { ReadContext } from "../contract.ts";
import { freshChain } from "../kit/chain.ts";
import { num, obj, str, type Native } from "../kit/native.ts";
import { Recent, RecentMap } from "../kit/state.ts";
import { freshParked, Windows, type WindowedState } from "../kit/windows.ts";
import type { Stop } from "./calls.ts";
import type { Replay } from "./lookahead.ts";

/** State of the current turn: a `turn_duration` record after an interrupt must not complete it. */
type WorkState = "running" | "completed" | "interrupted" | "failed";

/** The settings reported last, so that only changes are reported. */
interface ReportedSettings {
  version: string | null;
  cwd: string | null;
  branch: string | null;
  model: string | null;
  permission: string | null;
  effort: string | null;
}

/** A subagent call: the requested role, and the agent id once a record names it. */
interface AgentCall {
  role: string | null;
  agent: string | null;
}

/** What the reader remembers of one window of the session: of the turn that runs there. */
interface WindowState {
  ruling: ReportedSettings;
  turn: WorkState;
  /** The model has not answered the last prompt or tool result yet. */
  unanswered: boolean;
  /** Where the last response stopped; null if it was interrupted or failed, so that its end says nothing. */
  stop: Stop | null;
  /** The current trigger was taken into a running turn; the records that follow still have that turn's prompt id. */
  absorbed: boolean;
  /** What the last slash command did, which decides the class of its output. */
  command: "none" | "local" | "compact" | "model";
  /** The goal the agent works towards, and the goal it was given but has not been told yet, both as typed. */
  goal: { active: string | null; awaited: string | null };
  /** The class of the summary that follows a compaction boundary. */
  compaction: "none" | "setup" | "reaction";
  /** Call id of a `!` command whose output has not been read yet. */
  shell: string | null;
  /** The last answers and prompts: after Escape a queued prompt may be written before the interrupt marker. */
  voice: Voice;
  /** How the last prompt reached Claude Code. */
  entry: TriggerEntry;
}

/** Everything the reader remembers between two records. Bounded, except for one item per trigger in `branches`. */
export interface ReaderState extends WindowState, WindowedState<WindowState> {
  /** The version stated last; it also applies to records without a version. */
  met: string;
  kind: SessionKind;
  /** 0 = no header written, 1 = written before the working directory was known, 2 = complete. */
  meta: 0 | 1 | 2;
  firstTime: string | null;
  forkedFrom: string | null;
  /** The value of `forkedFrom` in the header reported last. */
  statedOrigin: string | null;
  /** The first chain record has been seen, so `kind` is settled. */
  chained: boolean;
  /** All chain records so far were copied from the session they name. */
  onlyCopies: boolean;
  /** For instructions that are attached repeatedly: the hash of the text stated last, by kind and path. */
  instructions: Record<string, string>;
  triggers: number;
  /** This session's own first trigger has been seen: nothing after it is inherited. */
  own: boolean;
  /** The release that was last seen to end a response in this file without stating a reason. */
  silentVersion: string | null;
  /** The copied run of records that is being read. */
  replay: Replay | null;
  /** Time and digest of each block of the last prompts, and the newest time: a copy goes back to one of them. */
  prompts: Recent;
  newest: number | null;
  /** A forked subagent's file, before its own task: the records up to there are its parent's. */
  fork: boolean;
  /** This file stores attachments, including prompts that were taken into a running turn. */
  attaches: boolean;
  titles: { human: string | null; agent: string | null };
  calls: Recent;
  enqueued: Recent;
  /**
   * Whether the next prompt was taken from the queue: put there while nothing was running (`idle`; `snapshot` if one
   * was taken then), or perhaps during a turn (`busy`).
   */
  passage: "none" | "idle" | "snapshot" | "busy";
  /** Texts in the queue, first in, first out; "" if the record states none. */
  waiting: string[];
  /**
   * Numbers of the largest usage statement of each response, then 1 + total tokens of the largest that names a model,
   * then 1 if the stream was cut.
   */
  responses: RecentMap<number[]>;
  blocks: RecentMap<string[]>;
  agents: RecentMap<AgentCall>;
  edits: RecentMap<[tool: string, path: string]>;
  /** Queued prompts taken into a turn: times by digest of the text, and their `user` records by `uuid:…`. */
  queued: RecentMap<number>;
}

/**
 * Ids of the last answer and of the last answer before the current prompt, and of the current and the previous prompt.
 */
interface Voice {
  last: string | null;
  before: string | null;
  prompt: string | null;
  earlier: string | null;
}

const LIMITS = {
  prompts: 128,
  calls: 512,
  enqueued: 32,
  responses: 64,
  blocks: 8,
  agents: 128,
  edits: 64,
  queued: 16,
};

export function freshState(kind: SessionKind): ReaderState {
  return {
    met: "unknown",
    kind,
    meta: 0,
    firstTime: null,
    forkedFrom: null,
    statedOrigin: null,
    chained: false,
    onlyCopies: true,
    ruling: { version: null, cwd: null, branch: null, model: null, permission: null, effort: null },
    instructions: {},
    triggers: 0,
    own: false,
    turn: "running",
    unanswered: false,
    stop: null,
    silentVersion: null,
    absorbed: false,
    command: "none",
    goal: { active: null, awaited: null },
    compaction: "none",
    shell: null,
    replay: null,
    prompts: new Recent(LIMITS.prompts),
    newest: null,
    fork: false,
    attaches: false,
    voice: { last: null, before: null, prompt: null, earlier: null },
    entry: "unknown",
    titles: { human: null, agent: null },
    calls: new Recent(LIMITS.calls),
    enqueued: new Recent(LIMITS.enqueued),
    passage: "none",
    waiting: [],
    responses: new RecentMap(LIMITS.responses),
    blocks: new RecentMap(LIMITS.blocks),
    agents: new RecentMap(LIMITS.agents),
    edits: new RecentMap(LIMITS.edits),
    queued: new RecentMap(LIMITS.queued),
    parked: freshParked(),
    ...freshChain(),
  };
}

/**
 * The record before this one. A compaction begins a new chain, and names the end of the old one separately. A prompt
 * without a record before it may state its index instead.
 */
export function parentOf(record: Native): string | null {
  const parent = str(record["parentUuid"]) ?? str(record["logicalParentUuid"]);
  const index = parent === null ? num(obj(record["turnPosition"])?.["turnIndex"]) : null;
  return index === null ? parent : `root#${index}`;
}

/** Several terminals may have one session open (`--resume`). */
export const windows: Windows<WindowState> = new Windows<WindowState>({
  fields: {
    turn: true,
    unanswered: true,
    stop: true,
    absorbed: true,
    command: true,
    goal: true,
    compaction: true,
    shell: true,
    voice: true,
    entry: true,
    ruling: true,
  },
  atWork: { turn: "running", unanswered: true, stop: null },
  parentOf,
  idOf: (record) => str(record["uuid"]),
  isWork: (record) => record["type"] === "assistant",
});

/** Prompts sent into a running turn: everything that follows in it belongs to them. */
export const JOINING: ReadonlySet<string> = new Set([
  "claude.tool_result.feedback",
  "claude.tool_result.prompt",
  "claude.queued.absorbed",
  "claude.queue.absorbed",
]);

/** What precedes and follows the content of a message. Neither can occur inside a JSON string. */
const MESSAGE = /"message":\{([^{}[\]]*"content":\[)/;
const AFTER = '],"stop_reason":';

/** A line and the position of its message content. */
export interface SplitLine {
  text: string;
  /** The message fields before the content. */
  about: string;
  from: number;
  to: number;
}

/** Locates the message content of a line; null when the line has another structure. */
export function splitLine(text: string): SplitLine | null {
  const begin = MESSAGE.exec(text);
  if (begin === null) return null;
  const [whole, about = ""] = begin;
  const from = begin.index + whole.length;
  const to = text.lastIndexOf(AFTER);
  return to < from ? null : { text, about, from, to };
}

/** A message id; without one every line counts as a separate response. */
const NAMED = /"id":"[^"]/;
/** The usage object; searched for from `lastIndex`, after the content. */
const USAGE = /"usage":\{(?:[^{}"\\]|"[^"\\]*"|\{(?:[^{}"\\]|"[^"\\]*")*\})*\}/g;
const REQUEST = /"requestId":"[^"]*"/;
/**
 * Part of `isAbortedMidStream`, the only field outside the message that makes repeated usage new. Starting at the rare
 * capital letter makes the search faster.
 */
const CUT = "AbortedMidStream";

/**
 * Every line of a response states the usage of the whole response, so half of all lines repeat the line before. They
 * are recognised by comparing the text of the message's first fields, the usage and the request id, without parsing.
 */
export function isRepeated(line: SplitLine, last: SplitLine): boolean {
  if (line.about !== last.about || !NAMED.test(line.about) || line.text.includes(CUT)) return false;
  const usage = usageIn(line);
  if (usage === null || usage !== usageIn(last)) return false;
  const request = requestIn(line);
  return request !== null && request === requestIn(last);
}

function usageIn({ text, to }: SplitLine): string | null {
  USAGE.lastIndex = to;
  return USAGE.exec(text)?.[0] ?? null;
}

/** The request id is before or after the message, depending on the version. */
function requestIn({ text, from, to }: SplitLine): string | null {
  return (REQUEST.exec(text.slice(0, from)) ?? REQUEST.exec(text.slice(to)))?.[0] ?? null;
}

/**
 * Top-level types that neither state usage nor hold a prompt. The type is at the start of the line or after the
 * envelope.
 */
const FOLDED = /"type":"(progress|file-history-snapshot|api-request|api-request-blob|api-request-shape|tools-used)"/;
const TOOL_RESULT = "user/tool_result";
/** A tool result whose content is a plain string. */
const RESULT =
  /"message":\{"role":"user","content":\[\{(?:"tool_use_id":"[^"]{1,80}",)?"type":"tool_result",(?:"tool_use_id":"[^"]{1,80}",)?"content":"/;
/** A separate block of typed text beside a tool result. This cannot occur inside a JSON string. */
const TEXT_BLOCK = Buffer.from('"type":"text"');
const ATTACHMENT = /"attachment":\{"type":"(?!queued_command)[a-z_]+"/;
/** Shorter lines are cheaper to parse than to test. */
const SHORT = 700;

const USER = /"message":\{"role":"user"/;
const SYSTEM = /"type":"(?:system|attachment|queue-operation|last-prompt|permission-mode|mode)"/;
const ASSISTANT = /"type":"assistant"|"role":"assistant"/;
const COMPACTION = /"subtype":"compact_boundary"/;

function nameForUsage(head: string, bytes: number): string | null {
  if (bytes < SHORT) return null;
  if (RESULT.test(head)) return TOOL_RESULT;
  if (ATTACHMENT.test(head)) return "attachment";
  return FOLDED.exec(head)?.[1] ?? null;
}

const TYPE = ',"type":"';

/** For token sums only responses matter. Every line that is not certainly something else is parsed. */
function nameForTokens(head: string): string | null {
  // The record's own type precedes the first nested object or list; tool results inside the record have types as well.
  const part = head.indexOf("{", 1);
  const at = part === -1 ? -1 : head.lastIndexOf(TYPE, part);
  if (at !== -1 && !head.slice(0, at).includes("[")) {
    if (head.startsWith('assistant"', at + TYPE.length)) return null;
    if (head.startsWith('user"', at + TYPE.length)) return "other";
  }
  if (ASSISTANT.test(head) || COMPACTION.test(head)) return null;
  return USER.test(head) || SYSTEM.test(head) || FOLDED.test(head) ? "other" : null;
}

/** Copies are recognised by their ids, so a file that repeats another is never skimmed. */
export function skimmerFor(ctx: ReadContext): Skimmer | undefined {
  if (ctx.inherited !== undefined || ctx.identities === true) return undefined;
  return ctx.detail === "usage" ? SKIM_FOR_USAGE : undefined;
}

const SKIM_FOR_USAGE: Skimmer = {
  head: 768,
  name: nameForUsage,
  unless: { name: TOOL_RESULT, holds: TEXT_BLOCK },
  mark: linkIn,
};

const PARENT = '"parentUuid":"';
const UUID = '"uuid":"';
const TIME = '","timestamp":"';
const ID = 36;

/** The ids of the record before this one and of the record itself: without them the chain would be broken here. */
function linkIn(line: Buffer): string | null {
  for (let at = line.indexOf(UUID); at !== -1; at = line.indexOf(UUID, at + 1)) {
    const [from, to] = [at + UUID.length, at + UUID.length + ID];
    // A result may contain an object with an id of its own.
    if (line.toString("latin1", to, to + TIME.length) !== TIME) continue;
    const head = line.toString("latin1", 0, Math.min(at, 768));
    const parent = head.indexOf(PARENT) + PARENT.length;
    const before = parent < PARENT.length ? "" : head.slice(parent, parent + ID);
    return `${before} ${line.toString("latin1", from, to)}`;
  }
  return null;
}

export const skimForTokens: Skimmer = { head: 768, name: nameForTokens, drop: true };
