import { z } from "zod";
import { inside } from "../../../answers/daybook.ts";
import { DaybookError } from "../../../base/errors.ts";
import { plural } from "../../../base/text/units.ts";
import type { Zone } from "../../../base/time/zone.ts";
import type { LogRecord } from "../../../record/record.ts";
import { sessionKey } from "../../../record/session-key.ts";
import {
  endWords,
  marksShown,
  type Statement,
  statementOf,
  Transcript,
  type TranscriptLine,
} from "../../../render/transcript.ts";
import type { Marks } from "../../../views/marks.ts";
import type { SessionView } from "../../../views/session-view.ts";
import type { TurnView } from "../../../views/turn-view.ts";
import { cursor, lineOf, tool, type Tool, type ToolAnswer, type ToolContext, whenOf } from "../tool.ts";

/** A session, a turn or a range of lines, as recorded. */
export const read: Tool = tool({
  name: "read",
  description:
    "A session, turn or line range in order, every statement with its native line. compact: requests, replies and one line per tool call; full: also reasoning, inputs and outputs.",
  input: z.object({
    target: z.string().max(1000).describe("SESSION[/TURN][:LINE[-LINE]], as cited"),
    detail: z.enum(["compact", "full"]).default("compact"),
    cursor,
  }),
  state: async ({ target }, { daybook }) => {
    const { session } = await daybook.find(target);
    return inside(daybook).changeOf(session);
  },
  answer: async ({ target, detail }, asked) => answerOf(target, detail, asked),
});

async function answerOf(target: string, detail: Detail, { daybook }: ToolContext): Promise<ToolAnswer> {
  const { session, turn } = await daybook.find(target);
  const turns = (turn ? [turn] : session.turns).map((one) => inside(daybook).turnJson(one));
  const transcript = modelTranscript(turns, detail);
  let count = 0;
  for await (const record of daybook.records(target)) {
    transcript.add(daybook.redactor.all(record));
    count++;
  }
  if (count === 0)
    throw new DaybookError("nothing was recorded there", {
      code: "not_found",
      op: "read session",
      hint: "leave the lines out to read all of it",
    });
  const id = (await inside(daybook).naming([session]))(session);
  const text = transcriptText(inside(daybook).sessionJson(session), id, transcript.lines(), daybook.zone);
  return { about: `${plural(count, "record")}, ${detail}`, text };
}

type Detail = "compact" | "full";

/** Longest summary of a tool call in a compact transcript. */
const LONGEST_CALL = 300;

/** Fields of the record envelope, not of its content. */
const ENVELOPE = new Set(["schema_version", "seq", "time", "session_id", "origin", "turn_id", "type"]);

/** Collects a session as a transcript for models: one statement after the other, each with its native line number. */
function modelTranscript(turns: readonly TurnView[], detail: Detail): Transcript<string> {
  return new Transcript(turns, detail === "full" ? fullOf : compactOf);
}

/** The outcome of a call is printed with its start. */
function transcriptText(
  session: SessionView,
  id: string,
  lines: readonly TranscriptLine<string>[],
  zone: Zone,
): string {
  const out = [
    lineOf([id, session.source, session.project, session.agent_version, session.title]),
    ...ownMarks(session.marks, zone),
  ];
  for (const { begins, origin, said, isCall, end } of lines) {
    if (begins) out.push("", turnHead(begins, id, zone), ...ownMarks(begins.marks, zone));
    if (said === null) continue;
    const ending = isCall ? ` → ${endWords(end)}` : "";
    out.push(`[${origin.line ?? origin.row ?? "-"}] ${said}${ending}`);
  }
  return out.join("\n");
}

function turnHead(turn: TurnView, id: string, zone: Zone): string {
  const { turn_ref, start_line, end_line, outcome, taken_back, trigger } = turn;
  const place = `${id}/${turn_ref}:${start_line}-${end_line}`;
  return `== ${lineOf([place, whenOf(zone, trigger.time), outcome, taken_back])}`;
}

/** The marks a human put on it. */
function ownMarks(marks: Marks | null, zone: Zone): string[] {
  const { signs, notes } = marksShown(marks);
  return [
    ...(signs.length === 0 ? [] : [`marked: ${signs.join(", ")}`]),
    ...notes.map(({ text, time }) => `note of ${zone.day(Date.parse(time))}: ${text}`),
  ];
}

/** Null if the record is left out of a compact transcript. */
function compactOf(record: LogRecord): string | null {
  const said = statementOf(record);
  return said && compactText(said);
}

function compactText(said: Statement): string | null {
  switch (said.kind) {
    case "user":
      return said.author === "human" ? `human: ${said.text}` : null;
    case "thought":
      return null;
    case "call": {
      const input = said.input.replaceAll(/\s+/g, " ");
      return `tool ${said.name}: ${input.length > LONGEST_CALL ? `${input.slice(0, LONGEST_CALL)}…` : input}`;
    }
    case "child":
      return `${said.relation}: ${sessionKey(said.child)}`;
    case "agent":
    case "failed":
      return `${said.kind}: ${said.text}`;
    default:
      return said.text;
  }
}

/** The whole content of a record: texts verbatim, the rest as JSON. */
function fullOf(record: LogRecord): string {
  const rest = Object.fromEntries(Object.entries(record).filter(([key]) => !ENVELOPE.has(key)));
  const more = (...without: string[]): string => {
    const others = Object.entries(rest).filter(([key, value]) => !without.includes(key) && value !== null);
    return others.length === 0 ? "" : ` ${JSON.stringify(Object.fromEntries(others))}`;
  };
  switch (record.type) {
    case "user":
      return `${record.author}${more("author", "text")}: ${record.text}`;
    case "assistant_finished":
      return `agent${more("text")}: ${record.text}`;
    case "reasoning_finished":
      return `reasoning${more("text")}: ${record.text}`;
    case "tool_started": {
      const input = typeof record.input === "string" ? record.input : JSON.stringify(record.input);
      return `tool ${record.name}${more("name", "input")}: ${input}`;
    }
    case "tool_finished":
      return `result${more("output")}: ${record.output ?? ""}`;
    default:
      return `${record.type}${more()}`;
  }
}
