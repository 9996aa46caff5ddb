import type { Span } from "./named.ts";
import { isPlaceholder } from "./values.ts";

/** The values of a Kubernetes Secret, whatever their names are: `data` and `stringData` before or after `kind: Secret`. */
export const SECRET_SIGNS: readonly string[] = [
  "kind: Secret",
  'kind":"Secret',
  'kind": "Secret',
  String.raw`kind\":\"Secret`,
  String.raw`kind\": \"Secret`,
];

const AROUND = 8000;
const YAML_BLOCK =
  /(?:^|\n)(?<indent> *)(?:data|stringData):[ \t]*\r?\n(?<block>(?:\k<indent>[ \t]+[^\n]*(?:\n|$)|[ \t]*\n)+)/dg;
const YAML_VALUE = /^[ \t]+["']?[\w.-]{1,120}["']?:[ \t]+["']?(?<value>[^\s"'|>][^\n"']{3,4000})/dgm;
const JSON_BLOCK = /(?:data|stringData)\\{0,7}"\s{0,8}:\s{0,8}\{(?<block>[^{}]{1,8000})\}/dg;
const JSON_VALUE = /"\s{0,8}:\s{0,8}\\{0,7}"(?<value>[^"\\\n]{4,4000})/dg;

/** The secrets of the document around the sign; `end` is where it ends. */
export function kubernetesSecrets(text: string, at: number): { found: Span[]; end: number } {
  const from = documentStart(text, at);
  const rest = text.slice(at, at + AROUND);
  const stop = /\n---/.exec(rest)?.index ?? rest.length;
  const piece = text.slice(from, at + stop);
  const isYaml = text.startsWith("kind:", at);
  const found: Span[] = [];
  for (const { indices } of piece.matchAll(isYaml ? YAML_BLOCK : JSON_BLOCK)) {
    const block = indices?.groups?.["block"];
    if (!block) continue;
    for (const value of piece.slice(...block).matchAll(isYaml ? YAML_VALUE : JSON_VALUE)) {
      const place = value.indices?.groups?.["value"];
      if (!place || isPlaceholder(piece.slice(block[0] + place[0], block[0] + place[1]))) continue;
      found.push({ start: from + block[0] + place[0], end: from + block[0] + place[1], kind: "secret" });
    }
  }
  return { found, end: at + stop };
}

function documentStart(text: string, at: number): number {
  const from = Math.max(0, at - AROUND);
  const before = text.slice(from, at).lastIndexOf("\n---");
  return before === -1 ? from : from + before + 1;
}
