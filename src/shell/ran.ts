import { resolvePath, UNKNOWN, type WorkingPlace } from "./working-place.ts";
import { parseShell, type Fed, type Script, type Simple, type Stage, type Word } from "./parse.ts";

/** One program started by a shell text. Unknown pieces of words are `UNKNOWN`. */
export interface Ran {
  /** Base name, lower case, without `.exe`. */
  program: string;
  args: string[];
  /** Where it ran; null when that cannot be known. */
  cwd: string | null;
  /** Files written to or read from by redirection. */
  redirects: string[];
  /** Of these, the files that get what it prints. */
  printsTo: { path: string; adds: boolean }[];
  /** Variables whose values stand among its words. */
  variables: string[];
  /** Programs before it in the same pipe. */
  upstream: Ran[];
  /** Programs after it in the same pipe. */
  downstream: Ran[];
  /** Programs whose output is one of its words: `$(…)`, `<(…)`. */
  inWords: Ran[];
  /** Its arguments come, in part, from what it reads: `xargs`. */
  argsFromInput: boolean;
  /** It may not have run: behind `||`, or inside of `if`, `case` or a loop. */
  isUnsure: boolean;
  /** What it reads from here-documents, with `UNKNOWN` for what the shell puts in. */
  fed: string;
}

interface State {
  cwd: string | null;
  variables: Map<string, string>;
  /** How many conditions and loops are open. */
  depth: number;
}

const KEYWORDS = new Set(
  "if then else elif fi do done while until ! time { } function in esac coproc builtin".split(" "),
);
const OPENS = new Set("if while until for case select".split(" "));
const CLOSES = new Set("fi done esac".split(" "));
/** Programs that run another one, with the options that take a word of their own. */
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
/** Texts inside texts: `bash -c "sh -c …"`. */
const DEEPEST = 6;

/** Longest text looked at, longest value remembered, longest pipe looked back on: a command may be made to be slow. */
const LONGEST = 1 << 16;
const LONGEST_VALUE = 4096;
const LONGEST_PIPE = 16;

/** Every program a shell text starts, in order. */
export function programsOf(text: string, place: WorkingPlace): Ran[] {
  return new Runner(place).run(
    parseShell(text.slice(0, LONGEST)),
    { cwd: place.cwd, variables: new Map(), depth: 0 },
    0,
  );
}

/** The same for a command given word by word. */
export function programsOfWords(words: readonly string[], place: WorkingPlace): Ran[] {
  const runner = new Runner(place);
  return runner.start(bare([...words]), { cwd: place.cwd, variables: new Map(), depth: 0 }, 0);
}

interface Given {
  words: string[];
  redirects: string[];
  printsTo: Ran["printsTo"];
  variables: string[];
  inWords: Ran[];
  fed: readonly Fed[];
}

function bare(words: string[]): Given {
  return { words, redirects: [], printsTo: [], variables: [], inWords: [], fed: [] };
}

class Runner {
  readonly #place: WorkingPlace;

  constructor(place: WorkingPlace) {
    this.#place = place;
  }

  run(script: Script, state: State, depth: number): Ran[] {
    const out: Ran[] = [];
    if (depth > DEEPEST) return out;
    for (const { stages, join } of script) {
      const all: Ran[] = [];
      for (const stage of stages) {
        // Every part of a pipe is a shell of its own: what it sets is gone after it.
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
      out.push(...all);
    }
    return out;
  }

  #stage(stage: Stage, state: State, depth: number): Ran[] {
    if (stage.kind === "group") return this.run(stage.script, stage.subshell ? copy(state) : state, depth + 1);
    return this.#simple(stage, state, depth);
  }

