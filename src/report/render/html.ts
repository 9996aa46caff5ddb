import { duration, plural, short } from "../../text/units.ts";
import type { DayReport, ProjectReport, ReportTurn } from "../model.ts";
import { tokensOf } from "../sums.ts";
import { markup, type Content, type Markup } from "./markup.ts";
import {
  childParts,
  commitText,
  excerpt,
  FIELD,
  kindLabel,
  looseText,
  LOOSE_END,
  noHitParts,
  OUTCOME_MARK,
  PROBLEM_MARK,
  parted,
  problemEnd,
  shortDay,
  shownAs,
  shownPath,
  spanTitle,
  totalCost,
  totalParts,
  turnParts,
  whyUnproven,
  wordsOf,
} from "./phrases.ts";
import { page } from "./page.ts";
import { STYLE } from "./style.ts";
import { timeline } from "./timeline.ts";
import { usageCard } from "./usage-bars.ts";

/** The report as one page. */
export function renderHtml(report: DayReport): string {
  const title = spanTitle(report.span);
  const sections: Content[] = [
    header(report, title),
    looseEnds(report),
    carriedOver(report),
    drawing(report),
    report.projects.map((project, i) => projectSection(parted(project), i, report.span.kind !== "day")),
    automatedSection(report),
    decisions(report),
    changes(report),
    usageCard(report),
    diagnostics(report),
  ];
  const footer = markup`Made by Daybook from the agents' own session files. A citation such as <code>S0001/T0002:12-40</code> names session, turn and lines; <code>daybook show PROJECT/S0001/T0002${report.span.kind === "day" ? ` --date ${report.span.since}` : ` --since ${report.span.since} --until ${report.span.until}`}</code> opens it.`;
  return page(title, STYLE, sections, footer);
}

function anchorOf(project: number, turn: Pick<ReportTurn, "session_ref" | "turn_ref">): string {
  return `p${project + 1}-${turn.session_ref}-${turn.turn_ref}`;
}

function header({ span, totals }: DayReport, title: string): Markup {
  const notes = [span.timezone, ...(span.hours % 24 === 0 ? [] : [`${span.hours} hours`])].join(" · ");
  const partial = span.status === "partial" ? markup` <span class="partial">partial: not over yet</span>` : null;
  const { outcomes, tools } = totals;
  const unfinished = some([
    [outcomes.aborted, "aborted"],
    [outcomes.failed, "failed"],
    [outcomes.open, "open"],
    [totals.unproven, "without success"],
  ]);
  const bad = some([
    [tools.failed, "failed"],
    [tools.denied, "denied"],
    [tools.interrupted, "interrupted"],
    [tools.pending, "pending"],
  ]);
  return markup`<header>
    <h1>${title}</h1>
    <p class="sub">${notes}${partial}</p>
    <dl class="tiles">
      ${tile("Turns", String(totals.turns), unfinished === "" ? "all completed" : unfinished)}${tile("Agents at work", duration(totals.duration_ms), plural(totals.projects, "project"))}${tile("Tools", String(tools.total), [bad, ...noHitParts(tools)].filter(Boolean).join(", "))}${tile("Files changed", String(totals.files_changed), totals.commits > 0 ? plural(totals.commits, "commit") : "")}${tile("Tokens", short(tokensOf(totals.usage)), totals.children > 0 ? plural(totals.children, "sub-agent") : "")}${tile("Cost", totalCost(totals), totals.usage.unpriced_models.length > 0 ? `no price: ${totals.usage.unpriced_models.join(", ")}` : "")}
    </dl>
  </header> `;
}

function tile(name: string, value: string, note: string): Markup {
  return markup`<div>
      <dt>${name}</dt>
      <dd>${value}${note === "" ? null : markup`<small>${note}</small>`}</dd>
    </div> `;
}

/** The counts that are not zero, in words. */
function some(parts: readonly (readonly [number, string])[]): string {
  return parts.flatMap(([n, what]) => (n > 0 ? [`${n} ${what}`] : [])).join(", ");
}

