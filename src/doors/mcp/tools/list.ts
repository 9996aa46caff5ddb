import { inside, type QueryFor } from "../../../answers/daybook.ts";
import { z } from "zod";
import { DaybookError } from "../../../base/errors.ts";
import type { SessionView } from "../../../views/session-view.ts";
import type { TurnView } from "../../../views/turn-view.ts";
import { marksInBrief } from "../../../views/marks.ts";
import { resultIn } from "../../../answers/report/result.ts";
import { askedLine } from "../../../base/text/asked-line.ts";
import { cost, plural } from "../../../base/text/units.ts";
import { sessions as question } from "../../../answers/questions/lists.ts";
import {
  cursor,
  inputsOf,
  lineOf,
  tool,
  type Tool,
  type ToolAnswer,
  type ToolContext,
  turnCitation,
  whenOf,
} from "../tool.ts";
import { sessionKey, turnKey } from "../../../record/session-key.ts";

const MOST_ROWS = 100;

/** Sessions or turns, newest first, those of the caller's project before others. */
export const list: Tool = tool({
  name: "list",
  description:
    "Sessions or turns (one request and its outcome) of coding agents, newest first, with citations to read.",
  input: z.object({
    what: z.enum(["sessions", "turns"]).default("sessions"),
    ...inputsOf(question.query),
    limit: z.number().int().min(1).max(MOST_ROWS).default(20),
    cursor,
  }),
  answer: async ({ what, limit, ...given }, asked) => {
    if (what === "turns" && given.sort !== undefined)
      throw new DaybookError("turns are listed newest first: sort is for sessions", { code: "usage", op: "list" });
    const query = { ...given, project: asked.caller.project(given.project) };
    const here = query.project === undefined && query.session === undefined ? await projectHere(asked) : null;
    const lists = here === null ? [query] : [{ ...query, project: here }, query];
    return what === "sessions" ? sessions(lists, limit, asked) : turns(lists, limit, asked);
  },
});

type Queries = readonly QueryFor<"sessions">[];

/** The project of the caller's directory, if it has sessions. */
async function projectHere({ daybook, caller }: ToolContext): Promise<string | null> {
  const found = caller.cwd === null ? null : await inside(daybook).projectAt(caller.cwd);
  return found && (await inside(daybook).count("sessions", { project: found.project_key })) > 0
    ? found.project_key
    : null;
}

async function sessions(lists: Queries, limit: number, { daybook, caller }: ToolContext): Promise<ToolAnswer> {
  const isOwn = await caller.isOwn();
  const met = new Map<string, SessionView>();
  for (const query of lists)
    // The caller's own session and its sub-agents are among the newest.
    for (const one of await daybook.sessions({ ...query, limit: limit + ROOM_FOR_OWN }))
      if (!isOwn(one) && met.size < limit) met.set(sessionKey(one), one);
  const views = [...met.values()];
  const asked = await inside(daybook).firstRequests(views);
  const ends = await inside(daybook).ends(views);
  const lasts = await inside(daybook).shownOutcomes(ends.flatMap(({ last }) => last ?? []));
  const next = lasts[Symbol.iterator]();
  const naming = await inside(daybook).naming(views);
  const hide = (text: string): string => daybook.redactor.text(text);
  const lines = views.flatMap((one, i) => [
    lineOf([
      naming(one),
      one.source,
      one.project,
      whenOf(daybook.zone, one.started_at ?? one.ended_at),
      one.kind === "root" ? null : one.kind,
      plural(one.turns, "request"),
      ends[i]?.last ? `last ${next.next().value ?? ends[i].last.outcome}` : null,
      cost(one.usage),
      ...marksInBrief(one.marks),
    ]),
    `  ${short(hide(one.title ?? asked[i] ?? "(no request)"))}`,
  ]);
  return { about: plural(views.length, "session"), text: lines.join("\n") };
}

/** How many more to fetch, to have enough without the caller's own. */
const ROOM_FOR_OWN = 20;

async function turns(lists: Queries, limit: number, { daybook, caller }: ToolContext): Promise<ToolAnswer> {
  const isOwn = await caller.isOwn();
  const met = new Map<string, TurnView>();
  for (const query of lists)
    for (const one of (await daybook.turns({ ...query, limit: limit + ROOM_FOR_OWN })).toReversed())
      if (!isOwn(one) && met.size < limit) met.set(turnKey(one), one);
  // Redacted before anything is cut: half a secret would not be recognised.
  const hide = (text: string): string => daybook.redactor.text(text);
  const naming = await inside(daybook).naming([...met.values()]);
  const shown = await inside(daybook).shownOutcomes([...met.values()]);
  const lines = [...met.values()].flatMap((one, i) => [
    lineOf([
      `${turnCitation(one, naming)}:${one.start_line}-${one.end_line}`,
      one.source,
      one.project,
      whenOf(daybook.zone, one.trigger.time),
      one.taken_back ?? shown[i] ?? one.outcome,
      plural(one.tools.total, "tool call"),
      cost(one.usage_with_children),
      ...marksInBrief(one.marks),
    ]),
    `  asked: ${short(hide(one.trigger.text ?? ""))}`,
    ...replyLine(one.outcome, hide(one.final_text ?? "")),
  ]);
  return { about: plural(met.size, "request"), text: lines.join("\n") };
}

/** The result, in the sentence a report would quote; for a turn that did not complete, its last words. */
function replyLine(outcome: TurnView["outcome"], text: string): string[] {
  const said = (outcome === "completed" ? resultIn(text) : null) ?? askedLine(text);
  return said === "" ? [] : [`  reply: ${cut(said)}`];
}

const LONGEST_LINE = 200;

function short(text: string): string {
  return cut(askedLine(text));
}

function cut(line: string): string {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
}
