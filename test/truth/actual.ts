import { basename } from "node:path";
import type { ReadViews } from "../../src/views/not-pushed.ts";
import type { Decision } from "../../src/turns/decisions/model.ts";
import type { Daybook } from "../../src/answers/daybook.ts";
import { isOf, sumOf, type TokenCounts, type TruthSession } from "../truth.ts";
import { brief, type ExpectedChild, type ExpectedSession, type ExpectedTurn } from "./expected.ts";

/** All answers of Daybook about a corpus. */
export interface Answers {
  sessions: ReadViews["session"][];
  turns: ReadViews["turn"][];
  tools: ReadViews["call"][];
  decisions: Decision[];
}

export async function answersOf(daybook: Daybook): Promise<Answers> {
  return {
    // The answers come from files, not from a team store, so no field is missing.
    sessions: (await daybook.sessions()) as ReadViews["session"][],
    turns: (await daybook.turns()) as ReadViews["turn"][],
    tools: (await daybook.tools()) as ReadViews["call"][],
    decisions: (await daybook.decisions()) as Decision[],
  };
}

/** The answers about one session, in the form of the expected values. */
export function actualSession(actual: Answers, session: TruthSession): ExpectedSession {
  const views = actual.sessions.filter((view) =>
    view.session_paths.some((path) => isOf(session, { ...view, session_path: path })),
  );
  const [root] = views.filter((view) => view.kind === "root");
  const turns = actual.turns.filter((turn) => isOf(session, turn) && turn.session_id === root?.session_id);
  return {
    turns: turns.map((turn) => turnOf(actual, turn)),
    all: brief(sumOf(views.map((view) => view.usage))),
    unowned: {
      calls: actual.tools
        .filter((tool) => tool.session_id === root?.session_id && tool.turn_ref === null)
        .map((tool) => tool.call_id),
      tokens: root === undefined ? "" : brief(subtract(root.usage, sumOf(turns.map((turn) => turn.usage)))),
    },
    children: views
      .filter((view) => view.parent?.session_id === root?.session_id && root !== undefined)
      .map((view) => childOf(actual, view, turns))
      // In the order of the responses: token counts in the lab increase with each response.
      .toSorted((a, b) => Number.parseInt(a.tokens, 10) - Number.parseInt(b.tokens, 10)),
    forked_from: root?.forked_from ?? null,
  };
}

function turnOf({ tools, decisions }: Answers, turn: ReadViews["turn"]): ExpectedTurn {
  const isInTurn = (one: { session_id: string; turn_ref: string | null }): boolean =>
    one.session_id === turn.session_id && one.turn_ref === turn.turn_ref;
  return {
    text: turn.trigger.text,
    kind: turn.trigger.kind,
    entry: turn.trigger.entry,
    outcome: turn.outcome,
    taken_back: turn.taken_back !== null,
    final: turn.outcome === "completed" && turn.final_text !== "" ? turn.final_text : null,
    own: brief(turn.usage),
    with_children: brief(turn.usage_with_children),
    models: turn.usage.models,
    calls: callsOf(tools.filter(isInTurn)),
    files: turn.files.map(({ path, operation }) => ({ path: basename(path), operation })),
    decisions: decisions
      .filter((decision) => isInTurn(decision))
      .map(({ title, options, choice }) => ({ title, options: options.map(({ label }) => label), choice })),
  };
}

function childOf({ tools }: Answers, view: ReadViews["session"], turns: readonly ReadViews["turn"][]): ExpectedChild {
  const turn = turns.findIndex(({ turn_ref }) => turn_ref === view.parent_turn);
  const linked = turns[turn]?.children.find(({ session_id }) => session_id === view.session_id);
  return {
    turn,
    relation: linked?.relation ?? "fork",
    tokens: brief(view.usage),
    calls: callsOf(tools.filter((tool) => tool.session_id === view.session_id)),
  };
}

/** Calls made by the model, by id. Commands that a script ran inside a call are left out: their ids are the agent's. */
function callsOf(tools: readonly ReadViews["call"][]): ExpectedTurn["calls"] {
  const own = tools.filter(({ call_id, parent_call_id }) => parent_call_id === null || SCRIPTED.test(call_id));
  return Object.fromEntries(
    own.map(({ name, call_id, status }) => [name === "user_shell" ? "!" : scriptedId(call_id), status]),
  );
}

const SCRIPTED = /(?:call_|toolu_01)L/u;

/** Gemini CLI puts the name of the tool before the id. */
function scriptedId(id: string): string {
  return id.replace(/^\w+__(?=call_)/u, "");
}

function subtract(all: TokenCounts, part: TokenCounts): TokenCounts {
  return {
    input_tokens: all.input_tokens - part.input_tokens,
    cached_input_tokens: all.cached_input_tokens - part.cached_input_tokens,
    cache_write_tokens: all.cache_write_tokens - part.cache_write_tokens,
    output_tokens: all.output_tokens - part.output_tokens,
    reasoning_tokens: all.reasoning_tokens - part.reasoning_tokens,
  };
}