function drawing(report: DayReport): Content {
  const drawn = timeline(report, anchorOf);
  if (drawn === null) return markup`<p class="card">No turns.</p> `;
  const all = new Set(report.projects.flatMap((project) => project.turns.map(shownAs)));
  const shown = (["completed", "unproven", "aborted", "failed", "open"] as const).filter((o) => all.has(o));
  const legend = shown.map(
    (o) => markup`<span><i class="mark ${o}"></i>${o === "unproven" ? "without success" : o}</span>`,
  );
  return markup`<section class="card" aria-label="Timeline">
    ${drawn}
    <p class="legend">${legend}</p>
  </section> `;
}

function projectSection({ human: project, automated }: Parted, index: number, dated: boolean): Markup | null {
  if (project.turns.length === 0 && automated.turns.length > 0) return null;
  const other = tokensOf(project.other_usage);
  return markup`<section>
    <h2>${project.project}</h2>
    <p class="facts">${totalParts(project.totals).join(" · ")}</p>
    ${turnList(project, index, dated)}
    ${other > 0 ? markup`<p class="facts">${short(other)} tokens were asked for by no turn of these.</p>` : null}
  </section> `;
}

type Parted = ReturnType<typeof parted>;

function turnList({ turns, sessions }: ProjectReport, index: number, dated: boolean): Markup {
  const list = sessions.map(
    ({ session_ref, source, session_id, title }) =>
      markup`<li>
        <code>${session_ref}</code> ${source}
        <code>${session_id}</code>${title === null ? null : ` · ${excerpt(title, 1, 120)}`}
      </li> `,
  );
  return markup`<ol class="turns">
      ${turns.map((turn) => turnItem(turn, anchorOf(index, turn), dated))}
    </ol>
    <ul class="sessions">
      ${list}
    </ul>`;
}

/** What programs asked for, apart from what people did. */
function automatedSection(report: DayReport): Markup | null {
  const lists = report.projects.flatMap((project, i) => {
    const { automated } = parted(project);
    if (automated.turns.length === 0) return [];
    return [
      markup`<p class="facts">${project.project}</p>
    ${turnList(automated, i, report.span.kind !== "day")}
    `,
    ];
  });
  if (lists.length === 0) return null;
  return markup`<section>
    <h2>Automated</h2>
    ${lists}
  </section> `;
}

function turnItem(turn: ReportTurn, anchor: string, dated: boolean): Markup {
  const kind = kindLabel(turn);
  const tag = kind === null ? null : markup`<span class="kind">${kind}</span>`;
  const day = dated ? markup`<small>${shortDay(turn.local_time.slice(0, 10))}</small>` : null;
  const files = turn.files.map(
    (file, i) => markup`${i > 0 ? ", " : ""}<code>${excerpt(shownPath(file.path, turn.cwd), 1, 200)}</code>`,
  );
  const notes = [
    ...turn.tool_problems.map((p) =>
      note(
        "bad",
        PROBLEM_MARK[p.status],
        markup`${p.name} <code>${excerpt(p.about, 2, 200)}</code> (${problemEnd(p)})`,
      ),
    ),
    ...(files.length > 0 ? [note("file", "±", files)] : []),
    ...turn.commits.map((commit) => note("commit", "●", excerpt(commitText(commit), 1, 200))),
    ...turn.children.map((child) => note("child", "↳", childParts(child).join(" · "))),
  ];
  return markup`<li class="turn" id="${anchor}">
    <div class="when">
      <span class="clock">${turn.local_time.slice(11, 16)} <span class="mark ${shownAs(turn)}" title="${shownAs(turn) === "unproven" ? whyUnproven(turn) : shownAs(turn)}">${OUTCOME_MARK[shownAs(turn)]}</span></span>${day}<small>${turn.source}</small>
    </div>
    <div class="body">
      <blockquote class="words">${tag}${excerpt(wordsOf(turn), 8, 900)}</blockquote>
      ${turn.result ? markup`<p class="result">${withCode(excerpt(turn.result.text, 2, 420))}</p>` : null}
      <p class="facts">${turnParts(turn).join(" · ")} · <a class="cite" href="#${anchor}">${turn.citation}</a></p>
      ${
        notes.length > 0
          ? markup`<ul class="notes">
              ${notes}
            </ul> `
          : null
      }
    </div>
  </li> `;
}

