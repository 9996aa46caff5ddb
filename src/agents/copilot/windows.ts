import { str } from "../kit/native.ts";
import { Windows } from "../kit/windows.ts";
import type { WindowState } from "./state.ts";

/**
 * Several terminals may have one session open (`--resume`): every event names the one before it in its own process, the
 * first one the last event that the process found.
 */
export const windows: Windows<WindowState> = new Windows<WindowState>({
  fields: { entry: true, answered: true },
  atWork: { answered: false },
  parentOf: (record) => str(record["parentId"]),
  idOf: (record) => str(record["id"]),
  isWork: (record) => /^(?:assistant|tool)\./.test(str(record["type"]) ?? ""),
});
