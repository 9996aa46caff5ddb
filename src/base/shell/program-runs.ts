import { resolvePath, UNKNOWN_PART, type WorkingPlace } from "./working-place.ts";
import {
  parseShell,
  type HereText,
  type Pipeline,
  type Script,
  type Simple,
  type Stage,
  type ShellWord,
} from "./parse.ts";

/** One program started by a shell text. Parts of words that are not known are `UNKNOWN_PART`. */
export interface ProgramRun {
  /** Base name, lower case, without `.exe`. */
  program: string;
  args: string[];
  /** Its working directory; null when that cannot be known. */
  cwd: string | null;
  /** Files that redirections read or write. */
  redirects: string[];
  /** Those of `redirects` that receive its standard output. */
  printsTo: { path: string; appends: boolean }[];
  /** Variables whose values occur in its words. */
  variables: string[];
  /** Programs before it in the same pipeline. */
  upstream: ProgramRun[];
  /** Programs after it in the same pipeline. */
  downstream: ProgramRun[];
  /** Programs run by substitutions in its words: `$(…)`, `<(…)`. */
  substitutions: ProgramRun[];
  /** Some of its arguments come from standard input: `xargs`. */
  argsFromInput: boolean;
  /** It may not have run: it follows `||` or is inside `if`, `case` or a loop. */
  isUnsure: boolean;
  /** The text of its here-documents, with `UNKNOWN_PART` in place of expansions. */
  hereText: string;
}

interface State {
  cwd: string | null;
  variables: Map<string, string>;
  /** Number of conditions and loops around the current command. */
  depth: number;
}

const KEYWORDS = new Set(
  "if then else elif fi do done while until ! time { } function in esac coproc builtin".split(" "),
);
const OPENS = new Set("if while until for case select".split(" "));
const CLOSES = new Set("fi done esac".split(" "));
/** Programs that run another program, with the options that take a value. */
const WRAPPERS: Readonly<Record<string, RegExp>> = {
  sudo: /^-[ugpCDhRTr]$/,
  doas: /^-[uC]$/,
  env: /^-[uCS]$/,
  nice: /^-n$/,
  ionice: /^-[cnp]$/,
  timeout: /^-[ks]$/,
  stdbuf: /^-[ioe]$/,
  setsid: /^$/,
  caffeinate: /^-[tw]$/,
  nohup: /^$/,
  command: /^$/,
  exec: /^-a$/,
  xargs: /^-[adEILnPs]$/,
};
const SHELLS = /^(?:ba|z|da|k|a|fi)?sh$|^pwsh$|^powershell$/;
/** Deepest nesting of shell texts that is followed: `bash -c "sh -c …"`. */
const DEEPEST = 6;

/** Bounds on text, variable values and pipelines, so that a hostile command cannot make the analysis slow. */
const LONGEST = 1 << 16;
const LONGEST_VALUE = 4096;
const LONGEST_PIPE = 16;

/** The last text whose programs were asked for: of each command several things are asked one after the other. */
let last: { text: string; place: string; ran: readonly ProgramRun[] } = { text: "", place: "", ran: [] };

/** Every program that a shell text starts, in order. `eachRound`: unrolls loops over known words. */
export function programsOf(text: string, place: WorkingPlace, eachRound = false): readonly ProgramRun[] {
  const name = [eachRound, place.cwd, ...place.roots].join("\0");
  if (last.text !== text || last.place !== name)
    last = { text, place: name, ran: findPrograms(text, place, eachRound) };
  return last.ran;
}

function findPrograms(text: string, place: WorkingPlace, eachRound: boolean): ProgramRun[] {
  return new Runner(place, eachRound ? MOST_ROUNDS : 0).run(
    parseShell(text.slice(0, LONGEST)),
    { cwd: place.cwd, variables: new Map(), depth: 0 },
    0,
  );
}

/** Like `programsOf`, for a command given as a list of words. */
export function programsOfWords(words: readonly string[], place: WorkingPlace): ProgramRun[] {
  const runner = new Runner(place);
  return runner.start(commandLineOf([...words]), { cwd: place.cwd, variables: new Map(), depth: 0 }, 0);
}

