import { basename } from "node:path";
import type { Relation, ToolStatus } from "../../src/record/record.ts";
import type { Outcome } from "../../src/turns/model.ts";
import {
  NO_TOKENS,
  scenarioOf,
  servedIn,
  sumOf,
  type TokenCounts,
  type TruthCall,
  type TruthResponse,
  type TruthSession,
} from "../truth.ts";
import {
  CLIENT_ONLY,
  ENDED,
  INLINE,
  isTitle,
  NO_ENTRY,
  NO_EXIT_CODE,
  ONLY_SUMS,
  OPERATIONS,
  OWNED_BY,
  QUEUED,
  REALLY,
  STORED_AS,
  SUMMARIES,
  UNTYPED,
  IN_TOTAL,
  LOST,
  LATE_USAGE,
  UNWRITTEN,
} from "./exceptions.ts";

/** The expected answers about a session. */
export interface ExpectedSession {
  turns: ExpectedTurn[];
  /** Tokens of the session and its children. */
  all: string;
  /** Calls and tokens that no turn owns. */
  unowned: { calls: string[]; tokens: string };
  children: ExpectedChild[];
  forked_from: string | null;
}

export interface ExpectedTurn {
  text: string;
  kind: string;
  entry: string;
  outcome: Outcome;
  taken_back: boolean;
  /** The final message; null for turns that did not complete. */
  final: string | null;
  own: string;
  with_children: string;
  models: string[];
  /** Status of the calls of the model, by id; a shell command of the human has the id `!`. */
  calls: Record<string, ToolStatus>;
  files: { path: string; operation: string }[];
  decisions: { title: string; options: string[]; choice: string | null }[];
}

export interface ExpectedChild {
  /** Index of the turn that caused it. */
  turn: number;
  relation: Relation;
  tokens: string;
  calls: Record<string, ToolStatus>;
}

/** One request of a human. */
interface Ask {
  text: string;
  typed: string;
  at: number;
  kind: string;
  /** The run of the agent that received it. */
  run: string;
  /** The script of the lab's model that the prompt names. */
  script: string | null;
}

/** The lab's record of one session, split into turns. */
interface Lab {
  label: string;
  session: TruthSession;
  asks: readonly Ask[];
  /** Responses served for each ask, including those of sub-agents. */
  served: readonly TruthResponse[][];
}

export function expected(session: TruthSession, label: string): ExpectedSession {
  const asks = asksOf(session);
  const served: TruthResponse[][] = asks.map(() => []);
  for (const response of session.responses)
    if (!isTitle(response))
      served[ownerOf(response, asks)]?.push({ ...response, ...LATE_USAGE[response.resp_id ?? ""] });
  const lab: Lab = { label, session, asks, served };
  return {
    turns: asks.map((_, place) => turnOf(lab, place)),
    children: INLINE.has(label) ? [] : childrenOf(lab),
    all: tokensOfAll(served.flat(), lab),
    unowned: { calls: [], tokens: unownedIn(lab) },
    forked_from: session.runs.flatMap(({ note = "" }) => /^fork of (\S+)/u.exec(note)?.[1] ?? [])[0] ?? null,
  };
}

/**
 * All asks with their times. In a terminal every key has a time. Elsewhere the prompt was passed when the agent
 * started, in the run named by `scenario`.
 */
function asksOf(session: TruthSession): Ask[] {
  const { actions, human_prompts: prompts, runs } = session;
  const startOf = new Map(runs.map((run) => [run.scenario, run.t0]));
  const typed = actions
    ? actions
        .filter(({ kind }) => kind !== "key")
        .map(({ text, t, note }) => ({ text, at: t, run: scenarioOf(session), kind: kindOf(text, note) }))
    : prompts.map(({ text, scenario: run = "" }) => ({ text, at: startOf.get(run) ?? 0, run, kind: kindOf(text) }));
  for (const { scenario, t0 } of runs) {
    const text = UNTYPED[scenario];
    if (text !== undefined) typed.push({ text, at: t0, run: scenario, kind: kindOf(text) });
  }
  const rewritten = STORED_AS[session.session ?? ""];
  return typed
    .filter(({ text }) => !CLIENT_ONLY.has(text.split(" ")[0] ?? "") && LOST[session.files[0] ?? ""] !== text)
    .map((ask) => ({
      ...ask,
      // A command that is stored expanded is stored as a prompt.
      ...(ask.text === rewritten?.typed ? { text: rewritten.stored, kind: "prompt" } : {}),
      ...(ask.text === QUEUED[session.session ?? ""] ? { kind: "queued" } : {}),
      typed: ask.text,
      script: /\[lab:(\w+)\]/u.exec(ask.text)?.[1] ?? null,
    }));
}

