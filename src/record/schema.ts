import * as z from "zod";
import { SCHEMA_VERSION } from "./record.ts";
import type { LogRecord, RecordBody, RecordEnvelope, RecordType } from "./record.ts";
import { TIME } from "./shape.ts";
import { DEFAULTS, ENVELOPE_DEFAULTS, expandShortForms, SHORT_TIME, SOURCE_DEFAULTS } from "./short-forms.ts";
import { unknownFields } from "./unknown-fields.ts";

/**
 * The types of `record.ts` as runtime schemas. Only this module of the format loads zod; fast readers use the light
 * check of `shape.ts` instead.
 */
const count = z.int().min(0);
const text = z.string().nullable();
const optionalText = z.exactOptional(text);
const optionalNumber = z.exactOptional(z.number().nullable());

const sessionRef = z.object({ source: z.string().min(1), session_id: z.string().min(1) });

const git = z.object({
  commit: optionalText,
  branch: optionalText,
  remote: optionalText,
  ghost_commit: optionalText,
  ghost_parent: optionalText,
  untracked_files: z.exactOptional(z.array(z.string())),
  untracked_dirs: z.exactOptional(z.array(z.string())),
});

const rateLimitWindow = z.object({
  used_percent: z.number(),
  window_minutes: z.number().nullable(),
  resets_at: text,
});

const rateLimits = z.object({
  limit_id: optionalText,
  plan: optionalText,
  primary: z.exactOptional(rateLimitWindow.nullable()),
  secondary: z.exactOptional(rateLimitWindow.nullable()),
  credits: z.exactOptional(z.object({ has_credits: z.boolean(), unlimited: z.boolean(), balance: text }).nullable()),
});

const contextSource = z.object({
  kind: z.string(),
  path: text,
  hash: text,
  truncated: z.boolean(),
  scope: optionalText,
  error: optionalText,
});

const attachment = z.object({
  hash: z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in hexadecimal"),
  media_type: z.string().min(1),
  bytes: count,
  name: optionalText,
});

const shortUsage = z.object({
  input: z.exactOptional(count),
  cached_input: z.exactOptional(count),
  cache_write: z.exactOptional(count),
  output: z.exactOptional(count),
  reasoning: z.exactOptional(count),
});

const finding = z.object({
  title: text,
  body: text,
  priority: z.number().nullable(),
  severity: optionalText,
  confidence: z.number().nullable(),
  path: text,
  start_line: z.int().nullable(),
  end_line: z.int().nullable(),
});

const review = z.object({
  findings: z.array(finding),
  overall_correctness: text,
  overall_explanation: text,
  overall_confidence: optionalNumber,
});

const tokens = {
  input_tokens: count,
  cached_input_tokens: count,
  cache_write_tokens: count,
  cache_write_1h_tokens: count,
  output_tokens: count,
  reasoning_tokens: count,
};

const envelope = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  seq: count,
  time: z.string().regex(TIME, "must be ISO 8601 UTC with milliseconds").nullable(),
  session_id: z.string().min(1),
  origin: z.object({
    line: z.exactOptional(z.int().min(1)),
    row: z.exactOptional(z.int().min(1)),
    path: z.exactOptional(z.string().min(1)),
  }),
  turn_id: z.exactOptional(z.string().min(1)),
});

