import type { EditTool, FileEdit } from "../contract.ts";
import { patchEdits } from "../kit/patch-language.ts";
import { fieldsOf } from "../kit/edit-tools.ts";

const BEGIN = "*** Begin Patch";
const END = "*** End Patch";

/** The patch tool gets the patch as its whole input or in a field. */
export const patchTool: EditTool = (input) => {
  const text = typeof input === "string" ? input : fieldsOf(input)["input"];
  return typeof text === "string" && text.includes(BEGIN) ? patchEdits(fromBegin(text)) : null;
};

/**
 * A shell command contains the patch as a here-document or as an argument: `apply_patch <<'EOF'`,
 * `["apply_patch", "…"]`.
 */
export const shellTool: EditTool = (input) => {
  const fields = fieldsOf(input);
  const given = fields["command"] ?? fields["cmd"];
  const words = Array.isArray(given) ? given : [given];
  if (!words.some((word) => typeof word === "string" && /\bapply_?patch\b/.test(word))) return null;
  const text = words.find((word) => typeof word === "string" && word.includes(BEGIN)) as string | undefined;
  // A command with several patches or an incomplete one is not parsed.
  if (text === undefined || text.indexOf(BEGIN) !== text.lastIndexOf(BEGIN) || !text.includes(END)) return null;
  return patchEdits(fromBegin(text));
};

/** A script contains patches as JavaScript literals. If a value is inserted at run time, the patch is unknown. */
const LITERAL = /"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'|(?<raw>String\.raw\s*)?`(?<template>(?:[^`\\]|\\[^])*)`/g;

export const scriptTool: EditTool = (input) => {
  if (typeof input !== "string" || !input.includes(BEGIN)) return null;
  const edits: FileEdit[] = [];
  for (const { 0: literal, groups } of input.matchAll(LITERAL)) {
    if (!literal.includes(BEGIN)) continue;
    const text = valueOf(literal, groups?.["template"], groups?.["raw"] !== undefined);
    const found = text === null ? null : patchEdits(fromBegin(text));
    if (!found) return null;
    edits.push(...found);
  }
  return edits.length > 0 ? edits : null;
};

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  v: "\v",
  "0": "\0",
  "\n": "",
};

function valueOf(literal: string, template: string | undefined, isRaw: boolean): string | null {
  const body = template ?? literal.slice(1, -1);
  if (template !== undefined && /(?<!\\)\$\{/.test(template)) return null;
  if (isRaw) return body;
  return body.replace(
    /\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([^]))/g,
    (_, point, unit, byte, plain) => {
      const code = (point ?? unit ?? byte) as string | undefined;
      return code === undefined
        ? (ESCAPES[plain as string] ?? (plain as string))
        : String.fromCodePoint(parseInt(code, 16));
    },
  );
}

function fromBegin(text: string): string {
  const from = text.slice(text.indexOf(BEGIN));
  const end = from.indexOf(END);
  return end === -1 ? from : from.slice(0, end + END.length);
}