  #simple(simple: Simple, state: State, depth: number): Ran[] {
    const inWords: Ran[] = [];
    const variables: string[] = [];
    const textOf = (word: Word): string => this.#text(word, state, depth, inWords, variables);
    const words = simple.words.map(textOf);
    const redirects = simple.redirects.map(({ word }) => textOf(word));
    const printsTo = simple.redirects.flatMap(({ to, adds }, i) =>
      to === "file" ? [{ path: redirects[i] ?? UNKNOWN, adds }] : [],
    );
    state.depth += OPENS.has(words[0] ?? "") ? 1 : CLOSES.has(words[0] ?? "") ? -1 : 0;
    if (words[0] === "for" && words[2] === "in") {
      // Of the things a loop goes through the one that leads away is the one to follow.
      const items = words.slice(3);
      state.variables.set(words[1] ?? "", items.find((item) => /^[/~]|^\.\./.test(item)) ?? items[0] ?? UNKNOWN);
      return inWords;
    }
    while (words[0] !== undefined && KEYWORDS.has(words[0])) words.shift();
    while (words[0] !== undefined && /^[A-Za-z_]\w*\+?=/.test(words[0])) assign(words.shift() ?? "", state);
    if (words.length === 0 && redirects.length === 0) return inWords;
    const given = { words, redirects, printsTo, variables, inWords, fed: simple.fed };
    return [...inWords, ...this.start(given, state, depth)];
  }

  /** Follows `sudo`, `env`, `xargs`, `bash -c` and the like to what they run. */
  start({ words, redirects, printsTo, variables, inWords, fed }: Given, state: State, depth: number): Ran[] {
    const { program, args, argsFromInput } = programOf(words);
    const ran: Ran = {
      program,
      args,
      cwd: state.cwd,
      redirects,
      printsTo,
      variables,
      upstream: [],
      downstream: [],
      inWords,
      argsFromInput,
      isUnsure: state.depth > 0,
      fed: fedText(fed),
    };
    if (program === "cd" || program === "pushd") {
      const to = args.find((arg) => !/^-[LPe@]$/.test(arg)) ?? "~";
      state.cwd = to === "-" ? null : resolvePath(to, state.cwd, this.#place);
    }
    if (program === "export" || program === "declare" || program === "local" || program === "readonly")
      for (const arg of args) if (/^[A-Za-z_]\w*=/.test(arg)) assign(arg, state);
    const script = scriptOf(program, args, fed);
    if (script === null || depth >= DEEPEST) return [ran];
    return [ran, ...this.run(parseShell(script), program === "eval" ? state : copy(state), depth + 1)];
  }

  #text(word: Word, state: State, depth: number, inWords: Ran[], variables: string[]): string {
    let out = "";
    for (const part of word) {
      switch (part.kind) {
        case "text":
          // Quoted, a tilde is only a tilde; nothing else a path says depends on quotes.
          out += part.quoted && out === "" && part.text.startsWith("~") ? `./${part.text}` : part.text;
          break;
        case "variable":
          if (part.shown) variables.push(part.name);
          out += this.#value(part.name, state);
          break;
        case "output": {
          const started = this.run(part.script, copy(state), depth + 1);
          inWords.push(...started);
          out += (part.process ? null : said(started)) ?? UNKNOWN;
          break;
        }
        case "unknown":
          out += UNKNOWN;
      }
    }
    return out;
  }

  #value(name: string, state: State): string {
    const set = state.variables.get(name);
    if (set !== undefined) return set;
    if (name === "HOME") return "~";
    if (name === "PWD") return state.cwd ?? UNKNOWN;
    return name === "TMPDIR" ? "/tmp" : UNKNOWN;
  }
}

const EXPANSION = /\\[\\$`\n]|\$(?:\w+|\{[^}\n]{0,200}\}|\([^)\n]{0,500}\))|`[^`\n]{0,500}`/g;

function fedText(fed: readonly Fed[]): string {
  return fed.map(({ text, literal }) => (literal ? text : text.replace(EXPANSION, putIn))).join("\n");
}

/** What the shell puts in is not known; escaped, it stays as it stands. */
function putIn(found: string): string {
  if (!found.startsWith("\\")) return UNKNOWN;
  // A line that is broken for the eye only goes on.
  return found === "\\\n" ? "" : found.slice(1);
}

/** What the commands in a `$(…)` print, where that stands in the text itself: `cat` with a here-document, `echo`, `printf`. */
function said(started: readonly Ran[]): string | null {
  const [only] = started;
  if (!only || started.length > 1) return null;
  const { program, args, fed } = only;
  if (program === "cat" && args.every((arg) => arg === "-") && fed !== "") return fed.trimEnd();
  if (program === "echo" && !args.some((arg) => arg.startsWith("-"))) return args.join(" ");
  const [format = "%"] = args;
  if (program !== "printf" || args.length !== 1 || format.includes("%")) return null;
  return format.replace(/\\n/g, "\n").trimEnd();
}

/** The program some words start, behind `sudo`, `env`, `timeout`, `xargs` and the like. */
export function programOf(words: readonly string[]): Pick<Ran, "program" | "args" | "argsFromInput"> {
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
  variables.set(name.replace(/\+$/, ""), known ? word.slice(at + 1) : UNKNOWN);
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
  // The first plain word of `timeout` is the time.
  return args.slice(program === "timeout" ? at + 1 : at);
}

/** The shell text a program is given to run; null when it is no shell. */
export function scriptOf(program: string, args: readonly string[], fed: readonly Fed[]): string | null {
  if (program === "eval") return args.join(" ");
  if (!SHELLS.test(program)) return null;
  const at = args.findIndex((arg) => /^-[a-z]*c$/i.test(arg) || arg.toLowerCase() === "-command");
  if (at !== -1) return args[at + 1] ?? null;
  return args.every((arg) => arg.startsWith("-")) && fed.length > 0 ? fed.map(({ text }) => text).join("\n") : null;
}

export function baseName(word: string): string {
  const name = word.split(/[/\\]/).at(-1) ?? "";
  return name.toLowerCase().replace(/\.(?:exe|cmd)$/, "");
}