function note(cls: string, mark: string, text: Content): Markup {
  return markup`<li class="${cls}"><b>${mark}</b>${text}</li> `;
}

/** A titled card with one item per line of the report; nothing when there is nothing to tell. */
function listCard(title: string, items: readonly Markup[], none: string | null = null): Markup | null {
  if (items.length === 0 && none === null) return null;
  const list =
    items.length === 0
      ? markup`<p>${none}</p>`
      : markup`<ul class="list">
          ${items}
        </ul>`;
  return markup`<section>
    <h2>${title}</h2>
    <div class="card">${list}</div>
  </section> `;
}

/** A citation that opens its turn on this page. */
function cite(report: DayReport, at: { project: string; citation: string; turn_ref: string }): Markup {
  const index = report.projects.findIndex((project) => project.project === at.project);
  const session_ref = at.citation.slice(0, at.citation.indexOf("/"));
  return markup`<a class="cite" href="#${anchorOf(index, { session_ref, turn_ref: at.turn_ref })}">${at.citation}</a>`;
}

/** One thing told, and where it comes from. */
function item(html: Markup, from: Markup): Markup {
  return markup`<li>${html}<br><span class="from">${from}</span></li>
`;
}

/** Agents put code between backticks; the page shows it as code. */
function withCode(text: string): Content {
  return text
    .split(/(`[^`\n]{1,200}`)/)
    .map((part, i) => (i % 2 === 1 ? markup`<code>${part.slice(1, -1)}</code>` : part));
}

function decisions(report: DayReport): Markup | null {
  const items = report.decisions.map((decision) => {
    const { project, title, choice, answered } = decision;
    const answer = answered ? (choice ?? "answered in other words") : "not answered";
    const html = markup`${withCode(excerpt(title, 3, 300))} → <span class="tag">${excerpt(answer, 2, 200)}</span>`;
    return item(html, markup`${project} · ${cite(report, decision)}`);
  });
  return listCard("Decisions", items);
}

function looseEnds(report: DayReport): Markup | null {
  const items = report.loose_ends.map((end) => {
    const html = markup`<span class="tag">${LOOSE_END[end.kind]}</span>: ${withCode(excerpt(looseText(end), 3, 300))}`;
    return item(html, markup`${end.project} · ${cite(report, end)}`);
  });
  return listCard("Loose ends", items, report.totals.turns > 0 ? "None." : null);
}

/** Their turns are not on this page: the citation is of another day. */
function carriedOver(report: DayReport): Markup | null {
  const items = report.carried_over.map((end) => {
    const html = markup`<span class="tag">${LOOSE_END[end.kind]}</span>: ${withCode(excerpt(looseText(end), 3, 300))}`;
    return item(html, markup`${shortDay(end.day)} · ${end.project} · <span class="cite">${end.citation}</span>`);
  });
  return listCard("Still open from earlier days", items);
}

function changes(report: DayReport): Markup | null {
  const items = report.changes.map((change) => {
    const [from, to] = [excerpt(change.from, 1, 80), excerpt(change.to, 1, 80)];
    const html = markup`${FIELD[change.field] ?? change.field}: <code>${from}</code> → <code>${to}</code>`;
    return item(html, markup`${change.project} · ${cite(report, change)}`);
  });
  return listCard("Changes of model, approval and sandbox", items);
}

function diagnostics({ diagnostics: list }: DayReport): Markup | null {
  const items = list.map(({ code, message, path, line, count }) => {
    const place = path === null ? "" : `${path}${line === null ? "" : `:${line}`}`;
    const html = markup`${count > 1 ? `${count} × ` : ""}${excerpt(message, 2, 300)}`;
    return item(html, markup`${code} <code>${place}</code>`);
  });
  return listCard("Diagnostics", items);
}
