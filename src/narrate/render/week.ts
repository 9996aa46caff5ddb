import type { DatedCitation, WeeklyReport } from "../../views/narrative.ts";
import { anchorOf, literal } from "./markdown.ts";
import { datedName, NO_THREADS, SAID, weekTitle } from "./words.ts";

/** Several days as Markdown: their threads, and a link to each day. */
export function renderWeek(report: WeeklyReport): string {
  const threads = report.threads.map(
    ({ text, citations, confidence }) => `- ${literal(text)} (${confidence}, ${SAID}) ${links(citations)}`,
  );
  const blocks = [
    `# ${literal(weekTitle(report))}`,
    ...(report.title ? [`**${literal(report.title.text)}** (${SAID}) ${links(report.title.citations)}`] : []),
    "## Threads",
    threads.length === 0 ? `- ${NO_THREADS}` : threads.join("\n"),
    "## Days",
    ...report.days.flatMap(({ report_date, title, work, left_out, report: path }) => [
      `### [${report_date}](${path})${title === null ? "" : ` ${literal(title)} (${SAID})`}`,
      [...work.map((one) => `- ${literal(one)}`), ...(left_out > 0 ? [`- Left out: ${left_out} requests`] : [])].join(
        "\n",
      ) || "- No material work.",
    ]),
  ];
  return `${blocks.join("\n\n")}\n`;
}

function links(citations: readonly DatedCitation[]): string {
  return citations
    .map((one) => `[\\[${literal(datedName(one))}\\]](../${one.report_date}/report.md#${anchorOf(one)})`)
    .join(" ");
}
