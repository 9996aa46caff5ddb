import type { Lines } from "../kit/json-lines.ts";
import type { EntryClass } from "../contract.ts";
import { digest, isSynthetic } from "./assistant.ts";
import { blocksOf, hasToolResult, timeOf } from "./native.ts";
import { obj, str, type Native } from "../kit/native.ts";
import type { ReaderState } from "./state.ts";

/**
 * A run of copied records. Up to the 1.0 releases, `--resume`, `--continue` and every further message of a program's
 * input wrote the conversation so far again, as did `--fork-session` up to at least 2.0.2: into a new file or the same
 * one, with new ids (kept since about 1.0.80), new times at most a millisecond apart, and answers without their request
 * ids. No model answers that fast, so a prompt that is answered within that time is a copy.
 *
 * 2.0.74 to 2.1.12 take messages of several blocks, such as the prompts of editors, apart when they resume: from the
 * first of them on they write everything again into the same file, with new ids but the original times. The copy is
 * recognised at its first prompt, and lasts until time goes on.
 */
export interface Replay {
  /** Time of the last copied line. */
  last: number;
  /** `inherited` at the start of a file, `duplicate` when the same file holds the originals. */
  class: Extract<EntryClass, "inherited" | "duplicate">;
  /** In a run with the original times: the time of the newest record before it. */
  until?: number;
}

/** Maximum time between two lines of a copy; real events are farther apart. */
const PACE_MS = 20;
/** A copied prompt without an answer follows within this time; the first new prompt came 2 to 20 ms after the copy. */
const STEP_MS = 1;
/** How many lines (commands and their output) may be between a prompt and its answer in a copy. */
const REACH = 16;

const NO = { copy: false, open: false };

/** Whether the record is a copy. `open`: the file ended before that could be decided. */
export function noteReplay(record: Native, lines: Lines, state: ReaderState): { copy: boolean; open: boolean } {
  const time = timeOf(record);
  if (str(record["uuid"]) === null || time === null) return NO;
  if (goesBack(record, time, state)) return { copy: true, open: false };
  if (state.replay === null && !mayReplay(record)) return NO;
  const { replay } = state;
  if (replay !== null) {
    const found = goesOn(record, time, replay.last, lines);
    if (found.copy) replay.last = time;
    else state.replay = null;
    if (found.copy || found.open) return found;
  }
  const found = opens(record, time, lines);
  if (found.copy) state.replay = { last: time, class: state.triggers > 0 ? "duplicate" : "inherited" };
  return found;
}

/** Whether the record belongs to a copy with the original times. */
function goesBack(record: Native, time: number, state: ReaderState): boolean {
  const { newest, replay } = state;
  if (replay?.until !== undefined) {
    if (time <= replay.until) return true;
    state.replay = null;
  }
  state.newest = Math.max(newest ?? time, time);
  if (record["type"] !== "user" || record["isSidechain"] === true || record["isMeta"] === true) return false;
  const blocks = blocksOf(obj(record["message"]));
  if (hasToolResult(blocks)) return false;
  const texts = blocks.map((block) => `${time}:${digest(str(block["text"]) ?? "")}`);
  const isNew = texts.filter((text) => state.prompts.add(text)).length > 0;
  if (isNew || newest === null || newest <= time) return false;
  state.replay = { last: time, class: "duplicate", until: newest };
  return true;
}

/** Releases from 2.1 on append to the old file or copy it with the original times; 2.0 still forked this way. */
export function mayReplay(record: Native): boolean {
  return /^(?:[01]|2\.0)\./.test(str(record["version"]) ?? "");
}

function opens(record: Native, time: number, lines: Lines): { copy: boolean; open: boolean } {
  if (record["parentUuid"] !== null || record["isSidechain"] === true) return NO;
  // Only a copy without its first prompt begins with an answer.
  if (record["type"] === "assistant") return { copy: isCopiedAnswer(record, time, time), open: false };
  if (record["type"] !== "user") return NO;
  const { answer } = ahead(lines);
  return { copy: answer !== null && isCopiedAnswer(answer, time, time), open: answer === null && isEnd(lines) };
}

function goesOn(record: Native, time: number, last: number, lines: Lines): { copy: boolean; open: boolean } {
  if (time < last || time - last > PACE_MS) return NO;
  if (record["type"] === "assistant") return { copy: isCopiedAnswer(record, time, last), open: false };
  if (record["type"] !== "user" || hasToolResult(blocksOf(obj(record["message"])))) return { copy: true, open: false };
  const { answer, prompts } = ahead(lines);
  if (answer !== null && prompts === 0) return { copy: isCopiedAnswer(answer, time, time), open: false };
  return { copy: time - last <= STEP_MS, open: answer === null && isEnd(lines) };
}

function isCopiedAnswer(record: Native, asked: number, last: number): boolean {
  const time = timeOf(record);
  return (
    record["requestId"] === undefined &&
    !isSynthetic(record) &&
    time !== null &&
    time >= asked &&
    time - last <= PACE_MS
  );
}

/** The next answer, and the number of prompts before it. */
function ahead(lines: Lines): { answer: Native | null; prompts: number } {
  let prompts = 0;
  for (let k = 0; k < REACH; k++) {
    const line = lines.peek(k);
    if (line === null || !line.terminated) break;
    if (line.value?.["type"] === "assistant") return { answer: line.value, prompts };
    if (line.value?.["type"] === "user" && line.value["isMeta"] !== true) prompts += 1;
  }
  return { answer: null, prompts };
}

function isEnd(lines: Lines): boolean {
  const line = lines.peek(REACH - 1);
  return line === null || !line.terminated;
}