interface CommandLine {
  words: string[];
  redirects: string[];
  printsTo: ProgramRun["printsTo"];
  variables: string[];
  substitutions: ProgramRun[];
  hereTexts: readonly HereText[];
}

function commandLineOf(words: string[]): CommandLine {
  return { words, redirects: [], printsTo: [], variables: [], substitutions: [], hereTexts: [] };
}

/** Maximum number of unrolled rounds, over all loops of a text. */
const MOST_ROUNDS = 100;

class Runner {
  readonly #place: WorkingPlace;
  /** Rounds of loops that may still be unrolled. */
  #rounds: number;

  constructor(place: WorkingPlace, rounds = 0) {
    this.#place = place;
    this.#rounds = rounds;
  }

  run(script: Script, state: State, depth: number): ProgramRun[] {
    if (depth > DEEPEST) return [];
    const out: ProgramRun[] = [];
    const loops = this.#rounds > 0 ? loopsIn(script) : [];
    let from = 0;
    for (const [at, pipeline] of script.entries()) {
      if (at < from) continue;
      const loop = loops[at];
      const items = loop ? this.#items(loop, state, depth) : null;
      if (!loop || !items) {
        out.push(...this.#pipeline(pipeline, state, depth));
        continue;
      }
      this.#rounds -= items.length;
      for (const item of items) {
        state.variables.set(loop.variable, item);
        out.push(...this.run(script.slice(at + 1, loop.done), state, depth + 1));
      }
      from = loop.done + 1;
    }
    return out;
  }

  /** The words that a loop iterates over; null when they are not known or too many. */
  #items({ items }: Loop, state: State, depth: number): string[] | null {
    const substitutions: ProgramRun[] = [];
    const texts = items.map((word) => this.#text(word, state, depth, substitutions, []));
    const isKnown = texts.every((text) => !text.includes(UNKNOWN_PART) && !/[*?[{\s]/.test(text));
    return isKnown && substitutions.length === 0 && texts.length <= this.#rounds ? texts : null;
  }

  #pipeline({ stages, join }: Pipeline, state: State, depth: number): ProgramRun[] {
    const all: ProgramRun[] = [];
    for (const stage of stages) {
      // Each stage of a pipeline runs in a subshell: its variables and directory are lost afterwards.
      const inner = stages.length > 1 ? copy(state) : state;
      const started = this.#stage(stage, inner, depth);
      const before = all.slice(-LONGEST_PIPE);
      for (const ran of started) {
        ran.upstream = [...before, ...ran.upstream];
        for (const earlier of before) earlier.downstream.push(ran);
      }
      all.push(...started);
    }
    if (join === "or") for (const ran of all) ran.isUnsure = true;
    return all;
  }

  #stage(stage: Stage, state: State, depth: number): ProgramRun[] {
    if (stage.kind === "group") return this.run(stage.script, stage.subshell ? copy(state) : state, depth + 1);
    return this.#simple(stage, state, depth);
  }

  #simple(simple: Simple, state: State, depth: number): ProgramRun[] {
    const substitutions: ProgramRun[] = [];
    const variables: string[] = [];
    const textOf = (word: ShellWord): string => this.#text(word, state, depth, substitutions, variables);
    const words = simple.words.map(textOf);
    const redirects = simple.redirects.map(({ word }) => textOf(word));
    const printsTo = simple.redirects.flatMap(({ to, appends }, i) =>
      to === "file" ? [{ path: redirects[i] ?? UNKNOWN_PART, appends }] : [],
    );
    state.depth += OPENS.has(words[0] ?? "") ? 1 : CLOSES.has(words[0] ?? "") ? -1 : 0;
    if (words[0] === "for" && words[2] === "in") {
      // The loop is not unrolled: follow the item that leads out of the directory, which is the one rules look for.
      const items = words.slice(3);
      state.variables.set(words[1] ?? "", items.find((item) => /^[/~]|^\.\./.test(item)) ?? items[0] ?? UNKNOWN_PART);
      return substitutions;
    }
    while (words[0] !== undefined && KEYWORDS.has(words[0])) words.shift();
    while (words[0] !== undefined && /^[A-Za-z_]\w*\+?=/.test(words[0])) assign(words.shift() ?? "", state);
    if (words.length === 0 && redirects.length === 0) return substitutions;
    const given = { words, redirects, printsTo, variables, substitutions, hereTexts: simple.hereTexts };
    return [...substitutions, ...this.start(given, state, depth)];
  }

