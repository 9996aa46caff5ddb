import type { Command } from "commander";
import { messageOf } from "../../base/errors.ts";
import { agentOf } from "../../narrate/agents/agent.ts";
import type { OtherWordings } from "../../narrate/wordings.ts";
import type { Io } from "./io.ts";
import type { OpenedDaybook } from "./open-daybook.ts";
import { usageError, collect } from "./flags.ts";
import { plain } from "../../base/text/inert.ts";
import { untilStopped } from "./long-work.ts";

export interface WordingFlags {
  also?: string[];
  words?: string;
  expand?: boolean;
}

/** The flags of a question about the past that may be asked in other words too. */
export function wordingFlags(command: Command): Command {
  return command
    .option("--also <question>", "the same question in other words (repeatable)", collect)
    .option("--words <words>", "words that the answer probably contains")
    .option("--expand", "ask the agent or endpoint of [narrate] in config.toml for such words; once per question")
    .option("--no-expand", "do not, whatever [recall] expand says");
}

/** The other wordings: those given, and those of the user's own agent where they are wanted. */
export async function wordingsFor(
  io: Io,
  question: string,
  { also = [], words = "", expand }: WordingFlags,
  { daybook, book }: Pick<OpenedDaybook, "daybook" | "book">,
): Promise<OtherWordings> {
  const given = { also, words: words.split(/[\s,]+/).filter((word) => word !== "") };
  if (!(expand ?? io.config?.recall?.expand === true)) return given;
  const agent = agentOf(io.config?.narrate ?? {}, io.env);
  if (agent === null) {
    if (expand !== true) return given;
    throw usageError("--expand needs an agent, a command or an endpoint", "name one under [narrate] in config.toml");
  }
  if (book === null) {
    if (expand !== true) return given;
    throw usageError("--expand needs a book, in which the words are kept", "give --home DIR as well");
  }
  try {
    // Imported here because most questions are asked as they are.
    const { otherWordings } = await import("../../narrate/wordings.ts");
    const found = await untilStopped((signal) =>
      otherWordings(question, { agent, home: book, redactor: daybook.redactor, now: io.now, signal }),
    );
    return { also: [...given.also, ...found.also], words: [...given.words, ...found.words] };
  } catch (error) {
    // The question can be answered without it.
    io.err(`daybook: ${plain(messageOf(error))}\n`);
    return given;
  }
}
