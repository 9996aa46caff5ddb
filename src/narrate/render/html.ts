import { markup, type Content, type Markup } from "../../report/render/markup.ts";
import { renderPage } from "../../report/render/page.ts";
import { STYLE } from "../../report/render/style.ts";
import {
  DIMENSIONS,
  PATTERNS,
  type Citation,
  type DailyItem,
  type DailyProject,
  type DailyReport,
  type Disposition,
} from "../../answers/narrative.ts";
import { anchorOf, citationName, type AppendixTurn } from "./markdown.ts";
import { DIMENSION_NAMES, headLine, narrativeTitle, NOTHING, PATTERN_NAMES, PROOF, STANDING_LIMIT } from "./words.ts";

export const NARRATIVE_STYLE: string = `${STYLE}
.story{max-width:860px}
.story p,.story ul,.story blockquote{margin:8px 0 0}
.story ul{padding-left:20px}
.story blockquote{border-left:3px solid var(--line);padding:2px 0 2px 12px;color:var(--dim);white-space:pre-wrap}
.story blockquote.you{background:var(--you);border-left-color:var(--accent);color:var(--ink);padding:6px 12px}
.story h3{font-size:1.05rem;margin:24px 0 0}
.story h4{font-size:.94rem;margin:18px 0 0}
.story h4 small{font-weight:400;color:var(--dim);margin-left:8px}
.said{color:var(--aborted)}
.chain{margin-top:10px;font-size:.89rem}
`;

/** CSS class of the mark, as in the day report. */
const MARK: Readonly<Record<Disposition, string>> = {
  failed: "failed",
  blocked: "aborted",
  interrupted: "aborted",
  completed: "completed",
  clarification: "",
};

/** The narrative as one page, styled like the day report. */
export function renderNarrativeHtml(report: DailyReport, appendix: readonly AppendixTurn[]): string {
  const title = narrativeTitle(report);
  const body: Content[] = [
    markup`<header><h1>${title}</h1><p class="sub">${headLine(report)}</p>
    ${report.title ? markup`<p class="story"><b>${report.title.text}</b> ${cited(report.title.citations, report)}</p>` : null}</header>
    <nav aria-label="Contents"><a href="#work">Work by project</a> <a href="#engagement">Engagement</a> <a href="#learning">Team learning</a> <a href="#evidence">Evidence chains <small>${appendix.length}</small></a></nav>`,
    section("work", "Work by Project", [
      report.projects.length === 0
        ? markup`<p>${NOTHING.work}</p>`
        : report.projects.map((one) => project(one, report)),
      leftOut(report),
    ]),
    section("engagement", "Engagement Assessment", engagement(report)),
    section("learning", "Team Learning", learning(report)),
    section(
      "evidence",
      "Evidence Chains",
      appendix.length === 0 ? markup`<p>${NOTHING.evidence}</p>` : appendix.map(entry),
    ),
  ];
  const footer = "Written by an agent, every statement checked by Daybook against the records it cites.";
  return renderPage(title, NARRATIVE_STYLE, body, footer);
}

function section(id: string, name: string, content: Content): Markup {
  return markup`<section id="${id}"><h2>${name}</h2><div class="story">${content}</div></section> `;
}

function project(one: DailyProject, report: DailyReport): Markup {
  const material = one.work_items.filter(({ kind }) => kind === "material_work_item");
  const minor = one.work_items.filter(({ kind }) => kind === "no_material_work_item");
  const summary = one.summary
    ? markup`<p>${one.summary.text} ${cited(one.summary.citations, report)}</p>`
    : material.length + minor.length > 0
      ? markup`<p class="sub">${NOTHING.summary}</p>`
      : null;
  return markup`<h3>${one.project_label}</h3>${summary}${material.map((item) => workItem(item, one, report))}
    ${minor.length === 0 ? null : markup`<h4>Minor activity</h4>${list(minor.map(({ title, covered_turns }) => [title, " ", cited(covered_turns, report)]))}`}`;
}

