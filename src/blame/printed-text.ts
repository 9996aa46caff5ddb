import { UNKNOWN } from "../shell/working-place.ts";
import type { Ran } from "../shell/ran.ts";

/** What a program prints, where its words or what it is fed tell; null where they do not. */
export function printedBy({ program, args, fed, upstream }: Ran): string | null {
  if (program === "cat" && fed !== "" && upstream.length === 0 && args.every((arg) => arg === "-")) return `${fed}\n`;
  if (program === "echo") return echoed(args);
  if (program === "printf") return formatted(args);
  return null;
}

function echoed(args: readonly string[]): string {
  const at = args.findIndex((arg) => !/^-[neE]+$/.test(arg));
  const [options, words] = at === -1 ? [args, []] : [args.slice(0, at), args.slice(at)];
  const text = words.join(" ");
  return `${options.some((one) => one.includes("e")) ? escapes(text) : text}${options.some((one) => one.includes("n")) ? "" : "\n"}`;
}

/** Only texts and numbers: what else a format can do is seldom used to write files. */
function formatted(args: readonly string[]): string | null {
  const [format = "", ...values] = args[0] === "--" ? args.slice(1) : args;
  const places = format.match(/%(?:%|.)/g)?.filter((place) => place !== "%%") ?? [];
  if (places.some((place) => !/^%[sdib]$/.test(place))) return null;
  let out = "";
  // The format is used again as long as there are values.
  do
    out += escapes(format).replace(/%(?:%|([sdib]))/g, (_, kind?: string) => {
      if (kind === undefined) return "%";
      const value = values.shift() ?? (kind === "s" || kind === "b" ? "" : "0");
      return kind === "b" ? escapes(value) : value;
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
  e: UNKNOWN,
};

function escapes(text: string): string {
  return text.replace(/\\([ntr\\"ae])/g, (_, c: string) => ESCAPES[c] ?? c);
}
