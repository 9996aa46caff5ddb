import { dirname, join } from "node:path";
import { textAt } from "../../io/named-path.ts";
import { INPUT_HISTORY } from "./identity.ts";

/** One input typed at Aider's prompt, as recorded by prompt_toolkit. */
export interface TypedInput {
  line: number;
  /** Epoch ms; the file has no zone, so this machine's is assumed. */
  time: number;
  text: string;
}

const STAMP = /^# (\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?\s*$/;

/** `# 2024-08-08 15:03:22.123456`, then every line of the text prefixed with `+`. */
export function parseInputHistory(text: string): TypedInput[] {
  const out: TypedInput[] = [];
  let current: TypedInput | null = null;
  for (const [i, raw] of text.split("\n").entries()) {
    const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    const stamp = STAMP.exec(line);
    if (stamp) {
      const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = stamp.slice(1, 7).map(Number);
      const ms = Math.trunc(Number(`0.${stamp[7] ?? "0"}`) * 1000);
      current = { line: i + 1, time: new Date(year, month - 1, day, hour, minute, second, ms).getTime(), text: "" };
    } else if (line.startsWith("+") && current) {
      if (current.text === "") out.push(current);
      current.text = current.text === "" ? line.slice(1) : `${current.text}\n${line.slice(1)}`;
    }
  }
  return out;
}

export function readInputHistory(directory: string): TypedInput[] {
  // Most published histories come without this file.
  return parseInputHistory(textAt(join(directory, INPUT_HISTORY), Number.POSITIVE_INFINITY) ?? "");
}

/** When the prompts of one run were typed. Both files are in order, so each search starts after the last match. */
export class TypingTimes {
  readonly #typed: TypedInput[];

  constructor(historyPath: string, from: number | null, until: number | null) {
    const all = from === null ? [] : readInputHistory(dirname(historyPath));
    this.#typed = all.filter((one) => one.time >= (from ?? 0) && (until === null || one.time < until));
  }

  /** The entry for a prompt, at or after index `next`. A text typed between braces was entered line by line. */
  find(text: string, next: number): { time: number; next: number } | null {
    const lines = text.trim().split("\n");
    for (const wanted of lines.length > 1 ? [text.trim(), (lines[0] ?? "").trim()] : [text.trim()]) {
      for (let i = next; i < this.#typed.length; i++) {
        const typed = this.#typed[i];
        if (typed?.text.trim() === wanted) return { time: typed.time, next: i + 1 };
      }
    }
    return null;
  }
}