function workItem(item: DailyItem, one: DailyProject, report: DailyReport): Markup {
  const covered = new Set(item.covered_turns.map(({ session_ref, turn_ref }) => `${session_ref}/${turn_ref}`));
  const quotes = one.source_user_messages
    .filter(({ session_ref, turn_ref }) => covered.has(`${session_ref}/${turn_ref}`))
    .flatMap(({ messages }) => messages.map((text) => markup`<blockquote class="you">${text}</blockquote>`));
  const outcomes = item.outcomes.map(({ what_changed, confidence, proof, citations }): Content => [
    what_changed,
    markup` <span class="${proof === "said_only" ? "said" : "sub"}">(${confidence}; ${PROOF[proof]})</span> `,
    cited(citations, report),
  ]);
  const ends = item.terminal_states.map(({ summary, citations }): Content => [summary, " ", cited(citations, report)]);
  const mark = item.disposition ?? "clarification";
  return markup`<h4>${item.title} <small><span class="mark ${MARK[mark]}">${mark}</span> · ${item.confidence}</small></h4>
    ${item.trigger_summary === null ? null : markup`<p>Asked: ${item.trigger_summary}</p>`}
    ${item.agent_reaction_summary === null ? null : markup`<p>Done: ${item.agent_reaction_summary}</p>`}
    ${quotes}${list(outcomes)}${list(ends)}${limits(item.limits)}`;
}

function leftOut(report: DailyReport): Markup | null {
  if (report.left_out.length === 0) return null;
  const items = report.left_out.map((one): Content => [cited([{ ...one, lines: "" }], report), " ", one.reason]);
  return markup`<h3>Left out</h3>${list(items)}`;
}

function engagement(report: DailyReport): Content {
  const { overall_reading: reading, observations, limits: given } = report.engagement_assessment;
  return [
    reading
      ? markup`<p>${reading.text} <span class="sub">(${reading.confidence})</span> ${cited(reading.citations, report)}</p>`
      : markup`<p>${NOTHING.engagement}</p>`,
    ...DIMENSIONS.map((dimension) => {
      const found = observations.filter((one) => one.dimension === dimension);
      const items = found.map(({ statement, citations, confidence }): Content => [
        statement,
        ` (${confidence}) `,
        cited(citations, report),
      ]);
      return items.length === 0 ? null : markup`<h4>${DIMENSION_NAMES[dimension]}</h4>${list(items)}`;
    }),
    limits([...given, STANDING_LIMIT]),
  ];
}

function learning(report: DailyReport): Content {
  const { takeaways, patterns, limits: given } = report.team_learning;
  return [
    takeaways
      ? markup`<p>${takeaways.text} <span class="sub">(${takeaways.confidence})</span> ${cited(takeaways.citations, report)}</p>`
      : patterns.length === 0
        ? markup`<p>${NOTHING.learning}</p>`
        : null,
    ...PATTERNS.map((kind) => {
      const found = patterns.filter((one) => one.kind === kind);
      const items = found.map(({ statement, rationale, recurrence, citations, confidence }): Content => [
        `${statement} ${rationale} Seen: ${recurrence} (${confidence}) `,
        cited(citations, report),
      ]);
      return items.length === 0 ? null : markup`<h4>${PATTERN_NAMES[kind]}</h4>${list(items)}`;
    }),
    limits(given),
  ];
}

function entry(turn: AppendixTurn): Markup {
  const { chain } = turn;
  const items: Content[] = chain
    ? [
        [`Trigger (${chain.trigger.type}): ${chain.trigger.summary}`, linesOf(chain.trigger.citations)],
        ...chain.agent_reactions.map((one): Content => [`Reaction: ${one.summary}`, linesOf(one.citations)]),
        ...chain.outcomes.map((one): Content => [
          `Outcome (${one.category}; ${PROOF[one.proof]}): ${one.summary}`,
          linesOf(one.citations),
        ]),
        ...chain.observed_checks.map((one): Content => [`Check (${one.type}): ${one.summary}`, linesOf(one.citations)]),
        [
          `End (${chain.terminal_state.type}): ${chain.terminal_state.summary}`,
          linesOf(chain.terminal_state.citations),
        ],
        `Materiality: ${chain.materiality}`,
      ]
    : ["No evidence chain."];
  return markup`<div class="chain" id="${anchorOf(turn)}"><b>${turn.session_ref}/${turn.turn_ref}</b> · ${turn.project_label}
    <p class="sub">${turn.source} ${turn.session_id}, lines ${turn.lines} of <code>${turn.file}</code>${turn.agents.map(({ ref, file }) => markup`; ${ref}: <code>${file}</code>`)}</p>${list(items)}</div>`;
}

function list(items: readonly Content[]): Markup | null {
  return items.length === 0 ? null : markup`<ul>${items.map((item) => markup`<li>${item}</li>`)}</ul>`;
}

function limits(given: readonly string[]): Content {
  return given.map((limit) => markup`<blockquote>Limit: ${limit}</blockquote>`);
}

function cited(citations: readonly Citation[], report: DailyReport): Content {
  return citations.map((one) => markup`<a class="cite" href="#${anchorOf(one)}">[${citationName(one, report)}]</a> `);
}

function linesOf(citations: readonly string[]): Markup {
  return markup` <span class="from">lines ${citations.join(", ")}</span>`;
}
