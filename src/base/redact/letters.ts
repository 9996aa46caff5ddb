/**
 * How unusual each pair of letters is in words, from 1 (common) to 9 (never seen): the negative logarithm, base 2, of the
 * second letter's share after the first, less one. Counted over the words and the parts of identifiers in 300 MB of
 * English, German and French documentation and source code in eight languages. Row: first letter; column: second.
 */
const PAIRS = [
  "54336547475232746232456557",
  "24442556357255356335366756",
  "26453552483346257443457768",
  "35541567277556456445466668",
  "45335457587342656223656467",
  "35443267287354357344466757",
  "46552654387354357335467767",
  "26652666276455267444466757",
  "44344447776341347433748685",
  "25452555454555355535355556",
  "35551545366455456534465756",
  "26542567286366267644466747",
  "24552677386546227645467768",
  "36333427375565368632557867",
  "55346547575332439234344677",
  "26552564386356347233476758",
  "45544555566455554445155655",
  "26441657295545358433567858",
  "46462664395556446532476757",
  "36562574298556358334476746",
  "43443447486332537332767677",
  "25451466277545435534555677",
  "25442554276554356335565566",
  "45343466367556536532546456",
  "45454657476434527534656666",
  "35551565366555466654465554",
];

/** The mean over all pairs of neighbouring letters of the words. */
function unusualness(words: readonly string[]): number {
  let [sum, pairs] = [0, 0];
  for (const word of words)
    for (let i = 0; i + 1 < word.length; i++) {
      sum += Number(PAIRS[letter(word, i)]?.[letter(word, i + 1)]);
      pairs++;
    }
  return pairs === 0 ? 9 : sum / pairs;
}

/** 0 to 25, in either case. */
function letter(text: string, at: number): number {
  return (text.charCodeAt(at) | 32) - 97;
}

const SHORTEST = 8;

/** True for letters in no order that words have: `jNqxWertz`. False for words of European languages and joined words. */
export function isLetterSoup(text: string): boolean {
  if (text.length < SHORTEST || !/^[A-Za-z]+$/.test(text)) return false;
  const words = text.split(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/);
  // Letters of random case fall into pieces shorter than words, with at least one piece of a single letter.
  if (text.length < words.length * 2.7 && words.some((word) => word.length === 1)) return unusualness([text]) >= 3.7;
  return unusualness(words) >= (text.length < 12 ? 4.3 : 4.1);
}

/**
 * True for letters that are probably no word, for where a password is expected: of random ones nine in ten are, of the
 * words of documentation and source code two in a hundred.
 */
export function isUnusual(text: string): boolean {
  return text.length >= SHORTEST && /^[a-z]+$/.test(text) && unusualness([text]) >= 3.9;
}

/** True for letters whose case changes where no word begins: `aBcdEFg`. Joined words are false, also with an abbreviation. */
export function isOddCase(text: string): boolean {
  if (text.length < 6 || !/^[A-Za-z]+$/.test(text)) return false;
  const pieces = text.match(/[A-Z]*[a-z]*/g)?.filter((piece) => piece !== "") ?? [];
  return (
    pieces.length >= 3 &&
    pieces.filter((piece) => /^(?:..?|[A-Z]{2,}[a-rt-z])$/.test(piece)).length * 2 >= pieces.length
  );
}
