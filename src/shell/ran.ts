import { resolvePath, UNKNOWN, type WorkingPlace } from "./working-place.ts";
import { parseShell, type Fed, type Pipeline, type Script, type Simple, type Stage, type Word } from "./parse.ts";

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

/** Every program a shell text starts, in order. `eachRound`: what stands in a loop over known words once for each of them. */
export function programsOf(text: string, place: WorkingPlace, eachRound = false): Ran[] {
  return new Runner(place, eachRound ? MOST_ROUNDS : 0).run(
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

/** Of all loops of a text together. */
const MOST_ROUNDS = 100;

class Runner {
  readonly #place: WorkingPlace;
  /** Rounds of loops that may still be gone through. */
  #rounds: number;

  constructor(place: WorkingPlace, rounds = 0) {
    this.#place = place;
    this.#rounds = rounds;
  }

  run(script: Script, state: State, depth: number): Ran[] {
    if (depth > DEEPEST) return [];
    const out: Ran[] = [];
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

  /** What a loop goes through; null where it is not known, or too much. */
  #items({ items }: Loop, state: State, depth: number): string[] | null {
    const inWords: Ran[] = [];
    const texts = items.map((word) => this.#text(word, state, depth, inWords, []));
    const isKnown = texts.every((text) => !text.includes(UNKNOWN) && !/[*?[{\s]/.test(text));
    return isKnown && inWords.length === 0 && texts.length <= this.#rounds ? texts : null;
  }

  #pipeline({ stages, join }: Pipeline, state: State, depth: number): Ran[] {
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
    return all;
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

interface Loop {
  variable: string;
  items: readonly Word[];
  /** Where its `done` stands. */
  done: number;
}

/** Words that may stand before the first of a command. */
const LEADING = new Set<string | null>("if then else elif do { ! time".split(" "));
const LOOPS = new Set<string | null>("for while until select".split(" "));
/** They may end a loop before its last word. */
const LEAVES = new Set<string | null>("break continue exit return".split(" "));

/** Loops over words, by where they begin: only those that go through all of them, and whose output goes nowhere else. */
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
    const isLast = more === undefined && words.length === 1 && stage.redirects.length === 0 && stage.fed.length === 0;
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

/** A word as it stands; null where the shell puts something in. */
function plainText(word: Word): string | null {
  let text = "";
  for (const part of word) {
    if (part.kind !== "text") return null;
    text += part.text;
  }
  return text;
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
