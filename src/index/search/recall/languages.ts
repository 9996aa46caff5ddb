import { stemmer as danish } from "@orama/stemmers/danish";
import { stemmer as dutch } from "@orama/stemmers/dutch";
import { stemmer as english } from "@orama/stemmers/english";
import { stemmer as finnish } from "@orama/stemmers/finnish";
import { stemmer as french } from "@orama/stemmers/french";
import { stemmer as german } from "@orama/stemmers/german";
import { stemmer as greek } from "@orama/stemmers/greek";
import { stemmer as hungarian } from "@orama/stemmers/hungarian";
import { stemmer as italian } from "@orama/stemmers/italian";
import { stemmer as norwegian } from "@orama/stemmers/norwegian";
import { stemmer as portuguese } from "@orama/stemmers/portuguese";
import { stemmer as romanian } from "@orama/stemmers/romanian";
import { stemmer as russian } from "@orama/stemmers/russian";
import { stemmer as spanish } from "@orama/stemmers/spanish";
import { stemmer as swedish } from "@orama/stemmers/swedish";
import { stemmer as turkish } from "@orama/stemmers/turkish";
import { stemmer as ukrainian } from "@orama/stemmers/ukrainian";
import { stopwords as danishStops } from "@orama/stopwords/danish";
import { stopwords as dutchStops } from "@orama/stopwords/dutch";
import { stopwords as englishStops } from "@orama/stopwords/english";
import { stopwords as finnishStops } from "@orama/stopwords/finnish";
import { stopwords as frenchStops } from "@orama/stopwords/french";
import { stopwords as germanStops } from "@orama/stopwords/german";
import { stopwords as greekStops } from "@orama/stopwords/greek";
import { stopwords as hungarianStops } from "@orama/stopwords/hungarian";
import { stopwords as italianStops } from "@orama/stopwords/italian";
import { stopwords as norwegianStops } from "@orama/stopwords/norwegian";
import { stopwords as portugueseStops } from "@orama/stopwords/portuguese";
import { stopwords as romanianStops } from "@orama/stopwords/romanian";
import { stopwords as russianStops } from "@orama/stopwords/russian";
import { stopwords as spanishStops } from "@orama/stopwords/spanish";
import { stopwords as swedishStops } from "@orama/stopwords/swedish";
import { stopwords as turkishStops } from "@orama/stopwords/turkish";
import { stopwords as ukrainianStops } from "@orama/stopwords/ukrainian";
import { fold } from "../terms.ts";

/** Stop words and word forms of one language. */
export interface Language {
  id: string;
  stops: ReadonlySet<string>;
  /** The letters its stop words are written with, accents included. */
  letters: ReadonlySet<string>;
  stem: (word: string) => string;
  /** Endings of inflected forms. */
  endings: readonly string[];
}

function language(id: string, stem: (word: string) => string, stops: readonly string[], endings = ""): Language {
  const letters = new Set(stops.join("").toLowerCase());
  return { id, stem, letters, stops: new Set(stops.map(fold)), endings: endings === "" ? [] : endings.split(" ") };
}

export const ENGLISH: Language = language(
  "en",
  english,
  [
    ...englishStops,
    ..."got get gets getting via per vs also let lets us went go goes going gone".split(" "),
    // What is left of contractions without their apostrophe.
    ..."ain aren couldn didn doesn don hadn hasn haven isn mustn needn shan shouldn wasn weren won wouldn".split(" "),
    ..."something someone anything anyone nothing everything everyone somewhere whether besides since onto upon towards toward".split(
      " ",
    ),
    ..."may might shall must really hardly quite rather almost perhaps maybe please remember remembered sure able".split(
      " ",
    ),
  ],
  "s es ed d ing er ers or ors ion ions ation ations ment ments al ally ly ity ities y ies ied e able ible ive ance ence ness",
);

