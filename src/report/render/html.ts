import { marksInBrief } from "../../answers/marks.ts";
import { duration, plural, shortNumber } from "../../text/units.ts";
import type { FileEdit } from "../../sources/contract.ts";
import type { DayReport, LooseEnd, PlacedDecision, ReportTurn, Totals } from "../model.ts";
import { SCRIPT, filters } from "./filters.ts";
import { daysSection } from "./html-days.ts";
import { itemDetails, limitsFor, type ItemContext } from "./html-item.ts";
import { markup, type Content, type Markup } from "./markup.ts";
import {
  countParts,
  decisionWords,
  excerpt,
  FIELD,
  looseText,
  LOOSE_END,
  noHitParts,
  NOT_KNOWN,
  splitAutomated,
  shortDay,
  spanNotes,
  spanTitle,
  totalCost,
} from "./phrases.ts";
import { renderPage } from "./page.ts";
import { withCode } from "./prose.ts";
import { STYLE } from "./style.ts";
import { timeline } from "./timeline.ts";
import { usageCard } from "./usage-bars.ts";
import { itemsIn } from "./worth.ts";
import { totalTokens } from "../../format/tokens.ts";

/** Looks up what a turn's calls did to files. */
export type EditsOfTurn = (turn: Pick<ReportTurn, "source" | "session_id" | "turn_ref">) => readonly FileEdit[];

/**
 * The report as one page: loose ends and results at a glance, every turn a click away. `editsOf` (`Daybook.edits()`)
 * adds diffs of the changed files.
 */
export function renderHtml(report: DayReport, editsOf: EditsOfTurn = () => []): string {
  const title = spanTitle(report.span);
  const places = placesOf(report, editsOf);
  const cite = citing(report);
  const aside = [looseEnds(report, cite), carriedOver(report), decisions(report, cite)].filter((part) => part !== null);
  const body: Content[] = [
    header(report, title),
    contents(report),
    daysSection(report),
    timeline(report, anchorOf) ?? (report.totals.turns === 0 ? markup`<p>No turns.</p> ` : null),
    filters(report),
    markup`<div class="columns"><aside>${aside}</aside>
<div class="work">
${report.projects.map((_, i) => projectSection(report, places, i))}${automatedSection(report, places)}
</div></div>
`,
    usageCard(report),
    changes(report, cite),
    sessionList(report),
    diagnostics(report),
  ];
  const footer = markup`Made by Daybook from the agents' own session files. A time opens its turn on this page; <code>T0002:12-40</code> names turn and lines, and <code>daybook show PROJECT/S0001/T0002${report.span.kind === "day" ? ` --date ${report.span.since}` : ` --since ${report.span.since} --until ${report.span.until}`}</code> prints it.`;
  return renderPage(title, STYLE, body, footer, SCRIPT);
}

function anchorOf(project: number, turn: Pick<ReportTurn, "session_ref" | "turn_ref">): string {
  return `p${project + 1}-${turn.session_ref}-${turn.turn_ref}`;
}

function keyOf(project: string, session: string, turn: string): string {
  return JSON.stringify([project, session, turn]);
}

/** What rendering the items of each project needs from the whole report. */
function placesOf(report: DayReport, editsOf: EditsOfTurn): ItemContext[] {
  const room = limitsFor(report.totals.turns);
  const byTurn = new Map<string, PlacedDecision[]>();
  for (const decision of report.decisions) {
    const key = keyOf(decision.project, decision.session_id, decision.turn_ref);
    const known = byTurn.get(key);
    if (known) known.push(decision);
    else byTurn.set(key, [decision]);
  }
  return report.projects.map(({ project }, i) => ({
    project: i,
    dated: report.span.kind !== "day",
    room,
    anchorOf: (turn) => anchorOf(i, turn),
    decisionsOf: (turn) => byTurn.get(keyOf(project, turn.session_id, turn.turn_ref)) ?? [],
    editsOf,
  }));
}

