import type { NamedObjects, SCHEMA_VERSION } from "./record.ts";

/**
 * The canonical session log, schema version 1, field by field: the only place that says what a record holds. From
 * these tables follow the types (`record.ts`), the cheap check of every line (`shape.ts`), the complete check and the
 * JSON Schema (`schema.ts`). Plain data, because most commands must start without loading zod.
 *
 * A field is a kind: one of `Scalars`, a list of words (`CHOICES`) or an object (`OBJECTS`). `[]`: a list of it.
 * `|null`: or null. `?` at the end: may be left out. The key `+` adds all fields of another object.
 */
export interface Scalars {
  text: string;
  /** A text that is not empty. */
  id: string;
  number: number;
  integer: number;
  /** 0 or a positive integer. */
  count: number;
  /** A positive integer. */
  position: number;
  flag: boolean;
  any: unknown;
  /** ISO 8601 UTC with milliseconds. */
  time: string;
  /** SHA-256, in hexadecimal. */
  hash: string;
  version: typeof SCHEMA_VERSION;
}

export const CHOICES = {
  session_kind: ["root", "subagent", "companion", "review", "internal"],
  author: ["human", "source", "agent"],
  trigger_kind: ["prompt", "command", "shell", "queued", "answer"],
  /** `automated`: the prompt was probably sent by a program on its own, though nothing proves it. */
  trigger_entry: ["interactive", "headless", "sdk", "ide", "automated", "unknown"],
  /** `unclear`: the next message after a plan, which neither tells the agent to carry it out nor to go on planning. */
  plan_answer: ["approved", "refused", "unclear"],
  tool_status: ["ok", "failed", "interrupted", "denied", "pending"],
  operation: ["created", "modified", "deleted", "renamed"],
  verdict: ["counted", "duplicate", "estimate", "inherited"],
  compacted_by: ["manual", "auto", "unknown"],
  relation: ["subagent", "companion", "review", "fork"],
  phase: ["spawned", "returned"],
  cancelled_because: ["interrupted", "replaced", "review_ended", "budget_limited", "rolled_back", "rewound", "unknown"],
  named_by: ["human", "agent"],
} as const;

export const OBJECTS = {
  session_ref: { source: "id", session_id: "id" },
  origin: {
    line: "position?",
    row: "position?",
    /** Set when the session has several files; absent means the first file. */
    path: "id?",
  },
  git: {
    commit: "text|null?",
    branch: "text|null?",
    remote: "text|null?",
    /** A commit that the agent made outside the branch, to be able to undo. */
    ghost_commit: "text|null?",
    /** Parent of the ghost commit; `untracked_*` list what was untracked when it was made. */
    ghost_parent: "text|null?",
    untracked_files: "text[]?",
    untracked_dirs: "text[]?",
  },
  limit_window: { used_percent: "number", window_minutes: "number|null", resets_at: "text|null" },
  credits: { has_credits: "flag", unlimited: "flag", balance: "text|null" },
  rate_limits: {
    limit_id: "text|null?",
    plan: "text|null?",
    primary: "limit_window|null?",
    secondary: "limit_window|null?",
    credits: "credits|null?",
  },
  context_source: {
    kind: "text",
    path: "text|null",
    /** SHA-256 of the text as the model got it; null when the text is not recorded. */
    hash: "text|null",
    /** The text was truncated, either before the model got it or when it was recorded. */
    truncated: "flag",
    /** What it applies to, in the agent's words: the user, the project, a directory. */
    scope: "text|null?",
    /** Why it could not be loaded. */
    error: "text|null?",
  },
  attachment: {
    /** SHA-256 of the bytes, in hexadecimal. */
    hash: "hash",
    /** For example `image/png`. */
    media_type: "id",
    bytes: "count",
    name: "text|null?",
  },
  short_usage: {
    input: "count?",
    cached_input: "count?",
    cache_write: "count?",
    output: "count?",
    reasoning: "count?",
  },
  finding: {
    title: "text|null",
    body: "text|null",
    priority: "number|null",
    severity: "text|null?",
    confidence: "number|null",
    path: "text|null",
    start_line: "integer|null",
    end_line: "integer|null",
  },
  review: {
    findings: "finding[]",
    overall_correctness: "text|null",
    overall_explanation: "text|null",
    overall_confidence: "number|null?",
  },
  touched_file: { path: "text", operation: "operation" },
  tokens: {
    /** Uncached input only: no cache reads, no cache writes. */
    input_tokens: "count",
    cached_input_tokens: "count",
    cache_write_tokens: "count",
    /** The part of `cache_write_tokens` cached for an hour, which has its own price. */
    cache_write_1h_tokens: "count",
    /** Includes reasoning. */
    output_tokens: "count",
    reasoning_tokens: "count",
  },
  model_tokens: {
    /** Null in a total that is not split by model. */
    model: "text|null",
    "+": "tokens",
  },
} as const;

