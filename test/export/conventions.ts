import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import * as openInference from "@arizeai/openinference-semantic-conventions";
import * as openTelemetry from "@opentelemetry/semantic-conventions/incubating";

/** Names of attributes that OpenTelemetry's own package knows and does not advise against. */
export function openTelemetryNames(): ReadonlySet<string> {
  const old = advisedAgainst();
  return new Set(
    Object.entries(openTelemetry).flatMap(([constant, name]) =>
      constant.startsWith("ATTR_") && typeof name === "string" && !old.has(constant) ? [name] : [],
    ),
  );
}

/** Values it lists for an attribute, by the beginning of their constants. */
export function openTelemetryValues(prefix: string): ReadonlySet<unknown> {
  return new Set(
    Object.entries(openTelemetry).flatMap(([constant, value]) => (constant.startsWith(prefix) ? [value] : [])),
  );
}

/** Said in comments alone. */
function advisedAgainst(): ReadonlySet<string> {
  const main = createRequire(import.meta.url).resolve("@opentelemetry/semantic-conventions/incubating");
  const types = readFileSync(join(dirname(main), "experimental_attributes.d.ts"), "utf8");
  const old = [...types.matchAll(/\/\*\*((?:(?!\*\/)[^])*)\*\/\s*export declare const (\w+)/g)];
  return new Set(old.flatMap(([, comment = "", constant = ""]) => (comment.includes("@deprecated") ? [constant] : [])));
}

/** Of lists its package has the names of the list and of a member's fields. */
const LISTS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(llm\.output_messages)\.\d+\./, /^message\./],
  [/^(message\.contents)\.\d+\./, /^message_content\./],
  [/^(message\.tool_calls)\.\d+\./, /^tool_call\./],
];

/** Whether OpenInference's own package knows an attribute, or each part of a flat list's. */
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
