/** The arguments that are neither options nor values of options. `takesValue` matches options followed by a value. */
export function operands(args: readonly string[], takesValue: RegExp = /^$/): string[] {
  const out: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") return [...out, ...args.slice(at + 1)];
    if (takesValue.test(arg)) at++;
    else if (!arg.startsWith("-") || arg === "-") out.push(arg);
  }
  return out;
}

/** True when one of the options is given, as a long option or among combined short ones (`-rf`). */
export function hasOption(args: readonly string[], long: RegExp, short = ""): boolean {
  const before = args.includes("--") ? args.slice(0, args.indexOf("--")) : args;
  return before.some(
    (arg) => long.test(arg) || (short !== "" && /^-[A-Za-z]+$/.test(arg) && [...short].some((c) => arg.includes(c))),
  );
}
