import { str } from "../kit/native.ts";
import { Windows } from "../kit/windows.ts";
import type { WindowState } from "./state.ts";

/** Several terminals may have one session open (`--resume`). */
export const windows: Windows<WindowState> = new Windows<WindowState>({
  fields: { ruling: true, command: true, responded: true, compressed: true },
  atWork: { responded: false },
  parentOf: (record) => str(record["parentUuid"]),
  idOf: (record) => str(record["uuid"]),
  isWork: (record) => record["type"] === "assistant" || record["type"] === "tool_result",
});
