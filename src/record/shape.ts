import { isObject } from "../base/io/json.ts";
import { BODIES, ENVELOPE, fieldsOf, type FieldKind } from "./fields.ts";
import { SCHEMA_VERSION } from "./record.ts";

type Kind = "string" | "string|null" | "number" | "number|null" | "boolean" | "any" | "ref" | "list";

/** How a field is checked that may not be left out; null where it is not. */
function requiredKind({ base, isList, orNull, isOptional }: FieldKind): Kind | null {
  if (isOptional) return null;
  if (isList) return "list";
  if (base === "session_ref") return "ref";
  if (base === "flag") return "boolean";
  if (base === "any") return "any";
  const isNumber = base === "number" || base === "integer" || base === "count";
  const kind = isNumber ? "number" : "string";
  return orNull ? `${kind}|null` : kind;
}

/**
 * A check cheap enough for every line read or written: the envelope and the required fields of each type. Records that
 * pass can be replayed safely; words of choices and optional fields are checked by `schema.ts`.
 */
const FIELDS: ReadonlyMap<string, readonly (readonly [string, Kind])[]> = new Map(
  Object.entries(BODIES).map(([type, table]) => [
    type,
    fieldsOf(table).flatMap(([name, field]): [string, Kind][] => {
      const kind = requiredKind(field);
      return kind === null ? [] : [[name, kind]];
    }),
  ]),
);

const KIND_NAME: { readonly [K in Kind]?: string } = { ref: "a session", list: "a list" };

/** Every time that matches is one that `Date.parse` understands. */
export const TIME: RegExp =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** Fields of the envelope, which a body must not contain. */
export const ENVELOPE_FIELDS: readonly string[] = Object.keys(ENVELOPE);

export interface ShapeProblem {
  code: "record_invalid" | "type_unknown" | "version_unsupported";
  message: string;
}

/** The position that a line states for itself, usable even when its body is not. */
export interface RecordPlace {
  schema_version: number;
  seq: number;
  session_id: string;
}

export function recordPlaceOf(value: unknown): RecordPlace | null {
  if (!isObject(value)) return null;
  const { schema_version, seq, session_id } = value;
  if (typeof schema_version !== "number" || !isCount(seq)) return null;
  if (typeof session_id !== "string" || session_id === "") return null;
  return { schema_version, seq, session_id };
}

/** Null when the value is a valid record of this version. */
export function shapeProblem(value: unknown): ShapeProblem | null {
  if (!isObject(value)) return invalid("is not a JSON object");
  const version = value["schema_version"];
  if (typeof version !== "number") return invalid("schema_version is missing");
  if (version !== SCHEMA_VERSION) {
    return {
      code: "version_unsupported",
      message: `schema_version ${version} is not known to this version of Daybook`,
    };
  }
  if (!isCount(value["seq"])) return invalid("seq must be 0 or a positive integer");
  if (!isOfKind(value["session_id"], "string") || value["session_id"] === "") return invalid("session_id is missing");
  const time = value["time"];
  if (time !== null && !(typeof time === "string" && TIME.test(time))) {
    return invalid("time must be ISO 8601 UTC with milliseconds, or null");
  }
  if (!isObject(value["origin"])) return invalid("origin must be an object");
  const turn = value["turn_id"];
  if (turn !== undefined && (typeof turn !== "string" || turn === "")) return invalid("turn_id must be a string");
  const type = value["type"];
  if (typeof type !== "string") return invalid("type is missing");
  const fields = FIELDS.get(type);
  if (!fields) return { code: "type_unknown", message: `type "${type.slice(0, 64)}" is not known to this version` };
  for (const [field, kind] of fields) {
    if (!isOfKind(value[field], kind)) return invalid(`${type}.${field} must be ${KIND_NAME[kind] ?? kind}`);
  }
  return null;
}

function isOfKind(value: unknown, kind: Kind): boolean {
  switch (kind) {
    case "string":
    case "boolean":
      return typeof value === kind;
    case "number":
      return Number.isFinite(value);
    case "string|null":
      return value === null || typeof value === "string";
    case "number|null":
      return value === null || Number.isFinite(value);
    case "any":
      return value !== undefined;
    case "list":
      return Array.isArray(value);
    case "ref":
      return isObject(value) && typeof value["source"] === "string" && typeof value["session_id"] === "string";
  }
}

function invalid(message: string): ShapeProblem {
  return { code: "record_invalid", message };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
