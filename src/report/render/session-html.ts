import { marksInBrief, type Marks } from "../../answers/marks.ts";
import type { LogRecord, ToolFinishedBody } from "../../format/record.ts";
import { saidIn } from "../../format/review-text.ts";
import { inputSummary } from "../../text/input-summary.ts";
import { cost, plural, shortNumber } from "../../text/units.ts";
import type { Zone } from "../../time/zone.ts";
import type { SessionView } from "../../answers/session-view.ts";
import type { TurnView } from "../../answers/turn-view.ts";
import { markup, type Markup } from "./markup.ts";
import { renderPage } from "./page.ts";
import { excerpt, OUTCOME_MARK } from "./phrases.ts";
import { STYLE } from "./style.ts";

/** Longest text shown of one record; the line it names has the rest. */
const MOST = 20_000;

const TRANSCRIPT = `${STYLE}
main{max-width:980px}
.turn{display:grid;grid-template-columns:72px minmax(0,1fr);gap:0 14px;max-width:none;margin:0;padding:10px 0 10px 12px;border-bottom:1px solid var(--line)}
.when{color:var(--dim);font-variant-numeric:tabular-nums}.when small{display:block;font-size:.82rem}.body{min-width:0}
.words{white-space:pre-wrap}
details{margin-top:6px}summary{color:var(--dim);font-size:.84rem;cursor:pointer}
.human{border-left:3px solid var(--accent)}.quiet{color:var(--dim);font-size:.88rem}
.ok{color:var(--ok)}.failed{color:var(--failed)}.other{color:var(--aborted)}
`;

/**
 * A session, or the part of it that was asked for, as one page: who said what, what was run and how it ended, each with
 * its line.
 */
export function renderSessionHtml(
  session: SessionView,
  turns: readonly TurnView[],
  records: readonly LogRecord[],
  zone: Zone,
): string {
  const title = excerpt(session.title ?? session.session_id, 1, 120);
  const byRef = new Map(turns.map((turn) => [turn.turn_ref, turn]));
  const settled = new Map<string, ToolFinishedBody>();
  for (const record of records) if (record.type === "tool_finished") settled.set(record.call_id, record);
  const sections: Markup[] = [head(session, title, zone)];
  let current: string | null = null;
  for (const record of records) {
    const ref = record.turn_id ?? null;
    if (ref !== null && ref !== current) {
      current = ref;
      sections.push(turnHead(ref, byRef.get(ref), zone));
    }
    const html = body(record, settled);
    if (html) sections.push(html);
  }
  const footer = markup`Made by Daybook from ${session.source}'s own session file. Numbers are its lines; <code>daybook explain ${session.session_id}:LINE</code> says how one was understood.`;
  return renderPage(title, TRANSCRIPT, sections, footer);
}

function head(session: SessionView, title: string, zone: Zone): Markup {
  const { source, agent_version, project, turns, tools, usage } = session;
  const about = [[source, agent_version].filter(Boolean).join(" "), project, session.session_id].join(" · ");
  const sums = [plural(turns, "turn"), plural(tools.total, "tool")];
  if (tools.failed > 0) sums.push(`${tools.failed} failed`);
  sums.push(`${shortNumber(usage.output_tokens)} output tokens`, cost(usage));
  return markup`<header>
    <h1>${title}</h1>
    <p class="sub">${about}</p>
    <p class="sub">${sums.join(" · ")}</p>
    ${ownMarks(session.marks, zone)}
  </header> `;
}

function turnHead(ref: string, turn: TurnView | undefined, zone: Zone): Markup {
  if (!turn) return markup`<h2 id="${ref}">${ref}</h2> `;
  const at = turn.trigger.time === null ? "no time" : zone.clock(Date.parse(turn.trigger.time)).slice(0, 16);
  const ended = [turn.outcome, ...(turn.taken_back === null ? [] : [turn.taken_back.replace("_", " ")])].join(", ");
  return markup`<h2 id="${ref}">${ref} · ${at} <span class="mark ${turn.outcome}">${OUTCOME_MARK[turn.outcome]}</span> ${ended}</h2> ${ownMarks(turn.marks, zone)}`;
}

/** Marks that people put on the session or turn. */
function ownMarks(marks: Marks | null, zone: Zone): Markup | null {
  if (!marks) return null;
  const signs = marksInBrief({ ...marks, notes: [] }).map((sign) => excerpt(sign, 1, 200));
  const notes = marks.notes.map(
    ({ text, time }) => markup`<p class="words">✎ ${zone.day(Date.parse(time))} ${whole(text)}</p> `,
  );
  return markup`${signs.length === 0 ? null : markup`<p class="sub">${signs.join(" · ")}</p> `}${notes}`;
}

function body(record: LogRecord, settled: ReadonlyMap<string, ToolFinishedBody>): Markup | null {
  switch (record.type) {
    case "user":
      if (record.author === "human") return row(record, "you", "human", words(record.text));
      return row(record, record.author, "quiet", folded("put in by the program", record.text));
    case "assistant_finished":
      return saidIn(record) === "" ? null : row(record, "agent", "", words(saidIn(record)));
    case "reasoning_finished":
      return record.text === "" ? null : row(record, "thinks", "quiet", folded("reasoning", record.text));
    case "tool_started":
      return row(record, "tool", "", call(record.name, record.input, settled.get(record.call_id)));
    case "failed":
      return row(record, "failed", "", markup`<p class="failed">${excerpt(record.message, 5, 1000)}</p>`);
    case "cancelled":
      return row(record, "stopped", "quiet", words(record.reason.replace("_", " ")));
    case "compacted":
      return row(record, "compacted", "quiet", folded(`context compacted (${record.trigger})`, record.summary ?? ""));
    case "child_linked":
      return row(
        record,
        record.relation,
        "quiet",
        words(`${record.phase}: ${record.child.source} ${record.child.session_id}`),
      );
    case "unreadable":
      return row(
        record,
        "unreadable",
        "",
        markup`<p class="failed">${record.reason}, ${plural(record.bytes, "byte")}</p>`,
      );
    default:
      return null;
  }
}

function row(record: LogRecord, who: string, cls: string, html: Markup): Markup {
  const line = record.origin.line ?? record.origin.row ?? 0;
  return markup`<div class="turn ${cls}"><div class="when">${line}<small>${excerpt(who, 1, 20)}</small></div><div class="body">${html}</div></div>
`;
}

function words(text: string): Markup {
  return markup`<p class="words">${whole(text)}</p>`;
}

function folded(name: string, text: string): Markup {
  if (text.trim() === "") return words(name);
  return markup`<details><summary>${name}, ${plural(text.length, "character")}</summary><pre>${whole(text)}</pre></details>`;
}

function call(name: string, input: unknown, end: ToolFinishedBody | undefined): Markup {
  const status = end?.status ?? "pending";
  const code = end?.exit_code === null || end?.exit_code === undefined ? "" : `, exit ${end.exit_code}`;
  const cls = status === "ok" || status === "failed" ? status : "other";
  const output = end?.output ?? end?.error ?? "";
  return markup`<p><strong>${excerpt(name, 1, 80)}</strong> <span class="${cls}">${status}${code}</span></p><pre>${whole(inputSummary(input))}</pre>${output.trim() === "" ? null : folded("output", output)}`;
}

/** The text with its blank lines and indentation, cut when it is very long. */
function whole(text: string): string {
  return text.length <= MOST ? text.trimEnd() : `${text.slice(0, MOST).replace(/[\ud800-\udbff]$/, "")} …`;
}
