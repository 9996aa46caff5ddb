import { askedLine } from "../base/text/asked-line.ts";
import { oneLine, plain } from "../base/text/inert.ts";
import { cost, duration, plural, shortNumber } from "../base/text/units.ts";
import type { UsageView } from "../views/usage-sum.ts";
import type {
  Balance,
  CheckRun,
  LooseEnd,
  LooseEndKind,
  PlacedDecision,
  ProjectReport,
  ReportChild,
  ReportCommit,
  ReportItem,
  ReportTools,
  ReportTurn,
  ToolProblem,
  Totals,
} from "../answers/report/model.ts";
import { isUnproven } from "../answers/report/sums.ts";
import type { Span } from "../answers/report/window.ts";
import type { ShownOutcome } from "../answers/shown-outcomes.ts";
import { placeAndRank, verdictOf } from "../record/review-text.ts";
import { totalTokens } from "../record/tokens.ts";
import { LOOSE_END_WORDS, OUTCOME_WORDS } from "../views/outcome-words.ts";

/** An item with its turns. */
export interface ShownItem {
  item: ReportItem;
  turns: ReportTurn[];
}

export function itemsIn({ items, turns }: ProjectReport): ShownItem[] {
  const byCitation = new Map(turns.map((turn) => [turn.citation, turn]));
  const known = (items ?? [])
    .map((item) => ({ item, turns: item.turns.flatMap((citation) => byCitation.get(citation) ?? []) }))
    .filter(({ turns: own }) => own.length > 0);
  // Turns whose text is unknown belong to no item: each one becomes its own.
  const wordless = turns.filter(({ trigger }) => trigger.text === null);
  return [...known, ...wordless.map(asItem)];
}

function asItem(turn: ReportTurn): ShownItem {
  const { outcome, citation } = turn;
  const item = { asked: requestText(turn), results: [], outcome, unproven: isUnproven(turn), turns: [citation] };
  return { item, turns: [turn] };
}

/**
 * The most important items, in their original order: those that changed something, did not succeed, or took many turns.
 */
export function mostImportant(items: readonly ShownItem[], most: number): ShownItem[] {
  const chosen = new Set(items.toSorted((a, b) => worth(b) - worth(a)).slice(0, most));
  return items.filter((item) => chosen.has(item));
}

function worth({ item, turns }: ShownItem): number {
  const changed = turns.some(({ commits }) => commits !== null && commits.length > 0)
    ? 4
    : turns.some(({ files }) => files !== null && files.length > 0)
      ? 2
      : 0;
  const bad = item.unproven || item.outcome !== "completed" ? 3 : 0;
  return changed + bad + Math.min(2, turns.length / 4);
}

/** Wording that all formats share. Nothing here is escaped for a format yet; `plain` only made it safe to print. */

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** Shown for what was not pushed to the team store. */
export const NOT_KNOWN = "not in the store";
const NOT_SAID = `(request ${NOT_KNOWN})`;

/** A count in words: nothing for zero, a dash when it is unknown. */
export function countParts(count: number | null, name: string, behind = ""): string[] {
  if (count === 0) return [];
  return [`${count === null ? `– ${name}s` : plural(count, name)}${behind}`];
}

export function outcomeMark(shown: ShownOutcome): string {
  return OUTCOME_WORDS[shown].sign;
}

export function shownOutcome(turn: ReportTurn): ShownOutcome {
  return isUnproven(turn) ? "unproven" : turn.outcome;
}

/** Why a turn is no success. */
export function whyUnproven({ last_check }: ReportTurn): string {
  return last_check && last_check.result !== "ok" ? CHECK[last_check.result] : "did not succeed";
}

const CHECK: Record<CheckRun["result"], string> = {
  ok: "last check passed",
  failed: "last check failed",
  timed_out: "last check timed out",
  interrupted: "last check interrupted",
};

