import { dirname, join } from "node:path";
import type { DiscoverContext, PromptWitness, SideFacts } from "../contract.ts";
import { historiesOf } from "./discover.ts";
import { INPUT_HISTORY, SOURCE_ID } from "./identity.ts";
import { readInputHistory } from "./input-history.ts";

/** What was typed, with times, whether or not the chat history still has it. Aider has no titles. */
export function readFacts(ctx: DiscoverContext): SideFacts {
  return { titles: () => new Map(), histories: [], prompts: () => promptsIn(ctx) };
}

function promptsIn(ctx: DiscoverContext): PromptWitness[] {
  const prompts: PromptWitness[] = [];
  for (const history of historiesOf({ ...ctx, report: () => undefined })) {
    const cwd = dirname(history);
    const path = join(cwd, INPUT_HISTORY);
    for (const { line, time, text } of readInputHistory(cwd)) {
      prompts.push({ source: SOURCE_ID, path, line, sessionId: null, time, text, cwd });
    }
  }
  return prompts;
}
