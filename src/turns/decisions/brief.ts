import { createHash } from "node:crypto";

export interface Option {
  letter: string;
  label: string;
  recommended: boolean;
}

/** A question an agent wrote in prose, in the form gstack tells agents to use. */
export interface Brief {
  tier: "marker" | "pattern";
  /** `3.2` of `D3.2 — …`, by which a reply may name the brief; null if the text has only a marker. */
  ref: string | null;
  marker: string | null;
  title: string;
  options: Option[];
  recommended: string | null;
}

/** Length of a title in the question log. */
export const SUMMARY_LENGTH = 200;
// Agents' text is untrusted: nothing beyond these limits is examined, so no text makes the patterns below expensive.
const LONGEST_LINE = 1000;
const MOST_LINES = 20_000;
const MOST_BRIEFS = 50;

const MARKER = /<gstack-qid:([a-z0-9-]{1,64})>/i;
const MARKERS = /<gstack-qid:[a-z0-9-]{1,64}>/gi;
const HEADER = /^D(\d{1,4}(?:\.(?:\d{1,4}|final|revise-\d{1,4})){0,3})[*_]{0,3}(\s*)(—|–|-{1,2})(\s*)(\S.*)$/i;
const OPTION = /^\(?([A-Z])\)[*_]{0,3}\s*(\S.*)$/;
const LOOSE_OPTION = /^([A-Z])(?:[*_]{0,3}[.:][*_]{0,3}|[*_]{0,3}\s[—–-])\s+(\S.*)$/;
const RECOMMENDED = /\s*[([]recommended\b[^)\]]{0,80}[)\]][*_]{0,3}/i;
const RECOMMENDATION = /^recommendation[*_]{0,3}:[*_]{0,3}\s*(\S.*)$/i;

/** The briefs of one message, in order. */
export function briefsIn(text: string): Brief[] {
  if (!/gstack-qid|\bD\d/i.test(text)) return [];
  const lines = unfenced(text);
  const starts = lines.flatMap((line, i) => (headerOf(line) ? [i] : []));
  if (starts.length === 0) {
    const brief = parse(lines, null);
    return brief ? [brief] : [];
  }
  const briefs: Brief[] = [];
  const before = MARKER.exec(lines.slice(0, starts[0]).join("\n"))?.[1] ?? null;
  for (const [i, start] of starts.entries()) {
    if (briefs.length === MOST_BRIEFS) break;
    // A marker above the first header can only belong to it.
    const brief = parse(lines.slice(start, starts[i + 1]), i === 0 ? before : null);
    if (brief) briefs.push(brief);
  }
  return briefs;
}