/** What is left open, as the beginning of a line. */
export function looseKind(kind: LooseEndKind): string {
  const word = LOOSE_END_WORDS[kind];
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** What is open, and the agent's words for it: the request of a turn that did not finish, otherwise what records hold. */
export function looseText({ kind, text, asked, quote }: LooseEnd): string {
  if (text === null) return quote === null ? NOT_KNOWN : `“${quote}”`;
  if (kind === "said") return `“${text}”`;
  const isEndedEarly = kind === "aborted" || kind === "failed" || kind === "open";
  const what = isEndedEarly ? (text.trim() === "" ? asked : `${asked.slice(0, 300)} (${text})`) : text;
  return quote === null || quote === text ? what : `${what}: “${quote}”`;
}

/** What colleagues know it by: the goal of its thread, in one line. */
export function goalLine({ goal }: Pick<LooseEnd, "goal">): string {
  return oneLine(askedLine(goal), LONGEST_GOAL);
}

const LONGEST_GOAL = 70;

export const PROBLEM_MARK: Record<ToolProblem["status"], string> = {
  failed: "✗",
  denied: "⊘",
  interrupted: "■",
  pending: "◔",
};

export const FIELD: Record<string, string> = {
  model: "model",
  effort: "effort",
  approval_policy: "approval",
  sandbox: "sandbox",
  network: "network",
  sandbox_excludes: "closed",
  reasoning_summary: "summaries",
  context_window: "window",
  cwd: "directory",
  git_branch: "branch",
  git_commit: "commit",
  agent_version: "agent version",
  instructions: "instructions",
};

/** `12 May 2026` from `2026-05-12`. */
function longDay(day: string): string {
  const [year = "", month = "1", date = "1"] = day.split("-");
  return `${Number(date)} ${MONTHS[Number(month) - 1] ?? ""} ${year}`;
}

/** `12 May`. */
export function shortDay(day: string): string {
  const [, month = "1", date = "1"] = day.split("-");
  return `${Number(date)} ${(MONTHS[Number(month) - 1] ?? "").slice(0, 3)}`;
}

export function weekday(day: string): string {
  return DAYS[new Date(`${day}T00:00:00Z`).getUTCDay()] ?? "";
}

export function spanTitle({ kind, since, until }: Span): string {
  if (since === until) return `${weekday(since)}, ${longDay(since)}`;
  const from = since.slice(0, 7) === until.slice(0, 7) ? String(Number(since.slice(8))) : longDay(since);
  return `${kind === "week" ? "Week of " : ""}${from} – ${longDay(until)}`;
}

/** Zone, status, and the length where the clocks changed. */
export function spanNotes(span: Span): string[] {
  const odd = span.hours % 24 !== 0 ? [`${span.hours} hours`] : [];
  return [span.timezone, ...odd, span.status === "partial" ? "partial: not over yet" : "final"];
}

function toolParts(tools: ReportTools): string[] {
  if (tools.total === 0) return [];
  const bad = (["failed", "denied", "interrupted", "pending"] as const).filter((status) => tools[status] > 0);
  return [plural(tools.total, "tool"), ...bad.map((status) => `${tools[status]} ${status}`), ...noHitParts(tools)];
}

/** The searches without a hit, which the count of failures leaves out. */
export function noHitParts({ expected_exit }: ReportTools): string[] {
  return expected_exit === 0 ? [] : [`${plural(expected_exit, "search", "searches")} without a hit left out`];
}

function usageParts(usage: UsageView): string[] {
  const tokens = totalTokens(usage);
  return tokens === 0 ? [] : [`${shortNumber(tokens)} tokens`, cost(usage)];
}

/** Outcome (unless it simply worked), duration, tools, files, commits, sub-agents, tokens, cost. */
export function turnParts(turn: ReportTurn): string[] {
  const parts: string[] = [];
  if (turn.outcome !== "completed") parts.push(turn.outcome);
  else if (isUnproven(turn)) parts.push(whyUnproven(turn));
  if (turn.taken_back) parts.push(turn.taken_back.replace("_", " "));
  if (turn.duration_ms !== null) parts.push(duration(turn.duration_ms));
  // Searches without a hit are named in the totals; here they would be noise.
  parts.push(...toolParts({ ...turn.tools, expected_exit: 0 }));
  // The totals say once that these are unknown.
  parts.push(...countParts(turn.files?.length ?? 0, "file"), ...countParts(turn.commits?.length ?? 0, "commit"));
  const helpers = turn.children?.filter((child) => child.relation !== "fork").length;
  parts.push(...countParts(helpers ?? 0, "sub-agent"));
  return [...parts, ...usageParts(turn.usage_with_children)];
}

export function totalParts(totals: Totals): string[] {
  const parts = [plural(totals.turns, "request")];
  for (const outcome of ["aborted", "failed", "open"] as const) {
    if (totals.outcomes[outcome] > 0) parts.push(`${totals.outcomes[outcome]} ${outcome}`);
  }
  if (totals.unproven !== null && totals.unproven > 0) parts.push(`${totals.unproven} without success`);
  if (totals.duration_ms > 0) parts.push(`${duration(totals.duration_ms)} at work`);
  parts.push(...toolParts(totals.tools));
  parts.push(...countParts(totals.files_changed, "file", " changed"), ...countParts(totals.commits, "commit"));
  parts.push(...countParts(totals.children, "sub-agent"));
  const tokens = totalTokens(totals.usage);
  return tokens === 0 ? parts : [...parts, `${shortNumber(tokens)} tokens`, cost(totals.usage)];
}

/** The tool and its input, as far as they are known. */
export function problemAbout({ name, about }: ToolProblem): string {
  return [name ?? "a call", about ?? ""].filter(Boolean).join(" ");
}

/** How the call ended. */
export function problemEnd(problem: ToolProblem): string {
  return problem.exit_code === null ? problem.status : `${problem.status}, exit ${problem.exit_code}`;
}

export function commitText(commit: ReportCommit): string {
  const unknown = commit.amended ? "the commit before" : "message not recorded";
  return [commit.hash, commit.subject ?? unknown, commit.amended ? "(amended)" : ""].filter(Boolean).join(" ");
}

export function childParts(child: ReportChild): string[] {
  const name = child.role ?? child.relation;
  const lost = child.found ? [] : ["its file is gone"];
  return [
    name,
    ...(child.model === null ? [] : [child.model]),
    ...toolParts(child.tools),
    ...lost,
    ...usageParts(child.usage),
  ];
}

/** A path relative to the agent's working directory where it is inside. */
export function shownPath(path: string, cwd: string | null): string {
  return cwd !== null && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}

/** The verdict of a review and its findings, each with its place, its severity and its words. */
export function reviewLines({ review, cwd }: ReportTurn): string[] {
  if (!review) return [];
  const found = review.findings.map((finding) => {
    const where = placeAndRank(finding, (path) => shownPath(path, cwd));
    const words = [finding.title, finding.body].filter((part) => part !== null && part.trim() !== "").join(": ");
    return [...where, words].filter((part) => part !== "").join(" · ");
  });
  return [verdictOf(review), ...found];
}

/** Splits a project into the turns that people asked for and those that programs asked for. */
export function splitAutomated(project: ProjectReport): { human: ProjectReport; automated: ProjectReport } {
  const part = (automated: boolean): ProjectReport => {
    const turns = project.turns.filter((turn) => (turn.trigger.entry === "automated") === automated);
    const refs = new Set(turns.map((turn) => turn.session_ref));
    return { ...project, turns, sessions: project.sessions.filter(({ session_ref }) => refs.has(session_ref)) };
  };
  return { human: part(false), automated: part(true) };
}

/** The results of an item in one line. A short one such as `Added and pushed.` is preceded by the request. */
export function resultLine({ asked, results }: ReportItem): string {
  const said = results
    .slice(-2)
    .map(({ text }) => text)
    .join(" ");
  return said.length < 40 ? [asked, said].filter(Boolean).join(" → ") : said;
}

/** `7 – 13 Sep`, `28 Sep – 4 Oct`. */
export function shortSpan(first: string, last: string): string {
  if (first === last) return shortDay(first);
  return `${first.slice(0, 7) === last.slice(0, 7) ? Number(first.slice(8)) : shortDay(first)} – ${shortDay(last)}`;
}

/** Removes backticks, which are noise where nothing renders Markdown. */
export function withoutBackticks(text: string): string {
  return text.replace(/`+([^`\n]+)`+/g, "$1");
}

/** Label of the trigger kind; none for an ordinary prompt. */
export function kindLabel(turn: ReportTurn): string | null {
  return turn.trigger.kind === "prompt" ? null : turn.trigger.kind;
}

export function requestText(turn: ReportTurn): string {
  const { text, attachments } = turn.trigger;
  if (text === null) return NOT_SAID;
  const extra = attachments !== null && attachments > 0 ? `[${plural(attachments, "attachment")}]` : "";
  return [text.trim() === "" ? (extra === "" ? "(no text)" : "") : text, extra].filter(Boolean).join("\n");
}

/** The question and the answer, as far as they are known. `inShort`: without what was typed beside an option. */
export function decisionWords(
  decision: Pick<PlacedDecision, "tier" | "title" | "choice" | "free_text" | "answered">,
  inShort = false,
): {
  asked: string;
  answer: string;
} {
  const { tier, title, choice, answered } = decision;
  // What is decided in prose stands in no option.
  const free_text = inShort && tier !== "prose" ? null : decision.free_text;
  const other = title === null ? "answered" : "answered in other words";
  return {
    asked: title ?? `(question ${NOT_KNOWN})`,
    answer: answered ? (choice ?? free_text ?? other) : "not answered",
  };
}

/** Wording of the balance. */
export function balanceParts({ records_read, balanced, problems }: Balance): { read: string; verdict: string } {
  return {
    read: records_read === null ? "– records read" : `${plural(records_read, "record")} read`,
    verdict:
      balanced === null
        ? `records ${NOT_KNOWN}`
        : balanced
          ? "balanced"
          : `NOT BALANCED: ${(problems ?? []).join("; ")}`,
  };
}

/** The beginning of a text, harmless to print: at most so many lines and characters, with a mark where it was cut. */
export function excerpt(text: string, lines: number, chars: number): string {
  const start = text.slice(0, chars);
  const safe = plain(start.length < text.length ? start.replace(/[\ud800-\udbff]$/, "") : start);
  const filled = safe.split("\n").filter((line) => line.trim() !== "");
  const cut = start.length < text.length || filled.length > lines;
  return `${filled.slice(0, lines).join("\n").trimEnd()}${cut ? " …" : ""}`;
}
