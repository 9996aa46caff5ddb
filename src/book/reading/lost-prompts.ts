import type { PromptWitness } from "../../agents/contract.ts";

/** Prompts whose session has no transcript, neither with the agent nor in the book: only the input history has them. */
export function lostPrompts(
  typed: readonly PromptWitness[],
  isKnown: (source: string, sessionId: string) => boolean,
): PromptWitness[] {
  return typed.filter(({ source, sessionId }) => sessionId !== null && !isKnown(source, sessionId));
}
