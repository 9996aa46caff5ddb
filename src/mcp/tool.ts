import type { z } from "zod";
import type { Daybook } from "../daybook.ts";
import type { Caller } from "./caller.ts";

/** What every tool works with. */
export interface Asked {
  daybook: Daybook;
  /** Who asks, from where. */
  caller: Caller;
}

/** What a tool answers: `text` holds whatever comes out of sessions, `about` nothing but words and numbers of our own. */
export interface Answer {
  about: string;
  text: string;
}

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  name: string;
  /** What a model reads to know when to call it. */
  description: string;
  input: Input;
  /** Equal for as long as the answer is; null where nobody can tell. For answers of many pages, which need not be made for each. */
  state?: (given: z.output<Input>, asked: Asked) => Promise<number | null>;
  answer: (given: z.output<Input>, asked: Asked) => Promise<Answer>;
}

/** Keeps the type of what a tool takes beside what it does with it. */
export function tool<Input extends z.ZodObject>(one: Tool<Input>): Tool {
  return one;
}
