import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import * as openInference from "@arizeai/openinference-semantic-conventions";
import * as openTelemetry from "@opentelemetry/semantic-conventions/incubating";

/** Attribute names in OpenTelemetry's own package that are not deprecated. */
export function openTelemetryNames(): ReadonlySet<string> {
  const old = deprecatedNames();
  return new Set(
    Object.entries(openTelemetry).flatMap(([constant, name]) =>
      constant.startsWith("ATTR_") && typeof name === "string" && !old.has(constant) ? [name] : [],
    ),
  );
}

/** The values that the package lists for an attribute, by the prefix of their constants. */
export function openTelemetryValues(prefix: string): ReadonlySet<unknown> {
  return new Set(
    Object.entries(openTelemetry).flatMap(([constant, value]) => (constant.startsWith(prefix) ? [value] : [])),
  );
}

/** Deprecations are only in the comments of the type declarations. */
function deprecatedNames(): ReadonlySet<string> {
  const main = createRequire(import.meta.url).resolve("@opentelemetry/semantic-conventions/incubating");
  const types = readFileSync(join(dirname(main), "experimental_attributes.d.ts"), "utf8");
  const old = [...types.matchAll(/\/\*\*((?:(?!\*\/)[^])*)\*\/\s*export declare const (\w+)/g)];
  return new Set(old.flatMap(([, comment = "", constant = ""]) => (comment.includes("@deprecated") ? [constant] : [])));
}

/** For lists, OpenInference's package has the name of the list and the names of its members' fields. */
const LISTS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(llm\.output_messages)\.\d+\./, /^message\./],
  [/^(message\.contents)\.\d+\./, /^message_content\./],
  [/^(message\.tool_calls)\.\d+\./, /^tool_call\./],
];

/** Whether OpenInference's own package has an attribute, or each part of the name of a flattened list element. */
export function isOpenInferenceName(name: string): boolean {
  const known = new Set<unknown>(Object.values(openInference.SemanticConventions));
  for (const [list, member] of LISTS) {
    const found = list.exec(name);
    if (found)
      return (
        known.has(found[1]) &&
        member.test(name.slice(found[0].length)) &&
        isOpenInferenceName(name.slice(found[0].length))
      );
  }
  return known.has(name);
}

export const SPAN_KINDS: ReadonlySet<unknown> = new Set(Object.values(openInference.OpenInferenceSpanKind));
export const PROVIDERS: ReadonlySet<unknown> = new Set(Object.values(openInference.LLMProvider));
export const MIME_TYPES: ReadonlySet<unknown> = new Set(Object.values(openInference.MimeType));
