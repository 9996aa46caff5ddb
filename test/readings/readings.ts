import { openSources } from "../../src/book/reading/library.ts";
import { sourceOf } from "../../src/book/reading/read-file.ts";
import type { Entry, SourceRef } from "../../src/agents/contract.ts";

export function refsIn(source: string, root: string): readonly SourceRef[] {
  const { refs } = openSources({ roots: { [source]: [root] }, env: {}, home: "/nowhere" });
  return refs.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Every entry of a file and its records, one line each; then unknown types and fields, and what `quickUsage` finds. */
export function readingsOf(ref: SourceRef, root: string): string[] {
  const source = sourceOf(ref);
  const reading = source.read(ref, null, { detail: "full", identities: true });
  const lines = [...reading].flatMap((entry) => [headOf(entry), ...entry.records.map((body) => `    ${tidy(body)}`)]);
  const { unknownTypes, unknownFields } = reading.drift();
  const quick: string[] = [];
  const whole = source.quickUsage?.(ref, {}, (usage, time) => quick.push(`${time} ${tidy(usage)}`));
  return [
    `# ${ref.path.slice(root.length + 1)}`,
    ...lines,
    ...Object.entries({ ...unknownTypes, ...unknownFields }).map(([name, count]) => `  drift: ${name} ${count}`),
    ...(whole === undefined || whole === null ? [] : [`  quick: ${whole}`, ...quick.map((line) => `    ${line}`)]),
  ];
}

function headOf(entry: Entry): string {
  const { line, class: cls, native, reason, time, turnId, tentative } = entry;
  const turn = turnId === undefined ? "" : ` turn ${turnId}`;
  return `${line} ${cls} ${native} by ${reason} at ${time}${turn}${tentative ? " tentative" : ""}`;
}

/** A record as JSON, with its fields sorted by name. */
function tidy(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

/** The number of entries of each shape over all files, without what differs from record to record. */
export function censusOf(refs: Iterable<SourceRef>): string[] {
  const counts = new Map<string, number>();
  for (const ref of refs) {
    for (const entry of sourceOf(ref).read(ref, null, { detail: "full" })) {
      const { class: cls, native, reason, tentative, records } = entry;
      const shapes = records.map((body) => tidy(shapeOf(body, ""))).join(" ");
      const key = `${cls}${tentative ? "?" : ""} ${native} by ${reason} ${shapes}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return [...counts].map(([key, count]) => `${key} × ${count}`).toSorted();
}

/** Keeps words of a fixed vocabulary; of other strings only whether they are empty, of numbers only their sign. */
function shapeOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0], name)];
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shapeOf(each, key)]));
  if (typeof value === "number") return name === "exit_code" ? value : Math.sign(value);
  if (typeof value === "string" && !VOCABULARY_FIELDS.has(name)) return value === "" ? "" : "…";
  return value;
}

const VOCABULARY_FIELDS: ReadonlySet<string> = new Set([
  "type",
  "status",
  "verdict",
  "kind",
  "entry",
  "author",
  "trigger",
  "operation",
  "phase",
  "relation",
  "reason",
  "name",
  "by",
  "native_type",
  "finish_reason",
  "code",
  "scope",
  "choice",
  "decision",
  "approval_policy",
  "source",
]);
