import { UNKNOWN_PART } from "../../base/shell/working-place.ts";
import type { ProgramRun } from "../../base/shell/program-runs.ts";

/** What a program prints, if its arguments or its input tell; null otherwise. */
export function outputOf({ program, args, hereText: fed, upstream }: ProgramRun): string | null {
  if (program === "cat" && fed !== "" && upstream.length === 0 && args.every((arg) => arg === "-")) return `${fed}\n`;
  if (program === "echo") return echoOutput(args);
  if (program === "printf") return printfOutput(args);
  return null;
}

function echoOutput(args: readonly string[]): string {
  const at = args.findIndex((arg) => !/^-[neE]+$/.test(arg));
  const [options, words] = at === -1 ? [args, []] : [args.slice(0, at), args.slice(at)];
  const text = words.join(" ");
  return `${options.some((one) => one.includes("e")) ? unescape(text) : text}${options.some((one) => one.includes("n")) ? "" : "\n"}`;
}

/** Supports strings and integers only: other formats are rarely used to write files. */
function printfOutput(args: readonly string[]): string | null {
  const [format = "", ...values] = args[0] === "--" ? args.slice(1) : args;
  const places = format.match(/%(?:%|.)/g)?.filter((place) => place !== "%%") ?? [];
  if (places.some((place) => !/^%[sdib]$/.test(place))) return null;
  let out = "";
  // `printf` reuses the format while there are values.
  do
    out += unescape(format).replace(/%(?:%|([sdib]))/g, (_, kind?: string) => {
      if (kind === undefined) return "%";
      const value = values.shift() ?? (kind === "s" || kind === "b" ? "" : "0");
      return kind === "b" ? unescape(value) : value;
    });
  while (values.length > 0 && places.length > 0);
  return out;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\\": "\\",
  '"': '"',
  a: "",
  e: UNKNOWN_PART,
};

function unescape(text: string): string {
  return text.replace(/\\([ntr\\"ae])/g, (_, c: string) => ESCAPES[c] ?? c);
}
