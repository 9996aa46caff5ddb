/** What a command does, as far as the history can tell. */
export type Effect =
  /** Handled by Aider alone. */
  | "client"
  /** Runs a program for the human. */
  | "shell"
  /** Passes its argument to a model; without an argument it only switches the mode. */
  | "asks"
  /** Depends on version and circumstances: the lines that follow decide. */
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

/** Commands that log a second prompt: their argument repeated, or a text they generated. */
export const LOGS_SECOND_PROMPT: ReadonlySet<string> = new Set([
  "architect",
  "ask",
  "code",
  "context",
  "help",
  "lint",
  "ok",
]);

export interface Command {
  /** Full name; the typed word if it matches no command. */
  name: string;
  argument: string;
  effect: Effect;
}

/** Aider treats every input that begins with `/` or `!` as a command, and accepts any unambiguous prefix of a name. */
export function commandOf(text: string): Command | null {
  if (text.startsWith("!")) return { name: "run", argument: text.slice(1).trim(), effect: "shell" };
  const found = /^\/(\S*)([\s\S]*)$/.exec(text);
  if (!found) return null;
  const word = found[1] ?? "";
  const argument = (found[2] ?? "").trim();
  const fitting = word in EFFECTS ? [word] : Object.keys(EFFECTS).filter((name) => name.startsWith(word));
  const [name] = fitting;
  // An ambiguous or unknown word only produces an error message, unless a newer version knows it.
  if (name === undefined || fitting.length !== 1) return { name: word, argument, effect: "perhaps" };
  const effect = EFFECTS[name] ?? "perhaps";
  return { name, argument, effect: effect === "asks" && argument === "" ? "client" : effect };
}
