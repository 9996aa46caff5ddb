/** The field of an object that names what another field holds. Every answer needs this file, without the rules. */
export const NAME_FIELD: string = String.raw`(?:[A-Za-z]{0,12}[_-]?)?(?:name|key|variable|field|property|option|param(?:eter)?|setting|header|env)`;

/** True when JSON may contain such a pair, near or far from each other. */
export function mayHoldPair(json: string): boolean {
  return PAIR_IN_JSON.test(json);
}

const PAIR_IN_JSON = new RegExp(
  String.raw`${NAME_FIELD}"\s{0,4}:\s{0,4}"[^"]{0,60}(?:pass|pwd|secret|token|key|cred|auth|cookie)[^"]{0,20}"`,
  "i",
);