function kindOf(text: string, note?: string): string {
  if (note === "typed while the turn was running") return "queued";
  return text.startsWith("!") ? "shell" : text.startsWith("/") ? "command" : "prompt";
}

/**
 * A response belongs to the last ask before it was served. Prompts passed at the same time, in one stream, are
 * separated by the script they name.
 */
function ownerOf({ t, script, resp_id }: TruthResponse, asks: readonly Ask[]): number {
  const moved = OWNED_BY[resp_id ?? ""];
  if (moved) return moved.turn;
  const last = asks.findLast(({ at }) => at <= t);
  return asks.findIndex((ask) => ask === last || (ask.at === last?.at && ask.script === script));
}

/** Whether a response was served to a sub-agent or reviewer: its script is marked as such, and no ask names it. */
function isSide({ asks }: Lab, { side, script }: TruthResponse): boolean {
  return (side === true || script === "review") && !asks.some((ask) => ask.script === script);
}

function turnOf(lab: Lab, place: number): ExpectedTurn {
  const { label, session, asks } = lab;
  const { text, at, kind } = asks[place] as Ask;
  const all = lab.served[place] ?? [];
  const own = all.filter((response) => INLINE.has(label) || !isSide(lab, response));
  const calls = callsOf(session, own);
  if (kind === "shell") calls["!"] = "ok";
  const outcome = outcomeOf(lab, place, own);
  return {
    text,
    kind,
    entry: entryOf(lab, kind),
    outcome,
    taken_back: isTakenBack(session, at),
    // What a model says to be summed up is no answer.
    final: outcome === "completed" && text !== "/compact" ? finalOf(lab, all) : null,
    ...tokensOf(lab, own, all),
    calls,
    files: own.flatMap((response) =>
      response.calls.filter(({ call_id }) => calls[call_id] === "ok").flatMap((call) => filesOf(call, label)),
    ),
    decisions: own.flatMap((response) => response.calls.flatMap((call) => decisionsOf(session, response, call))),
  };
}

function entryOf({ session, label }: Lab, kind: string): string {
  // What can only be typed in a terminal was.
  if (session.actions) return NO_ENTRY.test(label) && kind === "prompt" ? "unknown" : "interactive";
  return NO_ENTRY.test(label) ? "unknown" : "headless";
}

/**
 * The outcome follows from what the lab did to the turn. Escape (also at a permission prompt) and catchable signals:
 * aborted. A kill leaves no record, so the last turn is open, and an earlier one aborted. An error without a later
 * answer: failed.
 */
function outcomeOf({ label, session, asks }: Lab, place: number, own: readonly TruthResponse[]): Outcome {
  const { typed, run, at } = asks[place] as Ask;
  const ended = ENDED[`${label} ${run}`];
  if (ended) return ended.outcome;
  const next = asks[place + 1]?.at ?? Infinity;
  const { note: runs = "" } = session.runs.find(({ scenario }) => scenario === run) ?? {};
  const how = session.interruptions?.find(({ prompt }) => prompt === typed)?.how ?? "";
  if (runs.startsWith("SIGINT during")) return "aborted";
  if (/SIGKILL/u.test(how) || runs.startsWith("SIGKILL during") || /bounded by timeout/u.test(runs))
    return next === Infinity ? "open" : "aborted";
  const refused = session.actions?.some(({ note = "", t }) => t > at && t < next && ENDED_BY_KEY.test(note));
  const killed = own.some(({ calls }) => calls.some((call) => /killed together with the agent/u.test(call.expected)));
  if (how !== "" || refused === true || killed) return "aborted";
  return own.at(-1)?.error ? "failed" : "completed";
}

