import { operands } from "../../base/shell/options.ts";
import type { ProgramRun } from "../../base/shell/program-runs.ts";
import type { BlameEdit } from "./model.ts";

/** A program that reformats files in place. */
interface Formatter {
  /** Matches the names of the files it formats. */
  files: RegExp;
  /** The subcommand that formats; absent when the program does nothing else. */
  verb?: RegExp;
  /** Options without which it only checks; absent when it always writes. */
  writes?: RegExp;
  /** Options that take a value. */
  values?: RegExp;
}

const WEB = /\.(?:[cm]?[jt]sx?|jsonc?|json5|css|scss|less|html?|vue|svelte|astro|mdx?|ya?ml|graphql|gql|hbs)$/;
const PYTHON = /\.(?:pyi?|ipynb)$/;
const C = /\.(?:c|cc|cpp|cxx|h|hh|hpp|m|mm|java|proto|cs)$/;

const FORMATTERS: Readonly<Record<string, Formatter>> = {
  prettier: { files: WEB, writes: /^(?:--write|-w)$/, values: /^--(?:config|ignore-path|parser|plugin|log-level)$/ },
  eslint: { files: WEB, writes: /^--fix$/, values: /^(?:-c|--config|--ext|--rule|--format|-f)$/ },
  biome: { files: WEB, verb: /^(?:format|check|lint)$/, writes: /^--(?:write|fix|apply)$/ },
  dprint: { files: WEB, verb: /^fmt$/ },
  deno: { files: WEB, verb: /^fmt$/ },
  oxfmt: { files: WEB },
  gofmt: { files: /\.go$/, writes: /^-\w*w/ },
  goimports: { files: /\.go$/, writes: /^-\w*w/ },
  go: { files: /\.go$/, verb: /^fmt$/ },
  rustfmt: { files: /\.rs$/, values: /^--(?:edition|config)$/ },
  cargo: { files: /\.rs$/, verb: /^fmt$/, values: /^-p$/ },
  black: { files: PYTHON, values: /^(?:-l|--line-length|-t|--target-version)$/ },
  ruff: { files: PYTHON, verb: /^format$/, values: /^--(?:line-length|config)$/ },
  yapf: { files: PYTHON, writes: /^(?:-i|--in-place|-\w*i\w*)$/ },
  autopep8: { files: PYTHON, writes: /^(?:-i|--in-place|-\w*i\w*)$/ },
  "clang-format": { files: C, writes: /^-i$/ },
  shfmt: { files: /\.(?:sh|bash)$/, writes: /^-\w*w$/, values: /^-i$/ },
  terraform: { files: /\.tf(?:vars)?$/, verb: /^fmt$/ },
  stylua: { files: /\.lua$/ },
  dart: { files: /\.dart$/, verb: /^format$/ },
  mix: { files: /\.exs?$/, verb: /^format$/ },
  zig: { files: /\.zig$/, verb: /^fmt$/ },
  taplo: { files: /\.toml$/, verb: /^(?:fmt|format)$/ },
};

/** Every command that formats contains one of these words; it need not contain file names. */
export const FORMATTER_WORDS: readonly string[] = [
  "prettier ",
  "eslint ",
  "biome ",
  "oxfmt",
  "gofmt ",
  "goimports ",
  "rustfmt ",
  "black ",
  "ruff ",
  "clang-format ",
  " fmt",
  " format",
  "lint:fix",
  "stylua ",
  "shfmt ",
  "yapf ",
  "autopep8 ",
];

const LOOKS = /^(?:--check|--diff|--dry-run|--list-different|-l|-d|--emit=stdout|--version|--help)$/;
/** Programs that run the tools of a project, and the arguments before the name of the tool. */
const RUNNERS: Readonly<Record<string, RegExp>> = {
  npx: /^(?:-y|--yes|--no-install)$/,
  bunx: /^--bun$/,
  pnpm: /^(?:exec|dlx)$/,
  yarn: /^(?:exec|dlx|run)$/,
  npm: /^(?:exec|--|-y)$/,
  uvx: /^$/,
  uv: /^(?:run|tool)$/,
  poetry: /^run$/,
  bundle: /^exec$/,
  python: /^-m$/,
  python3: /^-m$/,
};
/** Names of package scripts that format. */
const SCRIPTS = /^(?:format|fmt|prettier|format:(?:write|fix)|lint:fix)$/;

/** The files and directories that a formatter wrote, as they were given to it. */
export function formatterEdits(ran: ProgramRun): BlameEdit[] {
  const { program, args } = withoutRunner(ran);
  if (/^(?:npm|pnpm|yarn|bun)$/.test(program)) return byScript(program, args);
  const formatter = FORMATTERS[program];
  if (!formatter) return [];
  const { files, verb, writes, values } = formatter;
  const isWriting = writes
    ? args.some((arg) => writes.test(arg))
    : !args.some((arg) => LOOKS.test(arg) && values?.test(arg) !== true);
  if (!isWriting) return [];
  const words = operands(args, values);
  if (verb && !verb.test(words.shift() ?? "")) return [];
  const given = words.filter((word) => word !== "").map(directoryOf);
  return (given.length === 0 ? ["."] : given).map((path) => ({ kind: "format", path, files }));
}

/** Options of package managers that take a value; `ELSEWHERE` are those that name another directory. */
const PACKAGE_VALUES = /^(?:--prefix|-C|--dir|--cwd|-w|--workspace|--filter|-F)$/;
const ELSEWHERE = /^(?:--prefix|-C|--dir|--cwd)$/;

/** `npm run format`, with options wherever they stand. */
function byScript(program: string, args: readonly string[]): BlameEdit[] {
  const [first, second] = operands(args, PACKAGE_VALUES);
  const isRun = first === "run" || first === "run-script";
  const name = isRun ? second : first;
  if (!SCRIPTS.test(name ?? "") || (!isRun && program === "npm")) return [];
  const at = args.findIndex((arg) => ELSEWHERE.test(arg));
  return [{ kind: "format", path: at === -1 ? "." : (args[at + 1] ?? "."), files: WEB }];
}

function withoutRunner({ program, args }: Pick<ProgramRun, "program" | "args">): Pick<ProgramRun, "program" | "args"> {
  const between = RUNNERS[program];
  if (!between) return { program, args };
  const rest = args.slice(args.findIndex((arg) => !between.test(arg)));
  const name =
    (rest[0] ?? "")
      .replace(/@[\d^~].*$/, "")
      .split("/")
      .at(-1) ?? "";
  return FORMATTERS[name] ? { program: name, args: rest.slice(1) } : { program, args };
}

/** The directory before a pattern: `src/**` is all of `src`. */
function directoryOf(word: string): string {
  const at = word.search(/[*?[{]|(?:^|\/)\.\.\.$/);
  if (at === -1) return word;
  const end = word.lastIndexOf("/", at);
  return end <= 0 ? "." : word.slice(0, end);
}