const bodies = {
  session_meta: z.object({
    type: z.literal("session_meta"),
    source: z.string().min(1),
    kind: z.enum(["root", "subagent", "companion", "review", "internal"]),
    cwd: text,
    started_at: text,
    agent_version: text,
    originator: optionalText,
    provider: optionalText,
    model: optionalText,
    title: optionalText,
    parent: z.exactOptional(sessionRef.nullable()),
    parent_turn_id: optionalText,
    role: optionalText,
    forked_from: optionalText,
    forked_at: z.exactOptional(count),
    forked_before: z.exactOptional(count),
    copy_of: z.exactOptional(sessionRef.nullable()),
    git: z.exactOptional(git.nullable()),
    stated: z.exactOptional(z.boolean()),
  }),
  context: z.object({
    type: z.literal("context"),
    native_turn_id: optionalText,
    model: optionalText,
    effort: optionalText,
    approval_policy: optionalText,
    sandbox: optionalText,
    network: z.exactOptional(z.boolean().nullable()),
    sandbox_excludes: z.exactOptional(z.array(z.string()).nullable()),
    reasoning_summary: optionalText,
    context_window: optionalNumber,
    cwd: optionalText,
    git: z.exactOptional(git.nullable()),
    agent_version: optionalText,
    sources: z.exactOptional(z.array(contextSource)),
    rate_limits: z.exactOptional(rateLimits.nullable()),
  }),
  user: z.object({
    type: z.literal("user"),
    author: z.enum(["human", "source", "agent"]),
    text: z.string(),
    native_turn_id: optionalText,
    kind: z.exactOptional(z.enum(["prompt", "command", "shell", "queued", "answer"])),
    entry: z.exactOptional(z.enum(["interactive", "headless", "sdk", "ide", "automated", "unknown"])),
    attachments: z.exactOptional(count),
    attached: z.exactOptional(z.array(attachment)),
    ends_stated: z.exactOptional(z.boolean()),
    follows_line: z.exactOptional(count.nullable()),
    follows: optionalText,
    plan_answer: z.exactOptional(z.enum(["approved", "refused", "unclear"])),
  }),
  assistant_started: z.object({
    type: z.literal("assistant_started"),
    native_turn_id: optionalText,
    message_id: optionalText,
    model: optionalText,
  }),
  assistant_finished: z.object({
    type: z.literal("assistant_finished"),
    native_turn_id: optionalText,
    message_id: optionalText,
    model: optionalText,
    text: z.string(),
    finish_reason: optionalText,
    turn_ended: z.exactOptional(z.boolean()),
    unfinished: z.exactOptional(z.boolean()),
    duration_ms: optionalNumber,
    review: z.exactOptional(review.nullable()),
    plan: optionalText,
    request_id: optionalText,
    usage: z.exactOptional(shortUsage),
  }),
  reasoning_finished: z.object({ type: z.literal("reasoning_finished"), text: z.string() }),
  tool_started: z.object({
    type: z.literal("tool_started"),
    call_id: z.string().min(1),
    name: z.string(),
    input: z.unknown(),
    native_turn_id: optionalText,
    parent_call_id: optionalText,
  }),
  tool_finished: z.object({
    type: z.literal("tool_finished"),
    call_id: z.string().min(1),
    status: z.enum(["ok", "failed", "interrupted", "denied", "pending"]),
    exit_code: z.int().nullable(),
    duration_ms: z.number().nullable(),
    output: optionalText,
    structured: z.exactOptional(z.unknown()),
    truncated: z.exactOptional(z.boolean()),
    skipped: z.exactOptional(z.boolean()),
    attached: z.exactOptional(z.array(attachment)),
    error: optionalText,
    files: z.exactOptional(
      z.array(z.object({ path: z.string(), operation: z.enum(["created", "modified", "deleted", "renamed"]) })),
    ),
  }),
  usage: z.object({
    type: z.literal("usage"),
    response_id: z.string().min(1),
    model: text,
    native_turn_id: optionalText,
    verdict: z.enum(["counted", "duplicate", "estimate", "inherited"]),
    cut: z.exactOptional(z.boolean()),
    reason: z.exactOptional(z.string()),
    request_id: optionalText,
    ...tokens,
  }),
  usage_total: z.object({
    type: z.literal("usage_total"),
    counter: z.string(),
    includes_children: z.boolean(),
    exact: z.boolean(),
    models: z.array(z.object({ model: text, ...tokens })),
    inherited: z.exactOptional(z.object(tokens)),
    unwritten: z.exactOptional(z.string()),
    since: z.exactOptional(z.string()),
    elapsed_ms: z.exactOptional(z.number()),
  }),
  compacted: z.object({
    type: z.literal("compacted"),
    trigger: z.enum(["manual", "auto", "unknown"]),
    summary: optionalText,
    retained: z.exactOptional(z.array(z.string())),
  }),
  child_linked: z.object({
    type: z.literal("child_linked"),
    child: sessionRef,
    relation: z.enum(["subagent", "companion", "review", "fork"]),
    phase: z.enum(["spawned", "returned"]),
    role: optionalText,
    call_id: optionalText,
  }),
  cancelled: z.object({
    type: z.literal("cancelled"),
    reason: z.enum(["interrupted", "replaced", "review_ended", "budget_limited", "rolled_back", "rewound", "unknown"]),
    native_turn_id: optionalText,
    duration_ms: optionalNumber,
    assumed: z.exactOptional(z.boolean()),
    turns: z.exactOptional(count),
    from_line: z.exactOptional(count),
    from_seq: z.exactOptional(count),
    from_turn: z.exactOptional(z.string().min(1)),
  }),
  failed: z.object({
    type: z.literal("failed"),
    message: z.string(),
    code: optionalText,
    native_turn_id: optionalText,
    turn_ended: z.boolean(),
  }),
  session_renamed: z.object({ type: z.literal("session_renamed"), title: text, by: z.enum(["human", "agent"]) }),
  session_archived: z.object({ type: z.literal("session_archived"), archived: z.boolean() }),
  unknown: z.object({ type: z.literal("unknown"), native_type: z.string() }),
  unreadable: z.object({ type: z.literal("unreadable"), reason: z.string(), bytes: count, hint: z.string() }),
};

