import type { SourceRef } from "../sources/source.ts";
import type { FileDraft } from "../turns/model.ts";
import { UsagePacker, type PackedUsage } from "./packed-usage.ts";
import { readFile, sourceOf, type ReadOptions } from "./read-file.ts";

/** What a thread can be asked about one file: the whole draft, or its counted responses. */
export type Question = { want: "draft"; options: ReadOptions } | { want: "usage" };

export interface Answer {
  draft?: FileDraft;
  /** Absent when the file needs the whole story. */
  usage?: PackedUsage;
  error?: string;
}

export interface Job {
  index: number;
  ref: SourceRef;
  question: Question;
}

export interface JobDone extends Answer {
  index: number;
}

/** Answers in whichever thread it is called. Failures are values: one unreadable file stops nothing. */
export function answer(ref: SourceRef, question: Question): Answer {
  try {
    if (question.want === "draft") return { draft: readFile(ref, question.options) };
    const source = sourceOf(ref);
    const packer = new UsagePacker();
    const told = source.quickUsage?.(ref, {}, (usage, time) => packer.add(usage, time)) ?? false;
    return told ? { usage: packer.pack() } : {};
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
