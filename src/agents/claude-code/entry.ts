import type { TriggerEntry } from "../../record/record.ts";
import { obj, str, type Native } from "../kit/native.ts";
import { hasEditorContext } from "./markers.ts";
import { blocksOf } from "./native.ts";
import type { ReaderState } from "./state.ts";
import { isSince } from "./versions.ts";

/** How the prompt reached Claude Code, as far as the record states it. */
export function triggerEntryOf(record: Native): TriggerEntry {
  const entrypoint = str(record["entrypoint"])?.toLowerCase() ?? null;
  if (entrypoint === null) return record["promptSource"] === "sdk" ? "headless" : "unknown";
  if (entrypoint === "cli") return "interactive";
  if (entrypoint === "sdk-cli") return "headless";
  if (entrypoint.startsWith("sdk")) return "sdk";
  return /vscode|jetbrains|desktop|ide|cursor|windsurf|zed/.test(entrypoint) ? "ide" : "unknown";
}

/** From this release on, every prompt that a program or an editor passes in goes through the queue. */
const QUEUES = [2, 0, 42];
/** From this release on, at the latest, records state it themselves. */
const STATES_ENTRY = [2, 1, 81];

/**
 * The same, inferred where the record states nothing (up to 2.1.72). A prompt typed into an idle terminal is in no
 * queue. Editors and other programs pass prompts in through the queue, editors as blocks and with a snapshot of the
 * files for the human who may want to go back, `-p` as a text.
 */
export function entryOf(record: Native, state: ReaderState): TriggerEntry {
  const stated = triggerEntryOf(record);
  if (stated !== "unknown" || str(record["entrypoint"]) !== null) return stated;
  const message = obj(record["message"]);
  if (hasEditorContext(blocksOf(message))) return "ide";
  const version = str(record["version"]);
  if (!isSince(version, QUEUES) || isSince(version, STATES_ENTRY)) return "unknown";
  const isText = typeof message?.["content"] === "string";
  switch (state.passage) {
    case "none":
      return isText ? "interactive" : "unknown";
    case "idle":
      return isText ? "headless" : "sdk";
    case "snapshot":
      return isText ? "unknown" : "ide";
    case "busy":
      return "unknown";
    default:
      return state.passage satisfies never;
  }
}