/** Keys by which a human ended a turn, as the lab noted them. */
const ENDED_BY_KEY = /^(?:refuses|interrupts? the (?:tool|stream))/u;

/** The text of a compaction is not an answer; a review is repeated by the session that requested it. */
function finalOf(lab: Lab, all: readonly TruthResponse[]): string | null {
  const spoken = all.filter(
    (one) =>
      one.text !== undefined &&
      isStated(one) &&
      one.script !== "#compact" &&
      SUMMARIES[one.resp_id ?? ""] === undefined,
  );
  const own = spoken.filter((one) => one.script === "review" || !isSide(lab, one));
  // A response without a script is the answer only if there is no scripted one.
  const said = own.findLast(({ script }) => script !== "#none") ?? own.at(-1);
  if (said?.script !== "review") return said?.text ?? null;
  const { findings, overall_explanation } = JSON.parse(said.text ?? "") as {
    findings: { title: string; body: string }[];
    overall_explanation: string;
  };
  const comments = findings.map(({ title, body }) => `- ${title} — /srv/dev/labs/app.py:1-1\n  ${body}`);
  return [overall_explanation, "Review comment:", ...comments].join("\n\n");
}

function tokensOf(
  lab: Lab,
  own: readonly TruthResponse[],
  all: readonly TruthResponse[],
): Pick<ExpectedTurn, "own" | "with_children" | "models"> {
  if (hasOnlySums(lab) || NO_TOKENS.has(lab.label))
    return { own: tokensIn([], lab), with_children: tokensIn([], lab), models: [] };
  const stated = own.filter(isStated);
  return {
    own: tokensIn(own, lab),
    with_children: tokensIn(all, lab),
    models: [...new Set(stated.flatMap(({ model }) => model ?? []))].toSorted(),
  };
}

function hasOnlySums({ label, session }: Lab): boolean {
  return ONLY_SUMS[`${label} ${scenarioOf(session)}`] !== undefined;
}

function unownedIn(lab: Lab): string {
  return tokensOfAll(hasOnlySums(lab) ? lab.served.flat() : lab.served.flat().filter(isInTotal), lab);
}

function tokensOfAll(responses: readonly TruthResponse[], { label }: Lab): string {
  const counted = responses.filter((response) => isStated(response) || isInTotal(response));
  return brief(sumOf(counted.map((response) => servedIn(response, label))));
}

function tokensIn(responses: readonly TruthResponse[], { label }: Lab): string {
  return brief(sumOf(responses.filter(isStated).map((response) => servedIn(response, label))));
}

/** Fresh input, cache reads, cache writes, output, reasoning. */
export function brief(tokens: TokenCounts): string {
  const { input_tokens, cached_input_tokens, cache_write_tokens, output_tokens, reasoning_tokens } = tokens;
  return [input_tokens, cached_input_tokens, cache_write_tokens, output_tokens, reasoning_tokens].join("/");
}

/** Whether a response was served with usage that the agent wrote to its files. */
function isStated(response: TruthResponse): boolean {
  return Boolean(response.usage) && !isLost(response) && !isInTotal(response);
}

function isLost({ resp_id }: TruthResponse): boolean {
  return UNWRITTEN[resp_id ?? ""] !== undefined;
}

function isInTotal({ resp_id }: TruthResponse): boolean {
  return IN_TOTAL[resp_id ?? ""] !== undefined;
}

/** The notes of rewind keys say where they go back to: before a named prompt, or before the last one. */
function isTakenBack({ actions = [] }: TruthSession, asked: number): boolean {
  return actions.some(({ note = "", t }) => {
    if (t < asked || !/^(?:restore|rewind)/u.test(note)) return false;
    const before = /before '(.+?)\.?'/u.exec(note)?.[1];
    const target = actions.findLast((one) => one.kind !== "key" && one.t < t && one.text.startsWith(before ?? ""));
    return target !== undefined && asked >= target.t;
  });
}

