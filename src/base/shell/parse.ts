/** One part of a word. A value known only at run time is kept as a variable name or as the commands that print it. */
export type WordPart =
  | { kind: "text"; text: string; quoted: boolean }
  | { kind: "variable"; name: string; shown: boolean }
  | { kind: "output"; script: Script; process: boolean }
  | { kind: "unknown" };

export type ShellWord = WordPart[];

export interface Redirect {
  /** `errors`: a stream other than standard output. */
  to: "file" | "errors" | "stdin";
  word: ShellWord;
  /** `>>` instead of `>`. */
  appends: boolean;
}

export interface Simple {
  kind: "simple";
  words: ShellWord[];
  redirects: Redirect[];
  /** Bodies of here-documents and here-strings, which the command reads from standard input. */
  hereTexts: HereText[];
}

export interface HereText {
  text: string;
  /** The shell expands nothing in it. */
  literal: boolean;
}

export interface Group {
  kind: "group";
  script: Script;
  subshell: boolean;
}

export type Stage = Simple | Group;

/** Stages joined by `|`. */
export interface Pipeline {
  stages: Stage[];
  /** How it follows the previous pipeline: in any case (`;`, newline), on success (`&&`) or on failure (`||`). */
  join: "then" | "and" | "or";
  /** Ended by `&`: the shell does not wait for it. */
  background: boolean;
}

/** A sequence of pipelines. */
export type Script = Pipeline[];

/** Neither people nor agents nest deeper than this. */
const DEEPEST = 12;
const BLANK = /[ \t\r]/;
const ENDS_WORD = /[ \t\r\n;&|()<>]/;

/**
 * Parses a shell text far enough to know which programs run with which words: quotes, expansions, pipelines, lists,
 * groups, redirections and here-documents. Never throws: syntax it does not understand is taken as text. Linear time.
 */
export function parseShell(text: string): Script {
  return new Parser(text, 0).script(null);
}

class Parser {
  readonly #text: string;
  readonly #depth: number;
  #at: number;
  #pending: { command: Simple; end: string; tabs: boolean; literal: boolean }[] = [];

  constructor(text: string, depth: number, at = 0) {
    this.#text = text;
    this.#depth = depth;
    this.#at = at;
  }

  get at(): number {
    return this.#at;
  }

