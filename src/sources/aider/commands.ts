/** What a command does, as far as the history can tell. */
export type Effect =
  /** Handled by Aider alone. */
  | "client"
  /** Runs a program for the human. */
  | "shell"
  /** Hands its argument to a model; without one it only switches the mode. */
  | "asks"
  /** Depends on version and circumstances: decided by what follows. */
  | "perhaps";

const EFFECTS: Readonly<Record<string, Effect>> = {
  add: "client",
  architect: "asks",
  ask: "asks",
  "chat-mode": "client",
  clear: "client",
  clipboard: "perhaps",
  code: "asks",
  commit: "perhaps",
  context: "asks",
  copy: "client",
  "copy-context": "client",
  diff: "client",
  drop: "client",
  edit: "client",
  editor: "client",
  "editor-model": "client",
  exit: "client",
  git: "client",
  help: "asks",
  lint: "perhaps",
  load: "perhaps",
  ls: "client",
  map: "client",
  "map-refresh": "client",
  model: "client",
  models: "client",
  "multiline-mode": "client",
  ok: "perhaps",
  paste: "perhaps",
  quit: "client",
  read: "client",
  "read-only": "client",
  "reasoning-effort": "client",
  report: "client",
  reset: "client",
  run: "shell",
  save: "client",
  settings: "client",
  test: "shell",
  "think-tokens": "client",
  tokens: "client",
  undo: "perhaps",
  voice: "perhaps",
  "weak-model": "client",
  web: "perhaps",
};

/** Commands that log a second prompt: their argument again, or a text they made. */
export const PAIRED: ReadonlySet<string> = new Set(["architect", "ask", "code", "context", "help", "lint", "ok"]);

export interface Command {
  /** Full name; the typed word when no command fits it. */
  name: string;
  argument: string;
  effect: Effect;
}

/** Aider takes every input that begins with `/` or `!` as a command, and any unambiguous beginning of a name. */
export function commandOf(text: string): Command | null {
  if (text.startsWith("!")) return { name: "run", argument: text.slice(1).trim(), effect: "shell" };
  const found = /^\/(\S*)([\s\S]*)$/.exec(text);
  if (!found) return null;
  const word = found[1] ?? "";
  const argument = (found[2] ?? "").trim();
  const fitting = word in EFFECTS ? [word] : Object.keys(EFFECTS).filter((name) => name.startsWith(word));
  const [name] = fitting;
  // An ambiguous or unknown word only draws an error message, unless a newer version knows it.
  if (name === undefined || fitting.length !== 1) return { name: word, argument, effect: "perhaps" };
  const effect = EFFECTS[name] ?? "perhaps";
  return { name, argument, effect: effect === "asks" && argument === "" ? "client" : effect };
}
