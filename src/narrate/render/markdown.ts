import { plain } from "../../base/text/inert.ts";
import {
  DIMENSIONS,
  PATTERNS,
  type Chain,
  type Citation,
  type DailyItem,
  type DailyProject,
  type DailyReport,
  type Outcome,
} from "../../views/narrative.ts";
import {
  DIMENSION_NAMES,
  endOf,
  headLine,
  LEGEND,
  narrativeTitle,
  NOTHING,
  PATTERN_NAMES,
  PROOF,
  SAID,
  STANDING_LIMIT,
} from "./words.ts";

/** An entry of the appendix: where a turn is recorded, and its evidence chain. */
export interface AppendixEntry extends Citation {
  project_label: string;
  /** The copy inside the workspace. */
  file: string;
  source: string;
  session_id: string;
  /** Sub-agents whose lines the chain may cite, and their copies. */
  agents: { ref: string; file: string }[];
  chain: Chain | null;
}

/** The narrative as Markdown. Texts of models and people appear as literal text. */
export function renderNarrative(report: DailyReport, appendix: readonly AppendixEntry[]): string {
  const blocks = [
    `# ${literal(narrativeTitle(report))}`,
    headLine(report),
    literal(LEGEND),
    ...(report.title ? [`**${literal(report.title.text)}** (${SAID}) ${links(report.title.citations, report)}`] : []),
    "## Work by Project",
    ...(report.projects.length === 0 ? [`- ${NOTHING.work}`] : report.projects.flatMap((one) => project(one, report))),
    ...leftOut(report),
    "## Engagement Assessment",
    ...engagement(report),
    "## Team Learning",
    ...learning(report),
    "## Evidence Chains",
    ...(appendix.length === 0 ? [`- ${NOTHING.evidence}`] : appendix.map(entry)),
  ];
  return `${blocks.join("\n\n")}\n`;
}

function project(one: DailyProject, report: DailyReport): string[] {
  const material = one.work_items.filter(({ kind }) => kind === "material_work_item");
  const minor = one.work_items.filter(({ kind }) => kind === "no_material_work_item");
  const summary = one.summary
    ? `${said(one.summary.text)} ${links(one.summary.citations, report)}`
    : material.length + minor.length > 0
      ? `_${NOTHING.summary}_`
      : null;
  return [
    `### ${literal(one.project_label)}`,
    ...(summary === null ? [] : [summary]),
    ...material.flatMap((item) => workItem(item, one, report)),
    ...(minor.length === 0
      ? []
      : [
          "#### Minor activity",
          minor.map((item) => `- ${said(item.title)} ${links(item.covered_turns, report)}`).join("\n"),
        ]),
  ];
}

function workItem(item: DailyItem, one: DailyProject, report: DailyReport): string[] {
  const covered = new Set(item.covered_turns.map(({ session_ref, turn_ref }) => `${session_ref}/${turn_ref}`));
  const quotes = one.source_user_messages
    .filter(({ session_ref, turn_ref }) => covered.has(`${session_ref}/${turn_ref}`))
    .flatMap(({ messages }) => messages);
  const lines = [
    ...(item.trigger_summary === null ? [] : [`Asked: ${said(item.trigger_summary)}`]),
    ...(item.agent_reaction_summary === null ? [] : [`Done: ${said(item.agent_reaction_summary)}`]),
  ];
  const outcomes = item.outcomes.map(
    ({ what_changed, confidence, proof, citations }) =>
      `- ${literal(what_changed)} (${confidence}; ${PROOF[proof]}) ${links(citations, report)}`,
  );
  const ends = item.terminal_states.map(({ summary, citations }) => `- ${said(summary)} ${links(citations, report)}`);
  return [
    `#### ${said(item.title)} — ${endOf(item)} · ${item.confidence}`,
    ...(lines.length === 0 ? [] : [lines.join("\n\n")]),
    ...quotes.map(quote),
    ...(outcomes.length === 0 ? [] : [outcomes.join("\n")]),
    ...(ends.length === 0 ? [] : [ends.join("\n")]),
    ...(item.limits.length === 0 ? [] : [item.limits.map((limit) => `> Limit: ${said(limit)}`).join("\n>\n")]),
  ];
}

/** Lists the turns that are not reported, with the reason. */
function leftOut(report: DailyReport): string[] {
  if (report.left_out.length === 0) return [];
  const lines = report.left_out.map(
    ({ project_key, session_ref, turn_ref, reason }) =>
      `- Left out: ${links([{ project_key, session_ref, turn_ref, lines: "" }], report)} ${literal(reason)}`,
  );
  return ["### Left out", lines.join("\n")];
}

function engagement(report: DailyReport): string[] {
  const { overall_reading: reading, observations, limits } = report.engagement_assessment;
  const groups = DIMENSIONS.flatMap((dimension) => {
    const found = observations.filter((one) => one.dimension === dimension);
    if (found.length === 0) return [];
    const lines = found.map(
      ({ statement, citations, confidence }) =>
        `- ${literal(statement)} (${confidence}, ${SAID}) ${links(citations, report)}`,
    );
    return [`### ${DIMENSION_NAMES[dimension]}`, lines.join("\n")];
  });
  return [
    reading
      ? `${literal(reading.text)} (${reading.confidence}, ${SAID}) ${links(reading.citations, report)}`
      : `- ${NOTHING.engagement}`,
    ...groups,
    [...limits.map(said), literal(STANDING_LIMIT)].map((limit) => `> Limit: ${limit}`).join("\n>\n"),
  ];
}