/** What every record has beside its body. */
export const ENVELOPE = {
  schema_version: "version",
  /** 0, 1, 2 … without gaps. */
  seq: "count",
  /** ISO 8601 UTC with milliseconds; null when the native record has no usable time. */
  time: "time|null",
  session_id: "id",
  origin: "origin",
  /** The turn that owns the record; absent on setup and session-level records. */
  turn_id: "id?",
} as const;

/** The bodies of records, by type. */
export const BODIES = {
  session_meta: {
    source: "id",
    kind: "session_kind",
    cwd: "text|null",
    started_at: "text|null",
    agent_version: "text|null",
    originator: "text|null?",
    provider: "text|null?",
    model: "text|null?",
    title: "text|null?",
    parent: "session_ref|null?",
    /** Native id of the parent's turn that caused this session, where the agent records it. */
    parent_turn_id: "text|null?",
    role: "text|null?",
    forked_from: "text|null?",
    /** The last `seq` of the log it was forked from that is part of its history; absent where the history was copied. */
    forked_at: "count?",
    /** Position, in the session it was forked from, of the first record that is not part of its history. */
    forked_before: "count?",
    /** The session this log was made from, for example by an export. When both are read, this one is not counted. */
    copy_of: "session_ref|null?",
    git: "git|null?",
    /** False when the file has no header and none of this is stated in it. */
    stated: "flag?",
  },
  context: {
    native_turn_id: "text|null?",
    model: "text|null?",
    effort: "text|null?",
    approval_policy: "text|null?",
    sandbox: "text|null?",
    network: "flag|null?",
    /** Places that the sandbox would allow by default but that are excluded, in the agent's words. */
    sandbox_excludes: "text[]|null?",
    /** How the model's reasoning is summarised. */
    reasoning_summary: "text|null?",
    /** Size of the model's context window in tokens. */
    context_window: "number|null?",
    cwd: "text|null?",
    git: "git|null?",
    agent_version: "text|null?",
    sources: "context_source[]?",
    rate_limits: "rate_limits|null?",
  },
  user: {
    author: "author",
    text: "text",
    native_turn_id: "text|null?",
    /** Only on messages with `author: "human"` that ask an agent to act. */
    kind: "trigger_kind?",
    entry: "trigger_entry?",
    /** Number of images, documents and audio files sent with the text. */
    attachments: "count?",
    /** Those attachments whose bytes were stored. */
    attached: "attachment[]?",
    /** The agent always writes a record when a turn ends, so a turn without one was cut off. */
    ends_stated: "flag?",
    /**
     * The request whose conversation this one continues, if that is not the request before it: a session may be open in
     * several windows at once, and a human may return to an earlier point. Null: none. Native line of that request.
     */
    follows_line: "count|null?",
    /** The same in a log: the id of the turn. */
    follows: "text|null?",
    /** How it answers the plan that the agent showed before it, see `PlanAnswer`. */
    plan_answer: "plan_answer?",
  },
  assistant_started: { native_turn_id: "text|null?", message_id: "text|null?", model: "text|null?" },
  assistant_finished: {
    native_turn_id: "text|null?",
    message_id: "text|null?",
    model: "text|null?",
    text: "text",
    finish_reason: "text|null?",
    /** True on the record that ends the turn normally. */
    turn_ended: "flag?",
    /**
     * Whether the response went on after this text. Absent if that is not known: as the last text of a session it counts
     * as the answer unless other turns have a stated end. False for agents that do not state every end.
     */
    unfinished: "flag?",
    duration_ms: "number|null?",
    review: "review|null?",
    /** A plan that the human was asked to approve, where the agent asks without calling a tool. */
    plan: "text|null?",
    /** The provider's id of the request. */
    request_id: "text|null?",
    /** Usage, for writers that state it here instead of in a `usage` record. */
    usage: "short_usage?",
  },
  reasoning_finished: { text: "text" },
  tool_started: {
    call_id: "id",
    name: "text",
    input: "any",
    native_turn_id: "text|null?",
    /** The call inside which this one ran, for example for a command started by a script tool. */
    parent_call_id: "text|null?",
  },
  tool_finished: {
    call_id: "id",
    status: "tool_status",
    exit_code: "integer|null",
    duration_ms: "number|null",
    /** Text of the result; `truncated` when it was cut. */
    output: "text|null?",
    /** The result as structured data; `output` is its text. */
    structured: "any?",
    truncated: "flag?",
    /** The call never ran, although nobody denied it. */
    skipped: "flag?",
    attached: "attachment[]?",
    error: "text|null?",
    files: "touched_file[]?",
  },
  usage: {
    /** Identity of the model response, equal in every copy. Of several `counted` with the same id, the largest counts. */
    response_id: "id",
    model: "text|null",
    native_turn_id: "text|null?",
    verdict: "verdict",
    /** The response was cut off: these numbers were stated before it ended. */
    cut: "flag?",
    /** For usage that has no native record: the rule that derived it from a total that the agent states. */
    reason: "text?",
    /** The provider's id of the request. */
    request_id: "text|null?",
    "+": "tokens",
  },
  usage_total: {
    /** Names the running count. An agent that restarts from zero, for example on resume, starts another counter. */
    counter: "text",
    /** The total includes sessions caused by this one. */
    includes_children: "flag",
    /**
     * The total is written with every response, so it is complete and any difference is an error. False when a process
     * keeps it in memory and may be killed before writing it.
     */
    exact: "flag",
    models: "model_tokens[]",
    /** The part spent by other sessions: the counter of a fork starts with that of its origin. */
    inherited: "tokens?",
    /**
     * Names the rule by which the excess of this total over the recorded responses counts as usage of the session that
     * belongs to no turn: the agent is known to make requests without writing records. The total excludes responses that
     * were cut off.
     */
    unwritten: "text?",
    /** When the counter started, ISO 8601 UTC; it excludes everything before. */
    since: "text?",
    /** Total run time of the processes that kept the counter. */
    elapsed_ms: "number?",
  },
  compacted: {
    trigger: "compacted_by",
    summary: "text|null?",
    /** User messages that were kept verbatim and occur nowhere else in the file. */
    retained: "text[]?",
  },
  child_linked: {
    child: "session_ref",
    relation: "relation",
    phase: "phase",
    role: "text|null?",
    call_id: "text|null?",
  },
  cancelled: {
    reason: "cancelled_because",
    native_turn_id: "text|null?",
    duration_ms: "number|null?",
    /**
     * The client found the turn without an end when it opened the session: it was cut off, unless it still runs in another
     * window.
     */
    assumed: "flag?",
    /** `rolled_back`: number of turns, counted from the newest. */
    turns: "count?",
    /** `rewound`: every turn whose trigger is at or after this native line. */
    from_line: "count?",
    /** `rewound`: every turn whose trigger is at or after this `seq` of the log. */
    from_seq: "count?",
    /** `rewound`: this turn and every later one. */
    from_turn: "id?",
  },
  failed: {
    message: "text",
    code: "text|null?",
    native_turn_id: "text|null?",
    /** False when the agent continued on its own (a retried request). */
    turn_ended: "flag",
  },
  session_renamed: {
    title: "text|null",
    /** Who chose the title; a human's wins over a generated one, and the latest of equal rank wins. */
    by: "named_by",
  },
  session_archived: { archived: "flag" },
  unknown: { native_type: "text" },
  unreadable: { reason: "text", bytes: "count", hint: "text" },
} as const;

