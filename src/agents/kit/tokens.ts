/** Token counts as agents state them, turned into the contract's. */
import type { Tokens } from "../../record/record.ts";
import { count, obj, type Native } from "./native.ts";

/** Where an object states its tokens; a name may lead into inner objects (`details.cached`). */
export interface TokenFields {
  input: string;
  output: string;
  /** Several names if releases differ: the first that is stated. */
  cached?: string | readonly string[];
  written?: string | readonly string[];
  reasoning?: string | readonly string[];
  /** `input` is the whole prompt, with what was read from and written to the cache. */
  inputHoldsCache?: true;
  /** `output` does not include the reasoning. */
  reasoningApart?: true;
}

/** The tokens an object states; null if it states none, or zeros alone, which stand for a response that is unknown. */
export function tokensIn(stated: Native | null, fields: TokenFields): Tokens | null {
  if (!stated) return null;
  const at = (names: string | readonly string[] | undefined): number => count(valueAt(stated, names));
  const [cached, written, reasoning] = [at(fields.cached), at(fields.written), at(fields.reasoning)];
  const [input, output] = [at(fields.input), at(fields.output)];
  const tokens: Tokens = {
    input_tokens: fields.inputHoldsCache ? Math.max(0, input - cached - written) : input,
    cached_input_tokens: cached,
    cache_write_tokens: written,
    cache_write_1h_tokens: 0,
    output_tokens: fields.reasoningApart ? output + reasoning : output,
    reasoning_tokens: reasoning,
  };
  const spent = tokens.input_tokens + cached + written + tokens.output_tokens;
  return spent > 0 ? tokens : null;
}

function valueAt(stated: Native, names: string | readonly string[] | undefined): unknown {
  for (const name of typeof names === "string" ? [names] : (names ?? [])) {
    let value: unknown = stated;
    for (const step of name.split(".")) value = obj(value)?.[step];
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}