  /** Parses up to the end of the text, or up to and including the closing character. */
  script(close: ")" | "}" | null): Script {
    const out: Script = [];
    let stages: Stage[] = [];
    let join: Pipeline["join"] = "then";
    /** The pipeline must continue, possibly on the next line. */
    let unfinished = false;
    const end = (next: Pipeline["join"], background = false): void => {
      if (stages.length > 0) out.push({ stages, join, background });
      if (stages.length > 0 || next !== "then") join = next;
      stages = [];
      unfinished = false;
    };
    while (this.#at < this.#text.length) {
      this.#blanks();
      const c = this.#text[this.#at];
      if (c === undefined) break;
      if (c === "\n") {
        this.#at++;
        this.#bodies();
        if (!unfinished) end("then");
      } else if (c === ")") {
        this.#at++;
        if (close === ")") break;
        end("then");
      } else if (c === ";") {
        this.#at++;
        end("then");
      } else if (c === "&") {
        const and = this.#text[this.#at + 1] === "&";
        this.#at += and ? 2 : 1;
        end(and ? "and" : "then", !and);
      } else if (c === "|") {
        const or = this.#text[this.#at + 1] === "|";
        this.#at += or || this.#text[this.#at + 1] === "&" ? 2 : 1;
        if (or) end("or");
        else unfinished = true;
      } else if (c === "#") this.#comment();
      else if (c === "(") {
        this.#at++;
        stages.push({ kind: "group", script: this.#inner(")"), subshell: true });
        unfinished = false;
      } else {
        const command = this.#simple();
        const [first] = command.words;
        unfinished = false;
        if (command.words.length === 1 && first && isText(first, "{")) {
          stages.push({ kind: "group", script: this.#inner("}"), subshell: false });
        } else if (close === "}" && command.words.length === 1 && first && isText(first, "}")) break;
        else if (command.words.length + command.redirects.length > 0) stages.push(command);
        else this.#at++;
      }
    }
    this.#bodies();
    end("then");
    return out;
  }

  #inner(close: ")" | "}"): Script {
    if (this.#depth >= DEEPEST) {
      this.#at = this.#text.length;
      return [];
    }
    const parser = new Parser(this.#text, this.#depth + 1, this.#at);
    const script = parser.script(close);
    this.#at = parser.at;
    return script;
  }

  #blanks(): void {
    for (;;) {
      const c = this.#text[this.#at];
      if (c === "\\" && this.#text[this.#at + 1] === "\n") this.#at += 2;
      else if (c !== undefined && BLANK.test(c)) this.#at++;
      else return;
    }
  }

  #comment(): void {
    const end = this.#text.indexOf("\n", this.#at);
    this.#at = end === -1 ? this.#text.length : end;
  }

  #simple(): Simple {
    const command: Simple = { kind: "simple", words: [], redirects: [], hereTexts: [] };
    let descriptor: string | null = null;
    for (;;) {
      this.#blanks();
      const c = this.#text[this.#at];
      if (c === undefined || c === "\n" || c === ";" || c === "|" || c === ")" || c === "#") return command;
      if (c === "(") return command;
      if (c === "&" && this.#text[this.#at + 1] !== ">") return command;
      if (c === "<" || c === ">" || c === "&") {
        this.#redirect(command, descriptor);
        descriptor = null;
      } else {
        const word = this.#word();
        // A number before a redirection is a file descriptor, not a word.
        const next = this.#text[this.#at];
        if ((next === "<" || next === ">") && word.length === 1 && isDigits(word)) {
          descriptor = plainText(word);
          continue;
        }
        command.words.push(word);
        // A brace opens or closes a group only as the first word of a command.
        if (command.words.length === 1 && (isText(word, "{") || isText(word, "}"))) return command;
      }
    }
  }

  #redirect(command: Simple, descriptor: string | null): void {
    const rest = this.#text.slice(this.#at, this.#at + 4);
    if (rest.startsWith("<(") || rest.startsWith(">(")) {
      this.#at += 2;
      command.words.push([{ kind: "output", script: this.#inner(")"), process: true }]);
      return;
    }
    if (rest.startsWith("<<<")) {
      this.#at += 3;
      this.#blanks();
      const word = this.#word();
      command.hereTexts.push({ text: plainText(word), literal: word.every((part) => part.kind === "text") });
      return;
    }
    if (rest.startsWith("<<")) {
      const tabs = rest[2] === "-";
      this.#at += tabs ? 3 : 2;
      this.#blanks();
      const word = this.#word();
      const literal = word.some((part) => part.kind === "text" && part.quoted);
      this.#pending.push({ command, end: plainText(word), tabs, literal });
      return;
    }
    const [operator = ">"] = /^(?:&>>?|>>|>\||<>|[<>]&?)/.exec(rest) ?? [];
    this.#at += operator.length;
    this.#blanks();
    const word = this.#word();
    if (operator.endsWith("&") && operator !== "&>" && (isDigits(word) || isText(word, "-"))) return;
    const isPrinted = descriptor === null || descriptor === "1";
    const to = operator.startsWith("<") ? "stdin" : isPrinted ? "file" : "errors";
    command.redirects.push({ to, word, appends: operator.endsWith(">>") });
  }

  /** Reads the bodies of here-documents, which begin on the line after their redirection. */
  #bodies(): void {
    for (const { command, end, tabs, literal } of this.#pending.splice(0)) {
      const lines: string[] = [];
      while (this.#at < this.#text.length) {
        const stop = this.#text.indexOf("\n", this.#at);
        const line = this.#text.slice(this.#at, stop === -1 ? undefined : stop);
        this.#at = stop === -1 ? this.#text.length : stop + 1;
        if ((tabs ? line.replace(/^\t+/, "") : line) === end) break;
        lines.push(tabs ? line.replace(/^\t+/, "") : line);
      }
      command.hereTexts.push({ text: lines.join("\n"), literal });
    }
  }

  #word(): ShellWord {
    const word: ShellWord = [];
    let plain = "";
    const flush = (): void => {
      if (plain !== "") word.push({ kind: "text", text: plain, quoted: false });
      plain = "";
    };
    while (this.#at < this.#text.length) {
      const c = this.#text[this.#at] ?? "";
      if (ENDS_WORD.test(c)) break;
      if (c === "\\" && /^[A-Za-z]:/.test(plain)) {
        // `C:\…` occurs only in PowerShell and cmd, where the backslash is a separator.
        plain += c;
        this.#at++;
      } else if (c === "\\") {
        plain += this.#text[this.#at + 1] === "\n" ? "" : (this.#text[this.#at + 1] ?? "");
        this.#at += 2;
      } else if (c === "'" || c === '"') {
        flush();
        this.#at++;
        if (c === "'") word.push({ kind: "text", text: this.#until("'"), quoted: true });
        else this.#double(word);
      } else if (c === "$" || c === "`") {
        const part = this.#expansionOrSign();
        if (part === null) plain += c;
        else {
          flush();
          word.push(part);
        }
      } else {
        plain += c;
        this.#at++;
      }
    }
    flush();
    return word;
  }

  #until(end: string): string {
    const found = this.#text.indexOf(end, this.#at);
    const text = this.#text.slice(this.#at, found === -1 ? undefined : found);
    this.#at = found === -1 ? this.#text.length : found + end.length;
    return text;
  }

  #double(word: ShellWord): void {
    let plain = "";
    const flush = (): void => {
      word.push({ kind: "text", text: plain, quoted: true });
      plain = "";
    };
    while (this.#at < this.#text.length) {
      const c = this.#text[this.#at] ?? "";
      if (c === '"') {
        this.#at++;
        break;
      }
      if (c === "\\") {
        const next = this.#text[this.#at + 1] ?? "";
        plain += /["\\$`]/.test(next) ? next : next === "\n" ? "" : c + next;
        this.#at += 2;
      } else if (c === "$" || c === "`") {
        const part = this.#expansionOrSign();
        if (part === null) plain += c;
        else {
          flush();
          word.push(part);
        }
      } else {
        plain += c;
        this.#at++;
      }
    }
    flush();
  }

  /** Null when the character does not begin an expansion; it is consumed then. */
  #expansionOrSign(): WordPart | null {
    const before = this.#at;
    const part = this.#expansion();
    if (part === null) this.#at = before + 1;
    return part;
  }

  /** Null when the dollar sign does not begin an expansion. */
  #expansion(): WordPart | null {
    if (this.#text[this.#at] === "`") {
      this.#at++;
      const inside = this.#until("`");
      if (this.#depth >= DEEPEST) return { kind: "unknown" };
      return { kind: "output", script: new Parser(inside, this.#depth + 1).script(null), process: false };
    }
    const rest = this.#text.slice(this.#at, this.#at + 130);
    if (rest.startsWith("$((")) {
      this.#at += 3;
      this.#until("))");
      return { kind: "unknown" };
    }
    if (rest.startsWith("$(")) {
      this.#at += 2;
      return { kind: "output", script: this.#inner(")"), process: false };
    }
    if (rest.startsWith("$'")) {
      this.#at += 2;
      return { kind: "text", text: this.#until("'"), quoted: true };
    }
    if (rest.startsWith("${")) {
      this.#at += 2;
      const inside = this.#until("}");
      const [, length, name, sign] = /^(#?)([A-Za-z_]\w*)(:?\+)?/.exec(inside) ?? [];
      // `${#X}` and `${X:+yes}` depend on the value without printing it.
      return name === undefined
        ? { kind: "unknown" }
        : { kind: "variable", name, shown: length === "" && sign === undefined };
    }
    const [, name] = /^\$([A-Za-z_]\w{0,120})/.exec(rest) ?? [];
    if (name !== undefined) {
      this.#at += name.length + 1;
      return { kind: "variable", name, shown: true };
    }
    if (!/^\$[0-9@*#?$!-]/.test(rest)) return null;
    this.#at += 2;
    return { kind: "unknown" };
  }
}

function isText(word: ShellWord, text: string): boolean {
  const [part] = word;
  return word.length === 1 && part?.kind === "text" && !part.quoted && part.text === text;
}

function isDigits(word: ShellWord): boolean {
  const [part] = word;
  return word.length === 1 && part?.kind === "text" && /^\d+$/.test(part.text);
}

function plainText(word: ShellWord): string {
  return word.map((part) => (part.kind === "text" ? part.text : "")).join("");
}