function header(report: DayReport, title: string): Markup {
  const { span, totals } = report;
  const { outcomes, tools } = totals;
  const notes = spanNotes(span);
  const bad = nonZero([
    [totals.unproven ?? 0, "without success"],
    [outcomes.aborted, "stopped"],
    [outcomes.failed, "failed"],
    [outcomes.open, "not finished"],
  ]);
  const failed = nonZero([
    [tools.failed, "failed"],
    [tools.denied, "denied"],
    [tools.interrupted, "interrupted"],
    [tools.pending, "pending"],
  ]);
  const waiting = report.loose_ends?.length ?? 0;
  const unpriced = totals.usage.unpriced_models;
  const numbers = [
    number(String(totals.turns), totals.turns === 1 ? "turn" : "turns", bad === "" ? "all completed" : bad),
    number(duration(totals.duration_ms), "agents at work", plural(totals.projects, "project")),
    number(
      totals.commits === null ? "–" : String(totals.commits),
      totals.commits === 1 ? "commit" : "commits",
      totals.files_changed === null ? `files ${NOT_KNOWN}` : `${plural(totals.files_changed, "file")} changed`,
    ),
    number(
      String(tools.total),
      tools.total === 1 ? "tool call" : "tool calls",
      [failed, ...noHitParts(tools)].filter(Boolean).join(", "),
    ),
    number(
      totalCost(totals),
      `${shortNumber(totalTokens(totals.usage))} tokens`,
      unpriced.length > 0 ? `no price: ${unpriced.join(", ")}` : "",
    ),
    ...(waiting > 0 ? [number(String(waiting), waiting === 1 ? "loose end" : "loose ends", "", "waits")] : []),
  ];
  return markup`<header>
    <h1>${title}</h1>
    <p class="sub">${notes.slice(0, -1).join(" · ")} · <span class="${span.status}">${notes.at(-1) ?? ""}</span></p>
    <dl class="numbers">${totals.turns === 0 ? null : numbers}</dl>
  </header> `;
}

function number(value: string, name: string, note: string, cls = ""): Markup {
  return markup`<div class="${cls}"><dd>${value}</dd><dt>${name}${note === "" ? null : markup`<small>${note}</small>`}</dt></div> `;
}

/** The counts that are not zero, in words. */
function nonZero(parts: readonly (readonly [number, string])[]): string {
  return parts.flatMap(([n, what]) => (n > 0 ? [`${n} ${what}`] : [])).join(", ");
}

function link(id: string, name: string, count: number | null): Markup {
  return markup`<a href="#${id}">${excerpt(name, 1, 40)}${count === null ? null : markup` <small>${count}</small>`}</a> `;
}

function contents(report: DayReport): Markup | null {
  if (report.totals.turns === 0) return null;
  const parts = report.projects.map(splitAutomated);
  const [waiting = 0, earlier = 0, changed = 0] = [report.loose_ends, report.carried_over, report.changes].map(
    (some) => some?.length,
  );
  const automated = parts.reduce((sum, part) => sum + part.automated.turns.length, 0);
  return markup`<nav aria-label="Contents">
    ${waiting > 0 ? link("loose-ends", "Loose ends", waiting) : null}${earlier > 0 ? link("earlier", "From earlier days", earlier) : null}${parts.map(({ human }, i) => (human.turns.length > 0 ? link(`p${i + 1}`, human.project, human.turns.length) : null))}${automated > 0 ? link("automated", "Automated", automated) : null}${report.decisions.length > 0 ? link("decisions", "Decisions", report.decisions.length) : null}${totalTokens(report.totals.usage) > 0 ? link("usage", "Tokens and cost", null) : null}${changed > 0 ? link("changes", "Changes", changed) : null}${link("sessions", "Sessions", report.totals.sessions)}${report.diagnostics.length > 0 ? link("diagnostics", "Diagnostics", report.diagnostics.length) : null}
  </nav> `;
}

function projectSection(report: DayReport, places: readonly ItemContext[], index: number): Markup | null {
  const whole = report.projects[index];
  const place = places[index];
  if (!whole || !place) return null;
  const { human: project, automated } = splitAutomated(whole);
  if (project.turns.length === 0 && automated.turns.length > 0) return null;
  const other = totalTokens(project.other_usage);
  return markup`<section class="project" id="p${index + 1}">
    <h2>${project.project} <small>${sumParts(project.totals).join(" · ")}</small></h2>
    ${itemsIn(project).map((item) => itemDetails(item, place))}${other > 0 ? markup`<p class="facts">${shortNumber(other)} tokens were asked for by no turn of these.</p> ` : null}
  </section> `;
}

/** Totals of a project, as far as a heading has room. */
function sumParts(totals: Totals): string[] {
  const { outcomes, unproven, duration_ms, files_changed, commits } = totals;
  const bad = outcomes.aborted + outcomes.failed + (unproven ?? 0);
  return [
    plural(totals.turns, "turn"),
    ...(bad > 0 ? [`${bad} without success`] : []),
    ...(duration_ms > 0 ? [`${duration(duration_ms)} at work`] : []),
    ...countParts(files_changed, "file"),
    ...countParts(commits, "commit"),
    totalCost(totals),
  ];
}

/** The turns that programs asked for, apart from those of people. */
function automatedSection(report: DayReport, places: readonly ItemContext[]): Markup | null {
  const lists = report.projects.flatMap((project, i) => {
    const { automated } = splitAutomated(project);
    const place = places[i];
    return automated.turns.length === 0 || !place ? [] : itemsIn(automated).map((item) => itemDetails(item, place));
  });
  if (lists.length === 0) return null;
  return markup`<section class="project" id="automated">
    <h2>Automated</h2>
    ${lists}
  </section> `;
}

