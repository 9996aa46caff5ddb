/** "Reply with exactly OK": what programs ask to see whether an agent answers at all. Nothing else may be asked with it. */
const ANSWER_THIS =
  /^(?:please )?(?:(?:reply|respond|answer)(?: back)?(?: only| just)? with(?: exactly| only| just)?|(?:reply|respond|answer|say|output|return|print) (?:exactly|only|just))(?: the| one| a)?(?: single| exact)?(?: words?| strings?| text| token)?:? ["'`]?[\w-]{1,20}["'`]?[.!]?(?: (?:and )?(?:nothing else|only|no other text))?[.!]?$/i;
const SIGN_OF_LIFE = /^(?:ping|health ?check|are you (?:there|alive|ready)\??|connection test|warm ?up)[.!]?$/i;

/** Such a text alone says nothing: people try out their agents, too. Without a terminal it suggests a program. */
export function isProbe(text: string): boolean {
  const words = text.trim();
  return words.length < 120 && (ANSWER_THIS.test(words) || SIGN_OF_LIFE.test(words));
}
