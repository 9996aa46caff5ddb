/** How values are written: pieces of patterns that several notations share. */

const QUOTE = String.raw`\\{0,7}(?:"""|'''|["'${"`"}])`;

/** A quoted text, escaped or not. It ends at the same quote, or at the end of the line if the text is truncated. */
export const QUOTED: string = String.raw`(?:\b[bBrRfFuUnN]{1,2}(?=["'])|@(?=["']))?(?<quote>${QUOTE})(?!\k<quote>)(?<quoted>[^\n]{1,4096}?)(?:(?<!\\)\k<quote>|(?=\n|$))`;

/** Up to the end of a shell word, a query parameter or a list item. */
export const BARE: string = String.raw`(?<bare>[^\s"',;&|<>(){}[\]\\${"`"}]{1,4096})`;

/** Calls that only wrap a literal. */
export const WRAPPED: string = String.raw`(?:r#{1,3}(?=")|(?:new[ \t])?(?:String(?:::from)?|Some|Secret(?:String|Str|Bytes)?(?:::new|::from)?|SecureString|Buffer\.from|PASSWORD|strdup|bytes|str|Data|\[\]byte)\([ \t]{0,4})?`;

/** Named groups of a match with their places in the text. */
export type Groups = Readonly<Record<string, [number, number] | undefined>>;

/** The groups of a pattern matched exactly at a position. Compiled on first use: compiling all would delay every command. */
export function matcher(source: string, flags = ""): (text: string, at: number) => Groups | null {
  let made: RegExp | null = null;
  return (text, at) => {
    made ??= new RegExp(source, `dy${flags}`);
    made.lastIndex = at;
    return made.exec(text)?.indices?.groups ?? null;
  };
}

/** The value, quoted or bare, that a pattern of the pieces above has matched. */
export function valueOf(groups: Groups | null): { start: number; end: number; isQuoted: boolean } | undefined {
  const place = groups?.["quoted"] ?? groups?.["bare"];
  return place && { start: place[0], end: place[1], isQuoted: groups?.["quoted"] !== undefined };
}