  /** Resolves `sudo`, `env`, `xargs`, `bash -c` and similar wrappers to the programs they run. */
  start(
    { words, redirects, printsTo, variables, substitutions, hereTexts }: CommandLine,
    state: State,
    depth: number,
  ): ProgramRun[] {
    const { program, args, argsFromInput } = programOf(words);
    const ran: ProgramRun = {
      program,
      args,
      cwd: state.cwd,
      redirects,
      printsTo,
      variables,
      upstream: [],
      downstream: [],
      substitutions,
      argsFromInput,
      isUnsure: state.depth > 0,
      hereText: hereTextOf(hereTexts),
    };
    if (program === "cd" || program === "pushd") {
      const to = args.find((arg) => !/^-[LPe@]$/.test(arg)) ?? "~";
      state.cwd = to === "-" ? null : resolvePath(to, state.cwd, this.#place);
    }
    if (program === "export" || program === "declare" || program === "local" || program === "readonly")
      for (const arg of args) if (/^[A-Za-z_]\w*=/.test(arg)) assign(arg, state);
    const script = scriptOf(program, args, hereTexts);
    if (script === null || depth >= DEEPEST) return [ran];
    return [ran, ...this.run(parseShell(script), program === "eval" ? state : copy(state), depth + 1)];
  }

  #text(word: ShellWord, state: State, depth: number, substitutions: ProgramRun[], variables: string[]): string {
    let out = "";
    for (const part of word) {
      switch (part.kind) {
        case "text":
          // A quoted tilde is not expanded; quotes make no other difference to a path.
          out += part.quoted && out === "" && part.text.startsWith("~") ? `./${part.text}` : part.text;
          break;
        case "variable":
          if (part.shown) variables.push(part.name);
          out += this.#value(part.name, state);
          break;
        case "output": {
          const started = this.run(part.script, copy(state), depth + 1);
          substitutions.push(...started);
          out += (part.process ? null : literalOutput(started)) ?? UNKNOWN_PART;
          break;
        }
        case "unknown":
          out += UNKNOWN_PART;
      }
    }
    return out;
  }

  #value(name: string, state: State): string {
    const set = state.variables.get(name);
    if (set !== undefined) return set;
    if (name === "HOME") return "~";
    if (name === "PWD") return state.cwd ?? UNKNOWN_PART;
    return name === "TMPDIR" ? "/tmp" : UNKNOWN_PART;
  }
}

interface Loop {
  variable: string;
  items: readonly ShellWord[];
  /** Index of its `done` in the script. */
  done: number;
}

/** Keywords that may precede the first word of a command. */
const LEADING = new Set<string | null>("if then else elif do { ! time".split(" "));
const LOOPS = new Set<string | null>("for while until select".split(" "));
/** Commands that may leave a loop early. */
const LEAVES = new Set<string | null>("break continue exit return".split(" "));

/** `for` loops by their index in the script: those that are never left early and whose output is not redirected. */
function loopsIn(script: Script): (Loop | undefined)[] {
  const found: (Loop | undefined)[] = [];
  const open: { at: number; loop: Loop | null }[] = [];
  for (const [at, { stages, join }] of script.entries()) {
    const [stage, more] = stages;
    if (stage?.kind !== "simple") continue;
    const words = stage.words.map(plainText);
    const first = words.find((word) => !LEADING.has(word));
    if (LEAVES.has(first ?? null)) for (const one of open) one.loop = null;
    if (LOOPS.has(first ?? null)) open.push({ at, loop: join === "or" ? null : loopOf(stage, words) });
    if (first !== "done") continue;
    const closed = open.pop();
    const isLast =
      more === undefined && words.length === 1 && stage.redirects.length === 0 && stage.hereTexts.length === 0;
    if (closed?.loop && isLast) found[closed.at] = { ...closed.loop, done: at };
  }
  return found;
}