function learning(report: DailyReport): string[] {
  const { takeaways, patterns, limits } = report.team_learning;
  const groups = PATTERNS.flatMap((kind) => {
    const found = patterns.filter((one) => one.kind === kind);
    if (found.length === 0) return [];
    const lines = found.map(
      ({ statement, rationale, recurrence, citations, confidence }) =>
        `- ${literal(statement)} ${literal(rationale)} Seen: ${literal(recurrence)} (${confidence}, ${SAID}) ${links(citations, report)}`,
    );
    return [`### ${PATTERN_NAMES[kind]}`, lines.join("\n")];
  });
  const isEmpty = !takeaways && patterns.length === 0;
  return [
    ...(takeaways
      ? [`${literal(takeaways.text)} (${takeaways.confidence}, ${SAID}) ${links(takeaways.citations, report)}`]
      : []),
    ...(isEmpty ? [`- ${NOTHING.learning}`] : groups),
    ...(limits.length === 0 ? [] : [limits.map((limit) => `> Limit: ${said(limit)}`).join("\n>\n")]),
  ];
}

function entry(turn: AppendixEntry): string {
  const { chain } = turn;
  const head = `### <a id="${anchorOf(turn)}"></a>${turn.session_ref}/${turn.turn_ref} · ${literal(turn.project_label)}`;
  const agents = turn.agents.map(({ ref, file }) => `; ${ref}: ${literal(file)}`).join("");
  const where = `${literal(`${turn.source} ${turn.session_id}`)}, lines ${turn.lines} of ${literal(turn.file)}${agents}`;
  if (!chain) return [head, where, "- No evidence chain."].join("\n\n");
  const lines = [
    `- Trigger (${chain.trigger.type}): ${said(chain.trigger.summary)} ${linesOf(chain.trigger.citations)}`,
    ...chain.agent_reactions.map((one) => `- Reaction: ${said(one.summary)} ${linesOf(one.citations)}`),
    ...chain.outcomes.map((one) => `- Outcome (${one.category}): ${outcomeText(one)} ${linesOf(one.citations)}`),
    ...chain.observed_checks.map((one) => `- Check (${one.type}): ${said(one.summary)} ${linesOf(one.citations)}`),
    `- End (${chain.terminal_state.type}): ${said(chain.terminal_state.summary)} ${linesOf(chain.terminal_state.citations)}`,
    `- Materiality: ${chain.materiality}`,
  ];
  return [head, where, lines.join("\n")].join("\n\n");
}

/** What is shown in our words, what is said in the writer's. */
function outcomeText({ shown, proof, summary }: Outcome): string {
  return shown === null ? said(summary) : `${literal(shown)} (${PROOF[proof]}); ${said(summary)}`;
}

/** Prose of the writer. */
function said(text: string): string {
  return `${literal(text)} (${SAID})`;
}

/** The anchor of a turn on the page. */
export function anchorOf({
  project_key,
  session_ref,
  turn_ref,
}: Pick<Citation, "project_key" | "session_ref" | "turn_ref">): string {
  return `${project_key}-${session_ref}-${turn_ref}`.toLowerCase().replace(/[^a-z0-9-]+/g, "-");
}

/** `S0001/T0001`, with the project when there are several. */
export function citationName(citation: Citation, report: DailyReport): string {
  const { project_key, session_ref, turn_ref } = citation;
  const label = report.projects.find((one) => one.project_key === project_key)?.project_label ?? project_key;
  return report.projects.length > 1 ? `${label} · ${session_ref}/${turn_ref}` : `${session_ref}/${turn_ref}`;
}

function links(citations: readonly Citation[], report: DailyReport): string {
  return citations.map((one) => `[\\[${literal(citationName(one, report))}\\]](#${anchorOf(one)})`).join(" ");
}

function quote(message: string): string {
  return plain(message)
    .split("\n")
    .map((line) => `> ${literal(line)}`)
    .join("\n");
}

/**
 * Escapes text so that it stays text: no heading, link, picture, emphasis, list, quote, HTML or autolink can result
 * from it.
 */
export function literal(text: string): string {
  return plain(text)
    .replace(/\s*\n\s*/g, " ")
    .replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c] ?? c)
    .replace(/[\\`*_{}[\]()#+!|~$^]/g, "\\$&")
    .replace(/^(\s*)([-=])/, "$1\\$2")
    .replace(/^(\s*\d+)([.)])/, "$1\\$2")
    .replace(/\b(https?|ftp|mailto|www)([:.])/gi, "$1\\$2");
}

function linesOf(citations: readonly string[]): string {
  return `\\[lines ${citations.join(", ")}\\]`;
}
