import { z } from "zod";

/**
 * OTLP/JSON of traces, restated from `opentelemetry/proto/trace/v1/trace.proto` and `common/v1/common.proto` of opentelemetry-proto 1.11
 * and the rules of its `docs/specification.md`: lowerCamelCase, ids in hexadecimal, enums as integers, 64-bit integers as decimal strings.
 */
const decimal = z.string().regex(/^-?\d+$/);
const value = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ intValue: decimal }),
  z.strictObject({ doubleValue: z.number() }),
  z.strictObject({ arrayValue: z.strictObject({ values: z.array(z.strictObject({ stringValue: z.string() })) }) }),
]);
const attributes = z
  .array(z.strictObject({ key: z.string().min(1), value }))
  .refine((all) => new Set(all.map(({ key }) => key)).size === all.length, "a key twice");
const span = z
  .strictObject({
    ...{ traceId: z.string().regex(/^[0-9a-f]{32}$/), spanId: z.string().regex(/^[0-9a-f]{16}$/) },
    ...{
      parentSpanId: z
        .string()
        .regex(/^[0-9a-f]{16}$/)
        .optional(),
      name: z.string().min(1),
    },
    ...{
      kind: z.union([z.literal(1), z.literal(3)]),
      startTimeUnixNano: decimal,
      endTimeUnixNano: decimal,
      attributes,
    },
    status: z.strictObject({ code: z.number().int().min(0).max(2).optional(), message: z.string().optional() }),
  })
  .refine((one) => BigInt(one.endTimeUnixNano) >= BigInt(one.startTimeUnixNano), "it ends before it begins");
const scope = z.strictObject({ name: z.string(), version: z.string() });

const traces = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes }),
      scopeSpans: z.array(z.strictObject({ scope, spans: z.array(span) })),
    }),
  ),
});

/** As much of a span as is looked at. */
export interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string | undefined;
  name: string;
  attributes: { key: string; value: object }[];
}

export function spansIn(text: string): OtlpSpan[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line) => traces.parse(JSON.parse(line)).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

/** Attributes by name, as texts. */
export function attributesOf({ attributes: all }: OtlpSpan): Record<string, string> {
  return Object.fromEntries(all.map(({ key, value: one }) => [key, String(Object.values(one)[0])]));
}
