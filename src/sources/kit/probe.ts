/**
 * "Reply with exactly OK": programs send this to check that an agent answers at all. The prompt must ask nothing else.
 */
const ANSWER_THIS =
  /^(?:please )?(?:(?:reply|respond|answer)(?: back)?(?: only| just)? with(?: exactly| only| just)?|(?:reply|respond|answer|say|output|return|print) (?:exactly|only|just))(?: the| one| a)?(?: single| exact)?(?: words?| strings?| text| token)?:? ["'`]?[\w-]{1,20}["'`]?[.!]?(?: (?:and )?(?:nothing else|only|no other text))?[.!]?$/i;
const SIGN_OF_LIFE = /^(?:ping|health ?check|are you (?:there|alive|ready)\??|connection test|warm ?up)[.!]?$/i;

/**
 * Whether the text only checks for a response. People try out agents, too, so callers also require a non-interactive
 * entry.
 */
export function isProbe(text: string): boolean {
  const words = text.trim();
  return words.length < 120 && (ANSWER_THIS.test(words) || SIGN_OF_LIFE.test(words));
}
