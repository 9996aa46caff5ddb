import type { Entry } from "../contract.ts";
import { beginTurn, linkRecord, turnAfter } from "../kit/chain.ts";
import { obj, objects, str, type Native } from "../kit/native.ts";
import type { RuleOwner } from "../kit/reading.ts";
import { partsOf, type ReaderState } from "./native.ts";

/**
 * Several terminals may have one session open (`--resume`), and no message names the one before it. But a message that
 * is written again has its first id, and results name their calls: both belong to the turn of what they name. Anything
 * else is owned by order: after results, it belongs to the turn of these.
 */
function findTurn(record: Native, state: ReaderState): void {
  const call = calledIn(record);
  const named = call === null ? messageId(record) : callName(call);
  state.at = (named === null ? undefined : turnAfter(state, named)) ?? state.window;
  if (call !== null) state.window = state.at;
}

/** Notes the turn of a message and of its calls. `begins`: it is a prompt at this line. */
function noteTurn(record: Native, line: number, begins: boolean, state: ReaderState): void {
  if (begins) beginTurn(state, line, null, false);
  const id = messageId(record);
  if (id !== null) linkRecord(state, id);
  for (const call of objects(record["toolCalls"])) {
    const called = str(call["id"]);
    if (called !== null) linkRecord(state, callName(called));
  }
}

/** States the turn of an entry where the order of prompts would tell it wrong. */
function placeEntry(entry: Entry, { at, began }: ReaderState): void {
  if (at !== 0 && at !== began && (entry.class === "reaction" || entry.class === "duplicate")) entry.turnLine = at;
}

function messageId(record: Native): string | null {
  return str(record["type"]) === null ? null : str(record["id"]);
}

/** The call whose result the message sends back. */
function calledIn(record: Native): string | null {
  if (record["type"] !== "user") return null;
  for (const part of partsOf(record["content"])) {
    const id = str(obj(part["functionResponse"])?.["id"]);
    if (id !== null) return id;
  }
  return null;
}

function callName(id: string): string {
  return `call:${id}`;
}

export const OWNER: RuleOwner<ReaderState> = {
  find(record, state, lines) {
    findTurn(record, state);
    return lines;
  },
  note(record, line, isPrompt, state) {
    noteTurn(record, line, isPrompt, state);
    return null;
  },
  place: (entry, _follows, state) => placeEntry(entry, state),
};
