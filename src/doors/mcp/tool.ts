import type { z } from "zod";
import type { Daybook } from "../../answers/daybook.ts";
import type { Caller } from "./caller.ts";

/** What every tool works with. */
export interface ToolContext {
  daybook: Daybook;
  /** The calling session and its directory. */
  caller: Caller;
}

/** The answer of a tool: `text` may contain anything from sessions, `about` only our own words and numbers. */
export interface ToolAnswer {
  about: string;
  text: string;
}

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  name: string;
  /** Tells a model when to call it. */
  description: string;
  input: Input;
  /** Equal as long as the answer is; null if unknown. Lets answers of many pages be reused. */
  state?: (given: z.output<Input>, asked: ToolContext) => Promise<number | null>;
  answer: (given: z.output<Input>, asked: ToolContext) => Promise<ToolAnswer>;
}

/** Keeps the input type of a tool together with its implementation. */
export function tool<Input extends z.ZodObject>(one: Tool<Input>): Tool {
  return one;
}
