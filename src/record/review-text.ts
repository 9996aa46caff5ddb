import type { AssistantFinishedBody, Review, ReviewFinding } from "./record.ts";

/** Everything an answer says: its text, and a review that is recorded as data beside it. */
export function saidIn({ text, review }: Pick<AssistantFinishedBody, "text" | "review">): string {
  if (!review) return text;
  const explained = review.overall_explanation?.trim() ?? "";
  // Agents repeat the explanation as the text of the answer, or leave the text to the message that follows.
  const parts = [text, text.includes(explained) ? "" : explained, reviewText(review)];
  return parts.filter((part) => part.trim() !== "").join("\n\n");
}

/** The verdict, then each finding with its place, its severity and its words. */
function reviewText(review: Review): string {
  return [verdictOf(review), ...review.findings.map((finding) => `- ${findingText(finding)}`)].join("\n");
}

export function verdictOf({
  overall_correctness,
  overall_confidence = null,
  findings,
}: Omit<Review, "overall_explanation">): string {
  const sure = overall_confidence === null ? "" : ` (confidence ${overall_confidence})`;
  const count =
    findings.length === 0 ? "no findings" : findings.length === 1 ? "1 finding" : `${findings.length} findings`;
  return `Review: ${overall_correctness === null ? "" : `${overall_correctness}${sure}, `}${count}`;
}

function findingText(finding: ReviewFinding): string {
  const { title, body } = finding;
  const words = [title, body].filter((part) => part !== null && part.trim() !== "").join("\n  ");
  return [...placeAndRank(finding), words].filter((part) => part !== "").join(" · ");
}

/** `src/a.ts:12-14`, and how grave it is in the reviewer's words; whichever of them is stated. */
export function placeAndRank(finding: ReviewFinding, shownPath: (path: string) => string = (path) => path): string[] {
  const { path, start_line: start, end_line: end } = finding;
  const lines = start === null ? "" : `:${start}${end === null || end === start ? "" : `-${end}`}`;
  const rank = rankOf(finding);
  return [...(path === null ? [] : [`${shownPath(path)}${lines}`]), ...(rank === null ? [] : [rank])];
}

/** Null if the title says it already, as in `[P1] …`. */
function rankOf({ severity = null, priority, title }: ReviewFinding): string | null {
  if (severity !== null) return severity;
  if (priority === null || title?.includes(`P${priority}`)) return null;
  return `P${priority}`;
}
