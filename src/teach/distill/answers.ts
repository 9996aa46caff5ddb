import type { Asked } from "../../turns/decisions/model.ts";
import { readsLikeInstruction } from "../../turns/decisions/instruction-like.ts";
import { missingLines, questionLine, type QuestionLine } from "../../turns/decisions/question-log.ts";
import { readText } from "../../base/io/regular-file.ts";
import { bucketFor } from "../bucket.ts";
import { parseLogLine, textField } from "../log-lines.ts";
import { stateFile, type State } from "../state.ts";

/** A free-text answer that was not searched for lessons yet. */
export interface FreeAnswer {
  /** The line of the log, as it is or will be written: it is stamped later. */
  raw: string;
  question_id: string;
  question: string;
  text: string;
}

export interface FreeAnswers {
  /** False when there is neither a log nor an answer in a session. */
  isLogged: boolean;
  answers: FreeAnswer[];
  /** Left out, because they read like instructions. */
  hostile: FreeAnswer[];
  /** Lines from sessions that the log does not have yet. */
  fresh: QuestionLine[];
}

/** Collects the free-text answers in the log and in sessions of any agent. Writes nothing. */
export function freeAnswers(asked: readonly Asked[], state: State, slug: string, now: string): FreeAnswers {
  const path = stateFile.questionLog(state, slug);
  const before = textOf(path);
  const rows = asked.flatMap((one) => {
    if (one.decision.free_text === null || bucketFor(one, state) !== slug) return [];
    const accepted = questionLine(one, now);
    return accepted !== null && "line" in accepted ? [accepted.line] : [];
  });
  const fresh = missingLines(before ?? "", rows);
  const raws = [...(before ?? "").split("\n"), ...fresh.map((line) => JSON.stringify(line))];
  const answers = raws.flatMap((raw): FreeAnswer[] => {
    const line = raw.trim() === "" ? null : parseLogLine(raw, slug);
    const text = line && textField(line, "free_text");
    if (!line || text === null || textField(line, "distilled_at") !== null) return [];
    return [{ raw, question_id: line.question_id, question: line.summary, text }];
  });
  return {
    isLogged: before !== null || fresh.length > 0,
    answers: answers.filter((one) => !isHostile(one)),
    hostile: answers.filter(isHostile),
    fresh,
  };
}

function isHostile({ text, question }: FreeAnswer): boolean {
  return readsLikeInstruction(text) || readsLikeInstruction(question);
}

function textOf(path: string): string | null {
  try {
    return readText(path);
  } catch {
    return null;
  }
}
