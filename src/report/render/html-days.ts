import type { DayReport } from "../model.ts";
import { markup, type Markup } from "./markup.ts";
import { excerpt } from "./phrases.ts";
import { dayRows, percent, projectShares, rowParts, shareParts, trend } from "./over-days.ts";

/**
 * Overview of a span of several days: the comparison with the days before, and bars for days and projects. Null for a
 * single day.
 */
export function daysSection(report: DayReport): Markup | null {
  const change = trend(report);
  if (change === null || report.totals.turns === 0) return null;
  const { by, rows } = projectShares(report);
  const days = dayRows(report).map((row) => line(row.name, row.share, rowParts(row)));
  const shares = rows.map((row) =>
    line(excerpt(row.project.project, 1, 40), row.share, [percent(row.share), ...shareParts(row)]),
  );
  return markup`<section class="days">
    <p class="facts">${change.against}: ${change.parts.join(" · ")}</p>
    <div><div><h2>Days</h2>
    ${days}</div>
    <div><h2>Projects <small>by ${by}</small></h2>
    ${shares}</div></div>
  </section> `;
}

function line(name: string, share: number, parts: readonly string[]): Markup {
  const width = `${Math.round(share * 1000) / 10}%`;
  return markup`<div class="row"><span>${name}</span><svg height="10" aria-hidden="true"><rect class="share" width="${width}" height="10" rx="2"/></svg><span>${parts.filter(Boolean).join(" · ")}</span></div> `;
}
