import { existsSync } from "node:fs";
import { join } from "node:path";
import { Daybook, inside } from "../answers/daybook.ts";
import type { LogRecord } from "../record/record.ts";
import { saidIn } from "../record/review-text.ts";
import { logRecords } from "../book/reading/records.ts";
import type { Redactor } from "../base/redact/redact.ts";
import { checkOf, checkResultOf, type Check } from "../views/facts/checks.ts";
import { turnFacts } from "../views/facts/facts.ts";
import { commandText } from "../base/shell/commands.ts";
import { programsOf } from "../base/shell/program-runs.ts";
import type { Session, Turn } from "../turns/session.ts";
import type { IndexRow } from "../answers/workspace/index-row.ts";
import type { LoadedProject } from "../answers/workspace/load.ts";
import { compactOf, mergeByLine, type CompactRecord } from "./compact.ts";
import type { AgentEvidence, EvidenceCall, EvidenceLine, TurnEvidence } from "./turn-evidence.ts";

export interface EvidenceContext {
  timezone: string;
  redactor: Redactor;
}

/**
 * The turns of one copied session, read from the copy. Everything said about a day is based on its workspace alone, so
 * that the same workspace always gives the same narrative, whatever happened to the native files.
 */
export async function sessionEvidence(
  project: LoadedProject,
  row: IndexRow,
  { timezone, redactor }: EvidenceContext,
): Promise<TurnEvidence[]> {
  const path = join(project.path, row.session_path);
  const daybook = new Daybook({ roots: rootsOf(project, row, path), timezone, redactor, now: 0 });
  const { sessions } = await inside(daybook).read();
  const session = sessions.find((one) => one.parts.some((part) => part.path === path));
  if (!session) return row.turns.map((turn) => emptyTurn(project, row, turn));
  const records = [...logRecords(session)].filter(({ origin }) => origin.path === undefined || origin.path === path);
  const facts = turnFacts(records);
  const agents = agentsOf(project, row, sessions, redactor);
  return row.turns.map((indexed): TurnEvidence => {
    const turn = turnAt(session, path, indexed.turn_start_line);
    const own = records
      .filter((record) => isWithin(record, indexed.turn_start_line, indexed.turn_end_line))
      .filter((record) => turn === null || record.turn_id === turn.ref)
      .map((record) => redactor.all(record));
    const found = evidenceIn(own);
    const started = indexed.target_subagents.flatMap(({ session_file }) => agents.get(session_file) ?? []);
    return {
      ...emptyTurn(project, row, indexed),
      trigger_lines: triggerLines(turn, own),
      ...found,
      agents: started.map((agent) => withoutOverruledChecks(agent, found.calls)),
      commits: turn === null ? [] : redactor.all(facts.get(turn.ref)?.commits ?? []),
      view: turn === null ? null : redactor.all(inside(daybook).turnJson(turn)),
    };
  });
}

function emptyTurn(project: LoadedProject, row: IndexRow, turn: IndexRow["turns"][number]): TurnEvidence {
  return {
    project_key: project.key,
    session_ref: row.session_ref,
    turn_ref: turn.turn_ref,
    start: turn.turn_start_line,
    end: turn.turn_end_line,
    trigger_lines: [turn.turn_start_line],
    lines: [],
    compact: [],
    calls: [],
    commits: [],
    agents: [],
    view: null,
  };
}

/** The evidence of each sub-agent's file, by its name in the index. */
function agentsOf(
  project: LoadedProject,
  row: IndexRow,
  sessions: readonly Session[],
  redactor: Redactor,
): Map<string, AgentEvidence> {
  const agents = new Map<string, AgentEvidence>();
  const children = row.turns.flatMap(({ target_subagents }) => target_subagents);
  for (const { session_file: name, agent_role: role } of children) {
    const file = join(row.subagent_path, name);
    const path = join(project.path, file);
    const session = sessions.find((one) => one.parts.some((part) => part.path === path));
    if (!session || agents.has(name)) continue;
    const all = [...logRecords(session)].filter(({ origin }) => origin.path === undefined || origin.path === path);
    const records = all.map((record) => redactor.all(record));
    const found = evidenceIn(records);
    if (found.lines.length === 0) continue;
    const numbers = found.lines.map(({ line }) => line);
    const [start, end] = numbers.reduce(([a, b], line) => [Math.min(a, line), Math.max(b, line)], [Infinity, 0]);
    const ref = `A${agents.size + 1}`;
    agents.set(name, {
      ref,
      role,
      file,
      start: start ?? 1,
      end: end ?? 1,
      ...found,
      // Only an agent speaks to a sub-agent.
      lines: found.lines.map((line) => (line.by === "human" ? { ...line, by: "other" } : line)),
      compact: found.compact.map((record) => ({
        agent: ref,
        ...record,
        kind: record.kind === "user" ? "unknown" : record.kind,
      })),
      commits: redactor.all([...turnFacts(all).values()].flatMap(({ commits }) => commits)),
    });
  }
  return agents;
}

/** For kinds of checks that the session ran itself, its own last check decides, not the sub-agent's. */
export function withoutOverruledChecks(agent: AgentEvidence, own: readonly EvidenceCall[]): AgentEvidence {
  const kinds = new Set(own.flatMap(({ check }) => (check?.isLast === true ? [check.kind] : [])));
  const calls = agent.calls.map((call) =>
    call.check && kinds.has(call.check.kind) ? { ...call, check: { ...call.check, isLast: false } } : call,
  );
  return { ...agent, calls };
}

