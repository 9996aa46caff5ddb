import { groupDigits } from "../../text/units.ts";
import type { UsageView } from "../../answers/usage-sum.ts";
import type { DayReport } from "../model.ts";
import { markup, type Markup } from "./markup.ts";
import { balanceParts, cost, excerpt, totalCost } from "./phrases.ts";
import { totalTokens } from "../../format/tokens.ts";

/** Tokens and cost per project and per model, each with a bar of its kinds of tokens, and the balance below. */
export function usageCard(report: DayReport): Markup | null {
  const { projects, totals } = report;
  const most = Math.max(0, ...projects.map((p) => totalTokens(p.totals.usage)), ...totals.by_model.map(totalTokens));
  if (most === 0) return null;
  return markup`<section id="usage">
    <h2>Tokens and cost</h2>
    <div>
      <div class="scroll">
        <table>
          ${head("Project", true)}${projects.map((project) => row(project.project, project.totals.usage, most, totalCost(project.totals)))}${head("Model", false)}${totals.by_model.map((model) => row(model.model, model, most))}${row("Total", totals.usage, null, totalCost(totals), "total")}
        </table>
      </div>
      <p class="legend">
        <span><i class="in"></i>input</span><span><i class="read"></i>cache read</span>
        <span><i class="write"></i>cache write</span><span><i class="out"></i>output</span>
      </p>
      <p class="facts">${balance(report)}</p>
    </div>
  </section> `;
}

/** Projects and models share one table, so that their numbers align; the columns are named once. */
function head(of: string, named: boolean): Markup {
  const name = (column: string): string => (named ? column : "");
  return markup`<tr>
      <th>${of}</th>
      <th></th>
      <th class="wide">${name("input")}</th>
      <th class="wide">${name("cache read")}</th>
      <th class="wide">${name("cache write")}</th>
      <th>${name("output")}</th>
      <th>${name("cost")}</th>
    </tr> `;
}

function row(name: string, usage: UsageView, of: number | null, price = cost(usage), cls = ""): Markup {
  return markup`<tr class="${cls}">
      <td>${excerpt(name, 1, 60)}</td>
      <td class="share">${of === null ? null : bar(usage, of)}</td>
      <td class="wide">${groupDigits(usage.input_tokens)}</td>
      <td class="wide">${groupDigits(usage.cached_input_tokens)}</td>
      <td class="wide">${groupDigits(usage.cache_write_tokens)}</td>
      <td>${groupDigits(usage.output_tokens)}</td>
      <td>${price}</td>
    </tr> `;
}

function bar(usage: UsageView, of: number): Markup {
  const parts = [
    ["in", usage.input_tokens],
    ["read", usage.cached_input_tokens],
    ["write", usage.cache_write_tokens],
    ["out", usage.output_tokens],
  ] as const;
  let x = 0;
  const rects = parts.map(([cls, tokens]) => {
    const width = (tokens / of) * 100;
    const rect = markup`<rect class="${cls}" x="${percent(x)}" y="0" width="${percent(width)}" height="10" />`;
    x += width;
    return rect;
  });
  return markup`<svg width="100%" height="10" aria-hidden="true">${rects}</svg>`;
}

function balance({ balance: b }: DayReport): Markup {
  const { read, verdict } = balanceParts(b);
  const sum = `${groupDigits(b.turn_tokens)} tokens by turns + ${groupDigits(b.other_tokens)} by no turn = ${groupDigits(b.total_tokens)} · ${read} · `;
  if (b.balanced === null) return markup`${sum}${verdict}`;
  const shown = b.balanced
    ? markup`<span class="ok">${verdict}</span>`
    : markup`<span class="wrong">not balanced: ${(b.problems ?? []).join("; ")}</span>`;
  return markup`${sum}${shown}`;
}

function percent(value: number): string {
  return `${Math.round(value * 1000) / 1000}%`;
}
