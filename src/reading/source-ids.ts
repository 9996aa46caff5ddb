import { SOURCES } from "../sources/registry.ts";

/** What the worktrees look like that agents make themselves. */
export function worktreeLayouts(): ((dir: string) => string | null)[] {
  return SOURCES.flatMap((source) => source.mainCheckout ?? []);
}

/** The names agents go by, in flags and in answers. */
export function sourceIds(): string[] {
  return SOURCES.map((source) => source.id);
}

/** The agent stores commands of the human's own as the text they stand for. */
export function sendsCommandsAsText(source: string): boolean {
  return SOURCES.some(({ id, capabilities }) => id === source && capabilities.commandsAsText === true);
}