function callsOf(session: TruthSession, responses: readonly TruthResponse[]): Record<string, ToolStatus> {
  const lost = new Set(session.call_ids_not_found_in_files);
  return Object.fromEntries(
    responses
      .flatMap(({ calls }) => calls)
      .filter(({ call_id, recorded }) => recorded !== false && !lost.has(call_id))
      .map((call) => [call.call_id, REALLY[call.call_id]?.status ?? storedEnd(session, call)]),
  );
}

/** An agent that stores no exit code does not know that a command ended well. */
function storedEnd(session: TruthSession, { name, expected: ended }: TruthCall): ToolStatus {
  const status = planned(session, ended);
  return status === "ok" && name === "Bash" && NO_EXIT_CODE.test(session.files[0] ?? "") ? "pending" : status;
}

/** For agents that name calls themselves: their order tells which is which. */
export function callsByOrder(session: ExpectedSession): ExpectedSession {
  const numbered = (calls: ExpectedTurn["calls"]): ExpectedTurn["calls"] =>
    Object.fromEntries(Object.values(calls).map((status, i) => [`#${i}`, status]));
  return { ...session, turns: session.turns.map((turn) => ({ ...turn, calls: numbered(turn.calls) })) };
}

export function planned(session: TruthSession, expectation: string): ToolStatus {
  const stated = /^(?:ok|failed|denied|interrupted|pending)\b/u.exec(expectation)?.[0];
  if (stated !== undefined) return stated as ToolStatus;
  // A long-running call was interrupted; where the agent was killed nothing says so and it stays pending.
  return session.runs.some((run) => /kill/iu.test(run.scenario)) ? "pending" : "interrupted";
}

/** Files written by a successful call: the calls of the lab write whole new files, or replace a text in one. */
function filesOf({ args }: TruthCall, label: string): ExpectedTurn["files"] {
  const inputs = Object.entries(Object(args) as Record<string, unknown>);
  const path = inputs.find(([name]) => /^(?:file_?)?path$/iu.test(name))?.[1] as string;
  if (inputs.some(([name]) => /^old_?(?:str|string|text)$/iu.test(name)))
    return [{ path: basename(path), operation: "modified" }];
  if (!inputs.some(([name]) => /^(?:content|file_text|new_text)$/u.test(name))) return [];
  return [{ path: basename(path), operation: OPERATIONS[label]?.operation ?? "created" }];
}

/** The questions of the lab have options; the note of the key that answered or refused says which was chosen. */
function decisionsOf(
  { actions = [] }: TruthSession,
  { t: asked }: TruthResponse,
  { name, args, expected: ended }: TruthCall,
): ExpectedTurn["decisions"] {
  // Nobody was asked.
  if (/malformed arguments|questions are refused|by the agent itself/u.test(ended)) return [];
  const note = actions.find(({ kind, t, note: why }) => kind === "key" && t > asked && why !== undefined)?.note ?? "";
  const { questions, question, options, command, commands } = Object(args) as {
    questions?: { question: string; options: { label: string }[] }[];
    question?: string;
    options?: string[];
    command?: string;
    commands?: string[];
  };
  if (note.startsWith("refuses the permission") || (/^(?:reject|deny)$/u.test(note) && ended.startsWith("denied")))
    return [{ title: `Allow ${name}: ${command ?? commands?.join(" ")}`, options: ["Allow", "Deny"], choice: "Deny" }];
  const choice = /^(?:answers?|choose) (.+)$/u.exec(note)?.[1] ?? null;
  if (question !== undefined) return [{ title: question, options: options ?? [], choice }];
  return (questions ?? []).map(({ question, options }) => ({
    title: question,
    options: options.map(({ label }) => label),
    choice,
  }));
}

/** Sub-agents are distinguished by the scripts that their prompts name. */
function childrenOf(lab: Lab): ExpectedChild[] {
  return lab.served.flatMap((responses, turn) => {
    // A sub-agent whose responses were all lost left no session.
    const side = responses.filter((response) => isSide(lab, response) && !isLost(response));
    return [...new Set(side.map(({ script }) => script))].map((script): ExpectedChild => {
      const own = side.filter((response) => response.script === script);
      return {
        turn,
        relation: script === "review" ? "review" : "subagent",
        tokens: tokensIn(own, lab),
        calls: callsOf(lab.session, own),
      };
    });
  });
}