/** True only when both types are identical, including optional and readonly modifiers. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the two functions exist to compare A with B
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type BodyOf<T extends RecordType> = Extract<RecordBody, { type: T }>;

// Fails to compile when `record.ts` and the schemas differ; the key names the record type.
const AGREES: { readonly [T in RecordType]: Same<z.infer<(typeof bodies)[T]>, BodyOf<T>> } & {
  readonly envelope: Same<z.infer<typeof envelope>, RecordEnvelope>;
} = {
  envelope: true,
  session_meta: true,
  context: true,
  user: true,
  assistant_started: true,
  assistant_finished: true,
  reasoning_finished: true,
  tool_started: true,
  tool_finished: true,
  usage: true,
  usage_total: true,
  compacted: true,
  child_linked: true,
  cancelled: true,
  failed: true,
  session_renamed: true,
  session_archived: true,
  unknown: true,
  unreadable: true,
};

export const RECORD_TYPES: readonly RecordType[] = Object.keys(AGREES).filter(isRecordType);

function isRecordType(type: unknown): type is RecordType {
  return typeof type === "string" && Object.hasOwn(bodies, type);
}

const records: ReadonlyMap<RecordType, z.ZodObject> = new Map(
  RECORD_TYPES.map((type) => [type, z.object({ ...envelope.shape, ...bodies[type].shape })]),
);

export interface FieldProblem {
  /** A path such as `usage.input_tokens`; empty for the record as a whole. */
  field: string;
  message: string;
}

export type ParseResult =
  /** `notes` name fields that this version does not know; they stay in `record`. */
  { ok: true; record: LogRecord; notes: FieldProblem[] } | { ok: false; problems: FieldProblem[] };

/**
 * Fully checks one parsed log line. Expands short forms; fields of later versions are kept. `session`: the id from the
 * header of the log, for lines that leave it out.
 */
export function parseRecord(line: unknown, session: string | null = null): ParseResult {
  if (typeof line !== "object" || line === null || Array.isArray(line)) return wrong("", "must be a JSON object");
  const value = expandShortForms(line as Record<string, unknown>, session);
  const result = checkRecord(value);
  if (!result.ok) return result;
  const notes = unknownFields(value, result.known).map((field) => ({ field, message: "is not known to this version" }));
  return { ok: true, record: value as unknown as LogRecord, notes };
}

/** The problems of a record whose short forms were expanded; empty when it is valid. */
export function problemsOf(record: Record<string, unknown>): FieldProblem[] {
  const result = checkRecord(record);
  return result.ok ? [] : result.problems;
}

/** `known`: the value without the fields that the schema does not know. */
function checkRecord(
  value: Record<string, unknown>,
): { ok: true; known: unknown } | { ok: false; problems: FieldProblem[] } {
  const { type, schema_version: version } = value as { type?: unknown; schema_version?: unknown };
  if (version !== SCHEMA_VERSION) {
    return wrong("schema_version", `must be ${SCHEMA_VERSION}, this library knows no other version`);
  }
  const schema = isRecordType(type) ? records.get(type) : undefined;
  if (!schema) return wrong("type", `is not one of ${RECORD_TYPES.join(", ")}`);
  const result = schema.safeParse(value);
  if (!result.success) {
    return {
      ok: false,
      problems: result.error.issues.map(({ path, message }) => ({ field: path.join("."), message })),
    };
  }
  return { ok: true, known: result.data };
}

function wrong(field: string, message: string): { ok: false; problems: FieldProblem[] } {
  return { ok: false, problems: [{ field, message }] };
}

/**
 * JSON Schema 2020-12 of one log line: of every line that is accepted, or of the full form that `LogWriter` writes and
 * answers contain. Unknown fields are allowed, as the format requires.
 */
export function recordJsonSchema(form: "accepted" | "full" = "accepted"): Record<string, unknown> {
  const defs: Record<string, unknown> = {};
  for (const [type, schema] of records) {
    const { $schema: _, ...def } = z.toJSONSchema(schema, { io: "input", override: dropSafeBounds });
    defs[type] = form === "full" ? def : allowShortForms(type, def);
  }
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `urn:agent-daybook:schema:record:v${SCHEMA_VERSION}`,
    title: "One line of a Daybook canonical session log",
    oneOf: RECORD_TYPES.map((type) => ({ $ref: `#/$defs/${type}` })),
    $defs: defs,
  };
}

interface JsonObject {
  required?: string[];
  pattern?: string;
  anyOf?: JsonObject[];
  properties?: Record<string, JsonObject & { enum?: unknown[]; items?: JsonObject }>;
}

/** Makes the published schema accept short forms too (`short-forms.ts`). */
function allowShortForms(type: RecordType, def: unknown): unknown {
  const object = def as JsonObject;
  makeOptional(object, ENVELOPE_DEFAULTS);
  makeOptional(object, DEFAULTS.get(type) ?? {});
  // One line cannot tell what the header says, so the schema can only require the id there.
  if (type !== "session_meta") makeOptional(object, { session_id: null });
  const { sources, status, output, time } = object.properties ?? {};
  for (const one of time?.anyOf ?? []) if (one.pattern !== undefined) one.pattern = SHORT_TIME.source;
  if (type === "context" && sources?.items) makeOptional(sources.items, SOURCE_DEFAULTS);
  if (type === "tool_finished" && object.properties && status && output) {
    status.enum?.push("skipped");
    object.properties["output"] = {};
  }
  return object;
}

function makeOptional(object: JsonObject, defaults: Readonly<Record<string, unknown>>): void {
  if (object.required) object.required = object.required.filter((field) => !Object.hasOwn(defaults, field));
}

/** Removes the bounds of safe integers, which are not part of the format. */
function dropSafeBounds({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}