const OTHERS: readonly Language[] = [
  language(
    "de",
    german,
    [
      ...germanStops,
      ..."woran wann wofur woher wobei warum weshalb wieso lag gab gibt ging mal schon noch dass ab bevor etwas jemand".split(
        " ",
      ),
    ],
    "e en er es em n s st t te ten ter tes et ung ungen ern eln el heit lich ig ige igen iger",
  ),
  language(
    "fr",
    french,
    [
      ...frenchStops,
      ..."pourquoi comment quand quel quelle quels quelles ou combien est ce qui que quoi ont ete avons avait etait".split(
        " ",
      ),
    ],
    "s e es er ez ent é ée és ées ait ant ion ions ement ements ation ations eur eurs euse if ive al aux",
  ),
  language(
    "es",
    spanish,
    [...spanishStops, ..."porque cuando cual cuales donde como cuanto cuanta que quien antes despues podia".split(" ")],
    "s es o a os as ar er ir ado ada ados adas ido ida ando iendo ó aron ión iones ción ciones mente miento",
  ),
  language(
    "ru",
    russian,
    [...russianStops, ..."почему когда какой какая какие где как сколько зачем".split(" ")],
    "а я ы и у ю е о ой ей ом ем ам ям ами ями ах ях ов ев ть л ла ли ло ый ий ая ое ые ого ому ия ие ии ию",
  ),
  language("da", danish, danishStops),
  language("nl", dutch, dutchStops),
  language("fi", finnish, finnishStops),
  language("el", greek, greekStops),
  language("hu", hungarian, hungarianStops),
  language("it", italian, italianStops),
  language("no", norwegian, norwegianStops),
  language("pt", portuguese, portugueseStops),
  language("ro", romanian, romanianStops),
  language("sv", swedish, swedishStops),
  language("tr", turkish, turkishStops),
  language("uk", ukrainian, ukrainianStops),
];

/** A language without a table: what distinguishes the forms of a word is mostly its last letters. */
const OTHER: Language = language("", (word) => word.slice(0, Math.max(4, Math.ceil(word.length * 0.7))), []);

/**
 * The language of a question, recognised by its stop words; English by default. One whose own small words never use a
 * letter of the question is another language, for which there may be no table.
 */
export function languageOf(words: readonly string[]): Language {
  const letters = new Set([...words.join("").toLowerCase()].filter((one) => one > "\x7f" && /\p{L}/u.test(one)));
  const share = (one: Language): number =>
    words.filter((word) => one.stops.has(fold(word))).length -
    [...letters].filter((letter) => !one.letters.has(letter)).length;
  const best = OTHERS.reduce((best, one) => (share(one) > share(best) ? one : best), ENGLISH);
  return letters.size > 0 && share(best) < 1 ? OTHER : best;
}

/** Forms of a word with the same stem, the word itself first, folded as in the index. */
export function formsOf(word: string, { stem, endings }: Language): string[] {
  const root = stem(word);
  const bases = [root, root.replace(/i$/, "y"), `${root}e`, root + root.slice(-1)];
  const forms = new Set([word]);
  for (const base of bases) {
    if (base.length < 3) continue;
    for (const ending of ["", ...endings]) if (stem(base + ending) === root) forms.add(base + ending);
  }
  return [...new Set([...forms].map(fold))];
}

/** Other numbers and tenses of an English word; phrases are returned unchanged. */
export function inflectionsOf(word: string): string[] {
  if (!/^[a-z]{3,}$/.test(word)) return [word];
  const root = english(word);
  const forms = ["s", "es", "ed", "d", "ing"].map((ending) => word + ending);
  const without = word.endsWith("e") ? [`${word.slice(0, -1)}ing`] : [];
  const y = /[^aeiou]y$/.test(word) ? [`${word.slice(0, -1)}ies`, `${word.slice(0, -1)}ied`] : [];
  return [word, ...[...forms, ...without, ...y].filter((form) => english(form) === root)];
}