export type Choices = typeof CHOICES;
export type Objects = typeof OBJECTS;

/** The words of a choice. */
export type Choice<Name extends keyof Choices> = Choices[Name][number];

/** The type of a field of this kind. */
export type ValueOfKind<Kind> = Kind extends `${infer Given}?`
  ? ValueOfKind<Given>
  : Kind extends `${infer Known}|null`
    ? ValueOfKind<Known> | null
    : Kind extends `${infer One}[]`
      ? ValueOfKind<One>[]
      : Kind extends keyof Scalars
        ? Scalars[Kind]
        : Kind extends keyof Choices
          ? Choice<Kind>
          : Kind extends keyof NamedObjects
            ? NamedObjects[Kind]
            : Kind extends keyof Objects
              ? ObjectOf<Objects[Kind]>
              : never;

/** The type of an object with these fields. */
export type ObjectOf<Fields> = Flat<RequiredFields<AllFields<Fields>> & OptionalFields<AllFields<Fields>>>;

export type AllFields<Fields> = Fields extends { readonly "+": infer More extends keyof Objects }
  ? Fields & Objects[More]
  : Fields;

export type RequiredFields<Fields> = {
  -readonly [
    Name in keyof Fields as Name extends "+" ? never : Fields[Name] extends `${string}?` ? never : Name
  ]: ValueOfKind<Fields[Name]>;
};

export type OptionalFields<Fields> = {
  -readonly [Name in keyof Fields as Fields[Name] extends `${string}?` ? Name : never]?: ValueOfKind<Fields[Name]>;
};

/** One object type instead of several. */
export type Flat<T> = { [Name in keyof T]: T[Name] };

/** A kind, taken apart. */
export interface FieldKind {
  /** One of `Scalars`, `CHOICES` or `OBJECTS`. */
  base: string;
  isList: boolean;
  orNull: boolean;
  isOptional: boolean;
}

function parseKind(kind: string): FieldKind {
  const [, base = "", list, orNull, optional] = /^(\w+)(\[\])?(\|null)?(\?)?$/.exec(kind) ?? [];
  return { base, isList: list !== undefined, orNull: orNull !== undefined, isOptional: optional !== undefined };
}

/** The fields of a table with those it includes, in order. */
export function fieldsOf(table: Readonly<Record<string, string>>): [name: string, kind: FieldKind][] {
  return Object.entries(table).flatMap(([name, kind]): [string, FieldKind][] =>
    name === "+" ? fieldsOf(OBJECTS[kind as keyof Objects]) : [[name, parseKind(kind)]],
  );
}
