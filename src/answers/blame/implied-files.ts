import { operands } from "../../base/shell/options.ts";
import type { ProgramRun } from "../../base/shell/program-runs.ts";
import type { Rewrite } from "./stream-edit.ts";
import type { BlameEdit } from "./model.ts";

/** A program that writes files which its command does not name. */
interface ImpliedFiles {
  files: readonly string[];
  /** Subcommands that change the files. */
  verbs: RegExp;
  /** Subcommands that create the first one. */
  makes: RegExp;
  /** Creating fails when the file exists; otherwise its content is kept. */
  isStrict: boolean;
}

const PACKAGE: ImpliedFiles = {
  files: ["package.json"],
  verbs: /^(?:pkg|install|i|add|remove|rm|uninstall|un|version|set)\b/,
  makes: /^init\b/,
  isStrict: false,
};
const IMPLIED: Readonly<Record<string, ImpliedFiles>> = {
  npm: PACKAGE,
  pnpm: PACKAGE,
  yarn: PACKAGE,
  bun: PACKAGE,
  cargo: { files: ["Cargo.toml"], verbs: /^(?:add|remove|rm)\b/, makes: /^init$/, isStrict: true },
  go: { files: ["go.mod", "go.sum"], verbs: /^(?:get|mod (?:tidy|edit))/, makes: /^mod init/, isStrict: true },
  tsc: { files: ["tsconfig.json"], verbs: /^$/, makes: /^--init$/, isStrict: true },
  uv: { files: ["pyproject.toml"], verbs: /^(?:add|remove)\b/, makes: /^init$/, isStrict: true },
  poetry: { files: ["pyproject.toml"], verbs: /^(?:add|remove|version)\b/, makes: /^init$/, isStrict: true },
};

/** Edits of files that a program maintains itself; its arguments mostly do not say what it writes. */
export function impliedEdits({ program, args, isUnsure }: ProgramRun): BlameEdit[] {
  const [name, rest] = program === "npx" ? [args[0] ?? "", args.slice(1)] : [program, args];
  const implied = Object.hasOwn(IMPLIED, name) ? IMPLIED[name] : undefined;
  if (!implied) return [];
  const words = name === "tsc" ? rest.join(" ") : operands(rest).join(" ");
  const [first = ""] = implied.files;
  if (implied.makes.test(words) && !isUnsure)
    return [{ kind: "output", path: first, ...(implied.isStrict ? {} : { ifNew: true }) }];
  const set = name === "npm" && /^pkg set\b/.test(words) ? fieldsSet(operands(rest).slice(2)) : null;
  if (set) return [{ kind: "stream", path: first, rewrite: set, puts: [] }];
  return implied.verbs.test(words) ? implied.files.map((path) => ({ kind: "script", path, text: "" })) : [];
}

/** `npm pkg set a.b=c`: what happens to the lines of a `package.json`. */
function fieldsSet(words: readonly string[]): Rewrite | null {
  const fields = words.map((word): [names: string[], value: string] => {
    const at = word.indexOf("=");
    return [word.slice(0, at).split("."), word.slice(at + 1)];
  });
  // Lists and values other than strings are rarely set this way.
  if (words.some((word) => !/^[\w-]+(?:\.[\w-]+)*=/.test(word))) return null;
  return (lines) => {
    const text = lines.join("\n");
    const json = objectIn(text);
    if (!json || fields.some(([names, value]) => !put(json, names, value))) return null;
    const indent = /^\{\n([ \t]+)/.exec(text)?.[1] ?? "  ";
    return JSON.stringify(json, null, indent).split("\n");
  };
}

type Fields = Record<string, unknown>;

function put(json: Fields, [name = "", ...rest]: readonly string[], value: string): boolean {
  if (rest.length === 0) {
    json[name] = value;
    return true;
  }
  const inner = (json[name] ??= {});
  return isFields(inner) && put(inner, rest, value);
}

function objectIn(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Words that every command writing such a file contains; empty for all other files. */
export function wordsImplying(name: string): string[] {
  return Object.entries(IMPLIED).flatMap(([program, { files }]) => (files.includes(name) ? [`${program} `] : []));
}
