import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DaybookError } from "../base/errors.ts";
import { PROMPTS } from "../places.ts";
import type { Problem } from "./checks/problem.ts";

export type PromptName = "review" | "evidence" | "project" | "day" | "week" | "distill";

/** The prompts for agents: those of the package, or the user's own where there are any. */
export class Prompts {
  readonly #own: string | null;
  readonly #language: string | null;

  /** `own`: a folder whose files replace those of the package. */
  constructor(own: string | null, language: string | null) {
    this.#own = own;
    this.#language = language;
  }

  get language(): string {
    return languageRule(this.#language);
  }

  text(name: PromptName, holes: Readonly<Record<string, string>>): string {
    const filled = { language: this.language, ...holes };
    // A single pass: inserted text is never searched for placeholders.
    return this.#template(name).replace(/\{\{(\w+)\}\}/g, (hole, key: string) =>
      Object.hasOwn(filled, key) ? (filled[key as keyof typeof filled] ?? "") : hole,
    );
  }

  #template(name: PromptName): string {
    const own = this.#own === null ? null : join(this.#own, `${name}.md`);
    const text = readFileSync(own !== null && existsSync(own) ? own : new URL(`${name}.md`, PROMPTS), "utf8");
    for (const hole of ["transcript", "answer"])
      if (!text.includes(`{{${hole}}}`))
        throw new DaybookError(`${own}: {{${hole}}} is missing`, {
          code: "usage",
          op: "read prompt",
          hint: "without it the agent does not know what to read and what to write",
        });
    return text;
  }
}

/** Copies the package's prompts for editing; existing files stay. Returns the files written. */
export function writePrompts(folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  const from = fileURLToPath(PROMPTS);
  return readdirSync(from)
    .filter((name) => name.endsWith(".md") && !existsSync(join(folder, name)))
    .map((name) => {
      const path = join(folder, name);
      writeFileSync(path, readFileSync(join(from, name)), { flag: "wx" });
      return path;
    });
}

/** The rule for the language of texts; keys and fixed values of the JSON stay as they are. */
export function languageRule(language: string | null): string {
  if (language === null)
    return "Write texts in the language in which the human asks. Keys and fixed values of the JSON stay as they are.";
  let name = language;
  try {
    name = new Intl.DisplayNames(["en"], { type: "language" }).of(language) ?? language;
  } catch {
    // Not a valid language tag: passed on as given.
  }
  return `Write texts in ${name} (${language}). Quotes, keys and fixed values of the JSON stay as they are.`;
}

/** The rule for the form of the answer, for agents without tools. */
export function answerRule(schema: unknown): string {
  return `Answer with one JSON object and nothing else, no fence and no word around it, of this schema:\n${JSON.stringify(schema)}`;
}

/** The problems of the last answer, for the next prompt. */
export function problemText(problems: readonly Problem[]): string {
  if (problems.length === 0) return "";
  const lines = problems
    .slice(0, 60)
    .map(({ path, message, hint }) => `- ${path}: ${message}. ${hint[0]?.toUpperCase() ?? ""}${hint.slice(1)}.`);
  return `Your last answer was rejected in these points. Write only what is still missing, without them:\n${lines.join("\n")}\n\n`;
}
