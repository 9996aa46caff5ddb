import type { UsageBody } from "../../record/record.ts";

const AMOUNT = String.raw`([\d.,]+k?)`;
const REPORT = new RegExp(
  `^Tokens: ${AMOUNT} sent(?:, ${AMOUNT} cache write)?(?:, ${AMOUNT} cache hit)?, ${AMOUNT} received`,
);
/** The form used by the first versions. */
const OLD_REPORT = new RegExp(`^${AMOUNT} prompt tokens, ${AMOUNT} completion tokens`);

/** `1,497`, `2.3k`, `20k`: later versions round numbers from a thousand on. */
function amount(text: string | undefined): number {
  if (text === undefined) return 0;
  const n = Number(text.replaceAll(",", "").replace(/k$/, ""));
  if (!Number.isFinite(n)) return 0;
  return Math.round(text.endsWith("k") ? n * 1000 : n);
}

export function isReport(body: string): boolean {
  return REPORT.test(body) || OLD_REPORT.test(body);
}

/** The usage Aider printed for one message. */
export function usageOf(body: string, responseId: string, model: string | null): UsageBody | null {
  const report = REPORT.exec(body);
  const old = OLD_REPORT.exec(body);
  if (!report && !old) return null;
  const sent = amount(report ? report[1] : old?.[1]);
  const written = amount(report?.[2]);
  const hit = amount(report?.[3]);
  return {
    type: "usage",
    response_id: responseId,
    model,
    verdict: "counted",
    input_tokens: Math.max(0, sent - written - (sentIncludesHits(model, written) ? hit : 0)),
    cached_input_tokens: hit,
    cache_write_tokens: written,
    cache_write_1h_tokens: 0,
    output_tokens: amount(report ? report[4] : old?.[2]),
    reasoning_tokens: 0,
  };
}

/** Anthropic's `sent` includes cache writes but not cache reads; that of other providers includes both. */
function sentIncludesHits(model: string | null, written: number): boolean {
  return written === 0 && !/claude|anthropic/i.test(model ?? "");
}