/** A titled list; nothing when there is nothing to list. */
function list(id: string, title: string, items: readonly Markup[], none: string | null = null): Markup | null {
  if (items.length === 0 && none === null) return null;
  const body = items.length === 0 ? markup`<p class="facts">${none}</p>` : markup`<ul class="list">${items}</ul>`;
  return markup`<section id="${id}">
    <h2>${title}</h2>
    ${body}
  </section> `;
}

/** As `list`, but closed: only few readers will look. */
function folded(id: string, title: string, items: readonly Markup[]): Markup | null {
  if (items.length === 0) return null;
  return markup`<section id="${id}"><details class="more"><summary>${title} <small>${items.length}</small></summary>
    <ul class="list">${items}</ul>
  </details></section> `;
}

/** A list entry: a statement and where it comes from. */
function entry(what: Content, from: Content): Markup {
  return markup`<li>${what} <span class="from">${from}</span></li> `;
}

type Cite = (at: { project: string; citation: string; turn_ref: string }) => Markup;

/**
 * Makes links to turns on this page. A link shows the clock time of its turn; the tooltip has session, turn and lines.
 */
function citing({ projects, span }: DayReport): Cite {
  const indexes = new Map(projects.map(({ project }, i) => [project, i]));
  const clocks = new Map(
    projects.flatMap(({ turns }, i) => turns.map((turn) => [anchorOf(i, turn), turn.local_time] as const)),
  );
  return ({ project, citation, turn_ref }) => {
    const session_ref = citation.slice(0, citation.indexOf("/"));
    const anchor = anchorOf(indexes.get(project) ?? -1, { session_ref, turn_ref });
    const time = clocks.get(anchor);
    const day = span.kind === "day" || time === undefined ? "" : `${shortDay(time.slice(0, 10))} `;
    const clock = time === undefined ? citation : `${day}${time.slice(11, 16)}`;
    return markup`<a class="cite" href="#${anchor}" title="${citation}">${clock}</a>`;
  };
}

function decisions(report: DayReport, cite: Cite): Markup | null {
  const items = report.decisions.map((decision) => {
    const { project } = decision;
    const { asked, answer } = decisionWords(decision);
    const what = markup`${withCode(excerpt(asked, 3, 300))} → <b>${excerpt(answer, 2, 200)}</b>`;
    return entry(what, [project, " · ", cite(decision)]);
  });
  return list("decisions", "Decided", items);
}

function looseWords(end: LooseEnd): Content {
  return [markup`<b>${LOOSE_END[end.kind]}:</b> `, withCode(excerpt(looseText(end), 3, 300))];
}

function looseEnds(report: DayReport, cite: Cite): Markup | null {
  const items = (report.loose_ends ?? []).map((end) => entry(looseWords(end), [end.project, " · ", cite(end)]));
  return list(
    "loose-ends",
    "Loose ends",
    items,
    report.totals.turns > 0 ? (report.loose_ends === null ? NOT_KNOWN : "None.") : null,
  );
}

/** Their turns are not on this page: the citation is of another day. */
function carriedOver(report: DayReport): Markup | null {
  const items = (report.carried_over ?? []).map((end) =>
    entry(looseWords(end), [
      `${shortDay(end.day)} · ${end.project} · `,
      markup`<span class="cite">${end.citation}</span>`,
    ]),
  );
  return list("earlier", "Still open from earlier days", items, report.carried_over === null ? NOT_KNOWN : null);
}

function changes(report: DayReport, cite: Cite): Markup | null {
  const items = (report.changes ?? []).map((change) => {
    const [from, to] = [excerpt(change.from, 1, 80), excerpt(change.to, 1, 80)];
    const what = markup`${FIELD[change.field] ?? change.field}: <code>${from}</code> → <code>${to}</code>`;
    return entry(what, [change.project, " · ", cite(change)]);
  });
  return folded("changes", "Changes of model, approval and sandbox", items);
}

function sessionList({ projects }: DayReport): Markup | null {
  const items = projects.flatMap(({ project, sessions }) =>
    sessions.map(({ session_ref, source, session_id, session_path, title, marks }) =>
      entry(
        markup`<code>${session_ref}</code> ${marksInBrief(marks).map((sign) => `${excerpt(sign, 1, 80)} `)}${title === null ? (session_path === null ? "–" : "untitled") : excerpt(title, 1, 120)}`,
        markup`${project} · ${source} <code>${session_id}</code>`,
      ),
    ),
  );
  return folded("sessions", "Sessions", items);
}

function diagnostics({ diagnostics: found }: DayReport): Markup | null {
  const items = found.map(({ code, message, path, line, count }) => {
    const place = path === null ? "" : `${path}${line === null ? "" : `:${line}`}`;
    return entry(
      markup`${count > 1 ? `${count} × ` : ""}${excerpt(message, 2, 300)}`,
      markup`${code} <code>${place}</code>`,
    );
  });
  return folded("diagnostics", "Diagnostics", items);
}
