import { mutateValue } from "./mutate-json.ts";
import type { Random } from "./random.ts";

export interface Mutated {
  bytes: Buffer;
  /** Records that were changed, added or removed. */
  records: number;
}

/** Mutates a file of JSON lines: mostly values inside of records, sometimes whole lines or bytes. */
export function mutateLines(text: string, random: Random): Mutated {
  const lines = text.split("\n").filter((line) => line !== "");
  const values = lines.slice(0, 400).map(parsed);
  const out: (string | Buffer)[] = [];
  const probability = random.pick([0.05, 0.7, 1]);
  // Many mutated records in one file are cheaper to test than many files.
  const variants = random.pick([1, 1, Math.ceil(1000 / (lines.length + 10))]);
  let records = 0;
  for (const line of lines) {
    if (!random.chance(probability)) {
      out.push(line);
      continue;
    }
    for (let n = variants; n > 0; n--) {
      records++;
      out.push(...(random.chance(0.85) ? [mutateRecord(line, random, values)] : mutateLine(line, random, out)));
    }
  }
  if (random.chance(0.1)) out.sort(() => random.next() - 0.5);
  const ended = random.chance(0.9);
  const bytes = Buffer.concat(
    out.flatMap((line, i) => [Buffer.from(line), Buffer.from(ended || i < out.length - 1 ? "\n" : "")]),
  );
  return { bytes, records };
}

/** Mutates a file that is one JSON document. */
export function mutateDocument(text: string, random: Random): Mutated {
  const value = parsed(text);
  const n = random.pick([1, 3, 20]);
  if (random.chance(0.1)) return { bytes: flipped(Buffer.from(text), random), records: 1 };
  return { bytes: Buffer.from(JSON.stringify(mutateValue(value, random, [value], n))), records: n };
}

/** Mutates a plain text file. */
export function mutateText(text: string, random: Random): Mutated {
  const lines = text.split("\n");
  const words = lines.map((line) => ({ line }));
  let records = 0;
  const out = lines.flatMap((line) => {
    if (!random.chance(0.4)) return [line];
    records++;
    const changed = mutateValue({ line }, random, words, 1) as { line?: unknown } | null;
    const written = typeof changed?.line === "string" ? changed.line : line;
    return random.chance(0.2) ? mutateLine(written, random, lines) : [written];
  });
  return { bytes: Buffer.concat(out.flatMap((line) => [Buffer.from(line), Buffer.from("\n")])), records };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return line;
  }
}

function mutateRecord(line: string, random: Random, values: readonly unknown[]): string {
  // A value that can no longer be written as JSON is left unchanged.
  try {
    return JSON.stringify(mutateValue(parsed(line), random, values, random.pick([1, 1, 2, 5]))) ?? line;
  } catch {
    return line;
  }
}

function mutateLine(line: string, random: Random, before: readonly (string | Buffer)[]): (string | Buffer)[] {
  switch (random.below(9)) {
    case 0:
      return [];
    case 1:
      return [line, line];
    case 2:
      return [line.slice(0, random.below(line.length + 1))];
    case 3:
      return [flipped(Buffer.from(line), random)];
    case 4:
      return ["", line];
    case 5:
      return [`${line}${line}`];
    case 6:
      return [`\uFEFF${line}\r`];
    case 7:
      return [before.length > 0 ? random.pick(before) : line, line];
    default:
      return [random.pick(["null", "[]", "0", '"x"', "{}", "{", "\0\0\0", `${"[".repeat(5000)}${"]".repeat(5000)}`])];
  }
}

export function flipped(bytes: Buffer, random: Random): Buffer {
  const out = Buffer.from(bytes);
  for (let n = random.pick([1, 3, 30]); n > 0 && out.length > 0; n--) out[random.below(out.length)] = random.below(256);
  return out;
}