/** The copies of the session and of the sessions it caused: their usage is part of its numbers. */
function rootsOf(project: LoadedProject, row: IndexRow, path: string): Record<string, string[]> {
  const roots: Record<string, string[]> = {};
  const add = (source: string, file: string): void => {
    const id = file.endsWith(".daybook.jsonl") ? "log" : source;
    const list = (roots[id] ??= []);
    if (existsSync(file) && !list.includes(file)) list.push(file);
  };
  add(row.session_format === "daybook-log" ? "log" : row.source, path);
  for (const { target_subagents: children = [] } of row.turns)
    for (const child of children)
      add(child.source ?? row.source, join(project.path, row.subagent_path, child.session_file));
  return roots;
}

function turnAt(session: Session, path: string, line: number): Turn | null {
  const turns = session.turns.filter(({ part }) => part.path === path);
  return (
    turns.find(({ draft }) => draft.start_line === line) ??
    turns.find(({ draft }) => draft.start_line <= line && line <= draft.end_line) ??
    null
  );
}

function lineIn({ origin }: LogRecord): number {
  return origin.line ?? origin.row ?? 0;
}

function isWithin(record: LogRecord, start: number, end: number): boolean {
  const line = lineIn(record);
  return start <= line && line <= end;
}

function triggerLines(turn: Turn | null, records: readonly LogRecord[]): number[] {
  const trigger = turn?.draft.trigger;
  const asked = trigger ? [trigger.line, ...(trigger.echo_line === null ? [] : [trigger.echo_line])] : [];
  // What the human wrote is never a reaction.
  const said = records.flatMap((one) => (one.type === "user" && one.author === "human" ? [lineIn(one)] : []));
  return [...new Set([...asked, ...said])].toSorted((a, b) => a - b);
}

interface AskedCall extends EvidenceCall {
  asked: Check | null;
}

type RecordEvidence = Pick<TurnEvidence, "lines" | "compact" | "calls">;

function evidenceIn(records: readonly LogRecord[]): RecordEvidence {
  const calls = new Map<string, AskedCall>();
  const lines: EvidenceLine[] = [];
  const compact: CompactRecord[] = [];
  for (const record of records) {
    const line = lineIn(record);
    if (record.type === "tool_started" && !calls.has(record.call_id))
      calls.set(record.call_id, startCall(record, line));
    if (record.type === "tool_finished") {
      const call = calls.get(record.call_id);
      if (call) finish(call, record, line);
    }
    const said = textOfRecord(record);
    if (said !== null) lines.push({ line, ...said });
    const short = compactOf(record, (id) => calls.get(id)?.name ?? null);
    if (short) compact.push(short);
  }
  const done = [...calls.values()];
  markLast(done);
  return { lines, compact: mergeByLine(compact), calls: done };
}

function startCall(record: Extract<LogRecord, { type: "tool_started" }>, line: number): AskedCall {
  const { name, input } = record;
  const command = commandText(name, input);
  const asked = checkOf(name, input);
  return {
    line,
    end_line: null,
    name,
    command,
    status: "pending",
    exit_code: null,
    changes: [],
    asked,
    check: asked === null ? null : { kind: kindOf(command), result: null, isLast: false },
  };
}

function finish(call: AskedCall, record: Extract<LogRecord, { type: "tool_finished" }>, line: number): void {
  const { status, exit_code, output, files = [] } = record;
  call.end_line = line;
  call.status = status;
  call.exit_code = exit_code ?? call.exit_code;
  call.changes.push(...files.map(({ path, operation }) => ({ path, operation })));
  if (call.asked && call.check)
    call.check.result = checkResultOf(call.asked, { status, exit_code: call.exit_code, output: output ?? "" });
}

/** The kind of a check: among checks of one kind the last one decides. */
function kindOf(command: string): string {
  const words = programsOf(command, { roots: [], cwd: null }).map(({ program, args }) => [program, ...args].join(" "));
  const text = words.join(" ");
  if (/\b(?:lint|eslint|oxlint|ruff|flake8|clippy|prettier|fmt)\b/.test(text)) return "lint";
  if (/\b(?:tsc|typecheck|type-check|mypy|pyright)\b/.test(text)) return "types";
  if (/\b(?:build|compile|package)\b/.test(text) && !/\btest/.test(text)) return "build";
  return "test";
}

function markLast(calls: readonly EvidenceCall[]): void {
  const last = new Map<string, EvidenceCall>();
  // A check without a result proves nothing and disproves nothing.
  for (const call of calls) if (call.check && call.check.result !== null) last.set(call.check.kind, call);
  for (const { check } of last.values()) if (check) check.isLast = true;
}

function textOfRecord(record: LogRecord): Omit<EvidenceLine, "line"> | null {
  switch (record.type) {
    case "user":
      return { by: record.author === "human" ? "human" : "other", text: record.text };
    case "assistant_finished":
      return { by: "agent", text: saidIn(record) };
    case "tool_started":
      return { by: "tool", text: typeof record.input === "string" ? record.input : textOf(record.input) };
    case "tool_finished": {
      const { output, error, exit_code, files = [] } = record;
      const code = exit_code === null ? "" : `exit ${exit_code}`;
      return { by: "tool", text: [output ?? "", error ?? "", code, ...files.map(({ path }) => path)].join("\n") };
    }
    case "failed":
      return { by: "other", text: record.message };
    case "cancelled":
      return { by: "other", text: record.reason };
    default:
      return null;
  }
}

/** All texts inside an input, one per line, without JSON escapes. */
function textOf(input: unknown): string {
  const texts: string[] = [];
  const walk = (value: unknown): void => {
    if (typeof value === "string") texts.push(value);
    else if (typeof value === "number" || typeof value === "boolean") texts.push(String(value));
    else if (Array.isArray(value)) value.forEach(walk);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(walk);
  };
  walk(input);
  return texts.join("\n");
}
