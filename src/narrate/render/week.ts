import type { DatedCitation, WeeklyReport } from "../../answers/narrative.ts";
import { markup, type Content, type Markup } from "../../report/render/markup.ts";
import { renderPage } from "../../report/render/page.ts";
import { NARRATIVE_STYLE } from "./html.ts";
import { anchorOf, literal } from "./markdown.ts";

const NO_THREADS = "No supported threads of work.";

function titleOf({ since, until }: WeeklyReport): string {
  return `Daybook Narrative — ${since} to ${until}`;
}

/** Several days as Markdown: their threads, and a link to each day. */
export function renderWeek(report: WeeklyReport): string {
  const threads = report.threads.map(
    ({ text, citations, confidence }) => `- ${literal(text)} (${confidence}) ${links(citations)}`,
  );
  const blocks = [
    `# ${literal(titleOf(report))}`,
    ...(report.title ? [`**${literal(report.title.text)}** ${links(report.title.citations)}`] : []),
    "## Threads",
    threads.length === 0 ? `- ${NO_THREADS}` : threads.join("\n"),
    "## Days",
    ...report.days.flatMap(({ report_date, title, work, left_out, report: path }) => [
      `### [${report_date}](${path})${title === null ? "" : ` ${literal(title)}`}`,
      [...work.map((one) => `- ${literal(one)}`), ...(left_out > 0 ? [`- Left out: ${left_out} turns`] : [])].join(
        "\n",
      ) || "- No material work.",
    ]),
  ];
  return `${blocks.join("\n\n")}\n`;
}

export function renderWeekHtml(report: WeeklyReport): string {
  const title = titleOf(report);
  const body: Content[] = [
    markup`<header><h1>${title}</h1>${report.title ? markup`<p class="story"><b>${report.title.text}</b> ${linked(report.title.citations)}</p>` : null}</header>`,
    markup`<section><h2>Threads</h2><div class="story"><ul>${
      report.threads.length === 0
        ? markup`<li>${NO_THREADS}</li>`
        : report.threads.map(
            ({ text, citations, confidence }) =>
              markup`<li>${text} <span class="sub">(${confidence})</span> ${linked(citations)}</li>`,
          )
    }</ul></div></section>`,
    markup`<section><h2>Days</h2><div class="story">${report.days.map(
      ({ report_date, title: name, work, left_out }) =>
        markup`<h3><a href="../${report_date}/report.html">${report_date}</a> ${name}</h3><ul>${work.map((one) => markup`<li>${one}</li>`)}${left_out > 0 ? markup`<li>Left out: ${left_out} turns</li>` : null}</ul>`,
    )}</div></section>`,
  ];
  const footer = "Written by an agent, every statement checked by Daybook against the records it cites.";
  return renderPage(title, NARRATIVE_STYLE, body, footer);
}

function linked(citations: readonly DatedCitation[]): Markup[] {
  return citations.map(
    (one) => markup`<a class="cite" href="../${one.report_date}/report.html#${anchorOf(one)}">[${nameOf(one)}]</a> `,
  );
}

function nameOf({ report_date, session_ref, turn_ref }: DatedCitation): string {
  return `${report_date} ${session_ref}/${turn_ref}`;
}

function links(citations: readonly DatedCitation[]): string {
  return citations
    .map((one) => `[\\[${literal(nameOf(one))}\\]](../${one.report_date}/report.md#${anchorOf(one)})`)
    .join(" ");
}