/** The lines outside code blocks: a brief inside one is an example of a brief. An unclosed fence is ignored. */
function unfenced(text: string): string[] {
  const lines = text.split("\n", MOST_LINES).map((line) => line.slice(0, LONGEST_LINE).trim());
  const fences = lines.flatMap((line, i) => (/^(?:```|~~~)/.test(line) ? [i] : []));
  const fenced = new Set<number>();
  for (let i = 0; i + 1 < fences.length; i += 2) {
    for (let at = fences[i] ?? 0; at <= (fences[i + 1] ?? 0); at++) fenced.add(at);
  }
  return lines.filter((_, i) => !fenced.has(i));
}

/** The line without leading Markdown: quote, heading, list and emphasis marks. */
function withoutMarkdown(line: string): string {
  return line.replace(/^(?:[>#*_\s]|[-+]\s)+/, "");
}

function headerOf(line: string): { ref: string; title: string } | null {
  const match = HEADER.exec(withoutMarkdown(line));
  if (!match) return null;
  const [, ref = "", before = "", dash = "", after = "", rest = ""] = match;
  // `D2-5 of these are flaky` is a range, not a title.
  if (dash !== "—" && before === "" && after === "" && /^\d/.test(rest)) return null;
  return { ref: ref.toLowerCase(), title: clean(rest) };
}

function parse(lines: readonly string[], inherited: string | null): Brief | null {
  const header = headerOf(lines[0] ?? "");
  const marker = (MARKER.exec(lines.join("\n"))?.[1] ?? inherited)?.toLowerCase() ?? null;
  if (header === null && marker === null) return null;
  const found = optionsIn(lines);
  if (found.length === 0 && (marker === null || quotesMarker(lines))) return null;
  const { options, recommended } = findRecommendation(found, lines);
  const title = header?.title ?? lines.map(clean).find((line) => line !== "") ?? marker ?? "";
  return {
    tier: marker === null ? "pattern" : "marker",
    ref: header?.ref ?? null,
    marker,
    title: oneLine(title, SUMMARY_LENGTH),
    options,
    recommended,
  };
}

/** Text about markers quotes them as code; a real question has its marker unquoted. */
function quotesMarker(lines: readonly string[]): boolean {
  return lines.some((line) => /`[^`]{0,80}<gstack-qid:[^`]{0,80}`/i.test(line));
}

function clean(text: string): string {
  const plain = withoutMarkdown(text.replace(MARKERS, "")).trim();
  return plain.replace(/[*_]{1,3}$/, "").trim();
}

interface LetteredLabel {
  letter: string;
  /** As written, including a "(recommended)" suffix. */
  text: string;
}

function optionsIn(lines: readonly string[]): LetteredLabel[] {
  const strict = labelled(lines, OPTION);
  if (strict.length > 0) return strict;
  // `A. label` and `A — label` also begin sentences: only a list that starts with A counts.
  const loose = labelled(lines, LOOSE_OPTION);
  return loose.length > 1 && loose[0]?.letter === "A" ? loose : [];
}

/** Option letters only ascend: a repeated letter further down belongs to a discussion of the options. */
function labelled(lines: readonly string[], pattern: RegExp): LetteredLabel[] {
  const out: LetteredLabel[] = [];
  for (const line of lines) {
    const match = pattern.exec(withoutMarkdown(line));
    const [, letter = "", rest = ""] = match ?? [];
    const text = clean(rest);
    if (match && letter > (out.at(-1)?.letter ?? "") && stripRecommended(text) !== "") out.push({ letter, text });
  }
  return out;
}

export function stripRecommended(label: string): string {
  return label.slice(0, LONGEST_LINE).replace(RECOMMENDED, "").trim();
}

function isRecommended(label: string): boolean {
  return RECOMMENDED.test(label.slice(0, LONGEST_LINE));
}

/**
 * A single marked option is the recommendation; if none is marked, the `Recommendation:` line may name one; if several
 * are marked, there is none.
 */
export function findRecommendation(
  labels: readonly LetteredLabel[],
  lines: readonly string[],
): { options: Option[]; recommended: string | null } {
  const marked = labels.filter(({ text }) => isRecommended(text));
  const chosen = marked.length === 0 ? recommendedInText(labels, lines) : marked.length === 1 ? marked[0] : undefined;
  const options = labels.map((option) => ({
    letter: option.letter,
    label: oneLine(stripRecommended(option.text), SUMMARY_LENGTH),
    recommended: option === chosen,
  }));
  return { options, recommended: options.find((option) => option.recommended)?.label ?? null };
}

function recommendedInText(labels: readonly LetteredLabel[], lines: readonly string[]): LetteredLabel | undefined {
  for (const line of lines) {
    const stated = RECOMMENDATION.exec(withoutMarkdown(line.slice(0, LONGEST_LINE)))?.[1];
    if (stated === undefined) continue;
    const letter = /^(?:option\s+)?[("'`*_]{0,3}([A-Z])(?:[)"'`*_:.,]|\s+(?:because|—|–|-)|\s*$)/i.exec(stated)?.[1];
    const byLetter = labels.find((option) => option.letter === letter);
    if (byLetter) return byLetter;
    const wanted =
      stated
        .split(/\s+because\b/i)[0]
        ?.toLowerCase()
        .slice(0, 12)
        .trim() ?? "";
    const hits = labels.filter(({ text }) => wanted !== "" && text.toLowerCase().startsWith(wanted));
    return hits.length === 1 ? hits[0] : undefined;
  }
  return undefined;
}

export function markerIn(text: string): string | null {
  return MARKER.exec(text)?.[1]?.toLowerCase() ?? null;
}

/** Each marker is listed once. */
export function markersIn(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(MARKERS), ([marker]) => marker.toLowerCase()))];
}

export function withoutMarkers(text: string): string {
  return text.replace(MARKERS, "").trim();
}

/**
 * The id gstack gives a question without a marker: `hook-` and ten hex digits of a hash over skill, text and sorted
 * labels.
 */
export function hashId(skill: string, text: string, labels: readonly string[]): string {
  return `hook-${hashOf(`${skill}::${text}::${[...labels].sort().join("|")}`)}`;
}

export function hashOf(text: string): string {
  return createHash("sha1").update(text).digest("hex").slice(0, 10);
}

export function oneLine(text: string, most: number): string {
  return text
    .slice(0, most * 4)
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, most);
}
