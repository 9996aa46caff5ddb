import { expansionOf, type Expansion } from "./expansion.ts";
import { PromptFiles, type PromptPlace } from "./prompt-files.ts";

/** A command of the client's own that it sends as a text. */
export interface BuiltIn {
  called: string;
  /** How the text begins, word for word. */
  starts: string;
  /** Where in the text stands what was typed after the command. */
  typed?: RegExp;
}

/** The texts go on at length: who writes the first sentence alone means it. */
const GOES_ON = 3;

/** Every way to know a prompt that a client made of a template: by the client's own texts, by its shape, by the human's files. */
export class Templates {
  readonly #builtIn: readonly BuiltIn[];
  readonly #files: PromptFiles;

  constructor(builtIn: readonly BuiltIn[], places: readonly PromptPlace[]) {
    this.#builtIn = builtIn;
    this.#files = new PromptFiles(places);
  }

  /** What was called and typed; null for what a human wrote. */
  expansion(text: string): Expansion | null {
    return this.#own(text) ?? expansionOf(text) ?? this.#files.match(text);
  }

  #own(text: string): Expansion | null {
    const body = text.trim();
    const found = this.#builtIn.find(({ starts }) => body.startsWith(starts) && body.length > GOES_ON * starts.length);
    return found ? { called: found.called, typed: found.typed?.exec(body)?.[1]?.trim() ?? "" } : null;
  }
}
