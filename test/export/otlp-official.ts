import { isDeepStrictEqual } from "node:util";
import generated from "@opentelemetry/otlp-transformer/build/src/generated/root.js";

/** The used part of what protobufjs generates for a message type. */
interface MessageType {
  fromObject: (object: object) => object;
  verify: (message: object) => string | null;
  encode: (message: object) => { finish: () => Uint8Array };
  decode: (bytes: Uint8Array) => object;
  toObject: (message: object, options: { longs: StringConstructor }) => unknown;
}

/**
 * The protocol as OpenTelemetry publishes it: code made of opentelemetry-proto's own files. 0.215 is one of the last of its packages that
 * holds the code for traces; its types leave the content out.
 */
const { opentelemetry } = generated as unknown as {
  opentelemetry: { proto: { collector: { trace: { v1: { ExportTraceServiceRequest: MessageType } } } } };
};
const { ExportTraceServiceRequest } = opentelemetry.proto.collector.trace.v1;

/** The fields of a span that tests read. */
export interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string | undefined;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  status: { code?: number; message?: string };
}

export interface OtlpMessage {
  resourceSpans: {
    resource: { attributes: OtlpSpan["attributes"] };
    scopeSpans: { scope: { name: string; version: string }; spans: OtlpSpan[] }[];
  }[];
}

/**
 * A message as the protocol reads it: encoded to its bytes, decoded, and written again by the rules of OTLP/JSON (names in
 * lowerCamelCase, ids in hexadecimal, enums as integers, 64-bit integers as decimal strings). A message that follows the rules comes
 * back unchanged; an unknown field, the name of an enum or a number out of range comes back changed, or not at all.
 */
export function throughProtocol(message: OtlpMessage): unknown {
  const taken = ExportTraceServiceRequest.fromObject(withIds(message, bytesOf));
  const wrong = ExportTraceServiceRequest.verify(taken);
  if (wrong !== null) throw new Error(wrong);
  const bytes = ExportTraceServiceRequest.encode(taken).finish();
  const read = ExportTraceServiceRequest.toObject(ExportTraceServiceRequest.decode(bytes), { longs: String });
  return withIds(read as OtlpMessage, (id) => Buffer.from(id as unknown as Uint8Array).toString("hex"));
}

export function isByProtocol(message: OtlpMessage): boolean {
  return isDeepStrictEqual(throughProtocol(message), message);
}

/** Converts the ids, which are bytes in the protocol: other JSON encodings of protobuf would use base64. */
function withIds(message: OtlpMessage, change: (id: string) => unknown): Record<string, unknown> {
  const { resourceSpans } = message;
  return {
    ...message,
    resourceSpans: resourceSpans.map((resource) => ({
      ...resource,
      scopeSpans: resource.scopeSpans.map((scope) => ({
        ...scope,
        spans: scope.spans.map(({ traceId, spanId, parentSpanId, ...span }) => ({
          traceId: change(traceId),
          spanId: change(spanId),
          ...span,
          ...(parentSpanId === undefined ? {} : { parentSpanId: change(parentSpanId) }),
        })),
      })),
    })),
  };
}

function bytesOf(hex: string): Uint8Array {
  if (!/^(?:[0-9a-f]{2})+$/.test(hex)) throw new Error(`no hexadecimal id: ${hex}`);
  return new Uint8Array(Buffer.from(hex, "hex"));
}

export function messagesIn(text: string): OtlpMessage[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as OtlpMessage);
}

export function spansOf(messages: readonly OtlpMessage[]): OtlpSpan[] {
  return messages.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  );
}

export function spansIn(text: string): OtlpSpan[] {
  return spansOf(messagesIn(text));
}

/** Attributes by name, as strings. */
export function attributesOf({ attributes: all }: OtlpSpan): Record<string, string> {
  return Object.fromEntries(all.map(({ key, value: one }) => [key, String(Object.values(one)[0])]));
}