function loopOf({ words }: Simple, texts: readonly (string | null)[]): Loop | null {
  const at = texts.indexOf("for");
  const variable = texts[at + 1] ?? null;
  return at !== -1 && variable !== null && texts[at + 2] === "in"
    ? { variable, items: words.slice(at + 3), done: -1 }
    : null;
}

/** The literal text of a word; null when it contains an expansion. */
function plainText(word: ShellWord): string | null {
  let text = "";
  for (const part of word) {
    if (part.kind !== "text") return null;
    text += part.text;
  }
  return text;
}

const EXPANSION = /\\[\\$`\n]|\$(?:\w+|\{[^}\n]{0,200}\}|\([^)\n]{0,500}\))|`[^`\n]{0,500}`/g;

function hereTextOf(hereTexts: readonly HereText[]): string {
  return hereTexts.map(({ text, literal }) => (literal ? text : text.replace(EXPANSION, expansionText))).join("\n");
}

/** The value of an expansion is not known; an escaped character stands for itself. */
function expansionText(found: string): string {
  if (!found.startsWith("\\")) return UNKNOWN_PART;
  // A backslash before a line break joins the lines.
  return found === "\\\n" ? "" : found.slice(1);
}

/** The output of a `$(…)` whose text is literally in the script: `cat` with a here-document, `echo`, `printf`. */
function literalOutput(started: readonly ProgramRun[]): string | null {
  const [only] = started;
  if (!only || started.length > 1) return null;
  const { program, args, hereText } = only;
  if (program === "cat" && args.every((arg) => arg === "-") && hereText !== "") return hereText.trimEnd();
  if (program === "echo" && !args.some((arg) => arg.startsWith("-"))) return args.join(" ");
  const [format = "%"] = args;
  if (program !== "printf" || args.length !== 1 || format.includes("%")) return null;
  return format.replace(/\\n/g, "\n").trimEnd();
}

/** The program that a list of words starts, without wrappers such as `sudo`, `env`, `timeout` and `xargs`. */
export function programOf(words: readonly string[]): Pick<ProgramRun, "program" | "args" | "argsFromInput"> {
  let rest = words;
  let argsFromInput = false;
  for (;;) {
    const program = baseName(rest[0] ?? "");
    const takes = WRAPPERS[program];
    const inner = takes ? unwrapped(program, rest.slice(1), takes) : [];
    if (inner.length === 0) break;
    argsFromInput ||= program === "xargs";
    rest = inner;
  }
  const [first = "", ...args] = rest;
  return { program: baseName(first), args, argsFromInput };
}

function copy(state: State): State {
  return { cwd: state.cwd, variables: new Map(state.variables), depth: state.depth };
}

function assign(word: string, { variables }: State): void {
  const at = word.indexOf("=");
  const name = word.slice(0, at);
  const known = !name.endsWith("+") && word.length < LONGEST_VALUE;
  variables.set(name.replace(/\+$/, ""), known ? word.slice(at + 1) : UNKNOWN_PART);
}

function unwrapped(program: string, args: readonly string[], takesWord: RegExp): string[] {
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      at++;
      break;
    }
    if (takesWord.test(arg)) at++;
    else if (!arg.startsWith("-") && !(/^[A-Za-z_]\w*=/.test(arg) && (program === "env" || program === "sudo"))) break;
  }
  // The first operand of `timeout` is the duration.
  return args.slice(program === "timeout" ? at + 1 : at);
}

/** The shell text that a program is given to run; null when it is not a shell or gets no text. */
export function scriptOf(program: string, args: readonly string[], hereTexts: readonly HereText[]): string | null {
  if (program === "eval") return args.join(" ");
  if (!SHELLS.test(program)) return null;
  const at = args.findIndex((arg) => /^-[a-z]*c$/i.test(arg) || arg.toLowerCase() === "-command");
  if (at !== -1) return args[at + 1] ?? null;
  return args.every((arg) => arg.startsWith("-")) && hereTexts.length > 0
    ? hereTexts.map(({ text }) => text).join("\n")
    : null;
}

export function baseName(word: string): string {
  const name = word.split(/[/\\]/).at(-1) ?? "";
  return name.toLowerCase().replace(/\.(?:exe|cmd)$/, "");
}
