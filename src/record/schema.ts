import * as z from "zod";
import { SCHEMA_VERSION } from "./record.ts";
import { BODIES, CHOICES, ENVELOPE, fieldsOf, OBJECTS, type FieldKind, type Scalars } from "./fields.ts";
import type { LogRecord, RecordType } from "./record.ts";
import { DaybookError } from "../base/errors.ts";
import { TIME } from "./shape.ts";
import { DEFAULTS, ENVELOPE_DEFAULTS, expandShortForms, SHORT_TIME, SOURCE_DEFAULTS } from "./short-forms.ts";

/**
 * The tables of `fields.ts` as runtime schemas. Only this module of the format loads zod; fast readers use the light
 * check of `shape.ts` instead.
 */
const SCALARS: Readonly<Record<keyof Scalars, z.ZodType>> = {
  text: z.string(),
  id: z.string().min(1),
  number: z.number(),
  integer: z.int(),
  count: z.int().min(0),
  position: z.int().min(1),
  flag: z.boolean(),
  any: z.unknown(),
  time: z.string().regex(TIME, "must be ISO 8601 UTC with milliseconds"),
  hash: z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in hexadecimal"),
  version: z.literal(SCHEMA_VERSION),
};

const schemas = new Map<string, z.ZodType>([
  ...Object.entries(SCALARS),
  ...Object.entries(CHOICES).map(([name, words]): [string, z.ZodType] => [name, z.enum(words)]),
]);
// Each object comes after those it holds.
for (const [name, table] of Object.entries(OBJECTS)) schemas.set(name, z.object(shapeOf(table)));

function shapeOf(table: Readonly<Record<string, string>>): Record<string, z.ZodType> {
  return Object.fromEntries(fieldsOf(table).map(([name, kind]) => [name, schemaOf(kind)]));
}

function schemaOf({ base, isList, orNull, isOptional }: FieldKind): z.ZodType {
  const known = schemas.get(base);
  if (!known) throw new DaybookError(`fields.ts: no kind ${base}`, { code: "internal", op: "describe records" });
  const one = isList ? z.array(known) : known;
  const value = orNull ? one.nullable() : one;
  return isOptional ? z.exactOptional(value) : value;
}

export const RECORD_TYPES: readonly RecordType[] = Object.keys(BODIES).filter(isRecordType);

function isRecordType(type: unknown): type is RecordType {
  return typeof type === "string" && Object.hasOwn(BODIES, type);
}

const envelope = shapeOf(ENVELOPE);
const records: ReadonlyMap<RecordType, z.ZodObject> = new Map(
  RECORD_TYPES.map((type) => [type, z.object({ ...envelope, type: z.literal(type), ...shapeOf(BODIES[type]) })]),
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

/**
 * Paths in `value` that are missing in `known`, which is the same value after a schema removed unknown fields. Values
 * of unspecified shape (tool inputs) are the same object in both, so the walk stops there.
 */
function unknownFields(value: unknown, known: unknown, path = ""): string[] {
  if (value === known || typeof value !== "object" || value === null) return [];
  if (typeof known !== "object" || known === null) return [];
  const found: string[] = [];
  for (const [key, inner] of Object.entries(value)) {
    const at = path === "" ? key : `${path}.${key}`;
    if (!Object.hasOwn(known, key)) found.push(at);
    else found.push(...unknownFields(inner, (known as Record<string, unknown>)[key], at));
  }
  return found;
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
