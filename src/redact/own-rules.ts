import type { Span } from "./named.ts";

/** What a user adds to the rules, and what is never to be hidden. */
export interface OwnRules {
  rules: readonly { name: string; pattern: RegExp }[];
  exceptions: readonly RegExp[];
}

/** Patterns here are the user's own, and so is the time they take. */
export function ownSecrets(text: string, { rules }: OwnRules): Span[] {
  return rules.flatMap(({ name, pattern }) =>
    [...text.matchAll(pattern)].flatMap(({ index, 0: match }) =>
      match === "" ? [] : [{ start: index, end: index + match.length, kind: name }],
    ),
  );
}
