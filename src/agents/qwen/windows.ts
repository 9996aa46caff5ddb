import { str } from "../kit/native.ts";
import { linkRecord } from "../kit/chain.ts";
import type { RuleOwner } from "../kit/reading.ts";
import { placeEntry, Windows } from "../kit/windows.ts";
import type { ReaderState, WindowState } from "./native.ts";

/** Several terminals may have one session open (`--resume`). */
const windows: Windows<WindowState> = new Windows<WindowState>({
  fields: { ruling: true, command: true, responded: true, compressed: true },
  atWork: { responded: false },
  parentOf: (record) => str(record["parentUuid"]),
  idOf: (record) => str(record["uuid"]),
  isWork: (record) => record["type"] === "assistant" || record["type"] === "tool_result",
});

export const OWNER: RuleOwner<ReaderState> = {
  find(record, state, lines) {
    windows.enter(record, state);
    return windows.linesAhead(lines, state);
  },
  note(record, line, isPrompt, state) {
    const follows = isPrompt ? windows.begin(record, line, false, state) : null;
    const uuid = str(record["uuid"]);
    if (uuid !== null) linkRecord(state, uuid);
    return follows;
  },
  place: placeEntry,
};
