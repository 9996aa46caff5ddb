import { expansionOf, type Expansion } from "./expansion.ts";
import { PromptFiles, type PromptDirectory } from "./prompt-files.ts";

/** A built-in command that the client sends as its expanded text. */
export interface BuiltInCommand {
  called: string;
  /** The exact beginning of the text. */
  starts: string;
  /** Matches the arguments typed after the command, in group 1. */
  typed?: RegExp;
}

/** A text must be this many times as long as `starts`: a human may type the first sentence on its own. */
const GOES_ON = 3;

/**
 * Recognises prompts that a client expanded from a template: by built-in texts, by shape, or by the human's own files.
 */
export class CommandTemplates {
  readonly #builtIn: readonly BuiltInCommand[];
  readonly #files: PromptFiles;

  constructor(builtIn: readonly BuiltInCommand[], places: readonly PromptDirectory[]) {
    this.#builtIn = builtIn;
    this.#files = new PromptFiles(places);
  }

  /** The command and its arguments; null for a text that a human wrote. */
  expansion(text: string): Expansion | null {
    return this.#own(text) ?? expansionOf(text) ?? this.#files.match(text);
  }

  #own(text: string): Expansion | null {
    const body = text.trim();
    const found = this.#builtIn.find(({ starts }) => body.startsWith(starts) && body.length > GOES_ON * starts.length);
    return found ? { called: found.called, typed: found.typed?.exec(body)?.[1]?.trim() ?? "" } : null;
  }
}
