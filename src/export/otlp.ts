import { createHash } from "node:crypto";
import { VERSION } from "../base/version.ts";
import { unicodeJson } from "./format.ts";

/** The attribute types that are used. */
export type AttributeValue = string | number | bigint | boolean | Double;
export type Attributes = Readonly<Record<string, AttributeValue | null | undefined>>;

/** A floating-point number. */
export interface Double {
  double: number;
}

/**
 * Marks a number as double even if it is whole: an attribute must have values of one type, or column stores reject
 * it.
 */
export function double(value: number): Double {
  return { double: value };
}

/** A span before it is serialized. */
export interface Span {
  trace: string;
  id: string;
  parent: string | null;
  name: string;
  kind: "internal" | "client";
  /** In ms. */
  start: number;
  end: number;
  attributes: Attributes;
  /** The error, in a few words. */
  error: string | null;
}

/** OTLP/JSON writes enums as numbers. */
const KINDS = { internal: 1, client: 3 } as const;
const FAILED = 2;

/** One OTLP/JSON message: the spans of one resource. */
export function tracesMessage(resource: Attributes, spans: readonly Span[]): string {
  const scope = { name: "agent-daybook", version: VERSION };
  const scopeSpans = [{ scope, spans: spans.map(spanJson) }];
  return unicodeJson({ resourceSpans: [{ resource: { attributes: attributesJson(resource) }, scopeSpans }] });
}

function spanJson({ trace, id, parent, name, kind, start, end, attributes, error }: Span): object {
  return {
    traceId: trace,
    spanId: id,
    ...(parent === null ? {} : { parentSpanId: parent }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanos(start),
    endTimeUnixNano: nanos(Math.max(start, end)),
    attributes: attributesJson(attributes),
    status: error === null ? {} : { code: FAILED, message: error },
  };
}

function attributesJson(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === null || value === undefined || isBeyond(value) ? [] : [{ key, value: valueJson(value) }],
  );
}

/** Sessions may state any number; a count beyond 64 bits is left out. */
function isBeyond(value: AttributeValue): boolean {
  return typeof value === "number" && !(Math.abs(value) < 2 ** 63);
}

function valueJson(value: AttributeValue): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "object") return { doubleValue: value.double };
  // A 64-bit integer does not fit into a JSON number.
  return { intValue: String(typeof value === "bigint" ? value : Math.round(value)) };
}

/** The protocol has 64 bits for nanoseconds since 1970; sessions may state times outside that range. */
const LAST = 18_446_744_073_709;

function nanos(ms: number): string {
  return String(BigInt(Math.min(Math.max(0, Math.round(ms)), LAST)) * 1_000_000n);
}

/** Derived from the name, so that the same span has the same id in every export. */
export function traceId(name: string): string {
  return hash(`trace ${name}`, 32);
}

export function spanId(name: string): string {
  return hash(`span ${name}`, 16);
}

function hash(text: string, digits: number): string {
  return createHash("sha256").update(text).digest("hex").slice(0, digits);
}
