import type { Span } from "./named.ts";

/** The user's additional rules, and patterns of texts that must never be hidden. */
export interface OwnRules {
  rules: readonly { name: string; pattern: RegExp }[];
  exceptions: readonly RegExp[];
}

/** The user's patterns are not bounded: how long they take is up to the user. */
export function ownSecrets(text: string, { rules }: OwnRules): Span[] {
  return rules.flatMap(({ name, pattern }) =>
    [...text.matchAll(pattern)].flatMap(({ index, 0: match }) =>
      match === "" ? [] : [{ start: index, end: index + match.length, kind: name }],
    ),
  );
}
