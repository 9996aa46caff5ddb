/**
 * Words people type in place of a command, and the words they stand for: names of earlier releases, names other
 * programs have, and what one would call it. None of them is listed by the help.
 */
export const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  star: ["mark", "star"],
  label: ["mark", "label"],
  note: ["mark", "note"],
  prepare: ["workspace", "prepare"],
  list: ["workspace", "list"],
  inspect: ["workspace", "inspect"],
  collect: ["workspace", "collect"],
};

/** The command line that was meant. */
export function respelt(argv: readonly string[]): readonly string[] {
  const [first = "", ...rest] = argv;
  if (first === "help") return rest.length === 0 ? argv : [...respelt(rest), "--help"];
  const meant = Object.hasOwn(SPELLINGS, first) ? SPELLINGS[first] : undefined;
  return meant ? [...meant, ...rest] : argv;
}
