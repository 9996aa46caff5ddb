import { sentencesOf, type Sentence } from "./loose/sentences.ts";

/** Maximum length of a result: a line of a report, not the answer itself. */
const LONGEST = 400;
/**
 * A sentence of this length stands alone; a shorter one is joined with the next ones, up to `ONE_GLANCE` characters.
 */
const ENOUGH = 100;
const ONE_GLANCE = 220;
/** Maximum length of a sentence about test results, or about what was committed, pushed or deployed. */
const SHORT_VERDICT = 60;
/** Characters read from the beginning of an answer. */
const BEGINNING = 6000;
/** Sentences read: what an answer does not say early is not its main point. */
const LOOKED_AT = 12;

/** Says that something is done, found or agreed to, but not what. */
const FILLER =
  /^(?:(?:all |and |yes |ok(?:ay)?,? )?(?:done|ready|set|complete[d]?|finished)|all (?:done|set|good|right|tests pass)|alright|absolutely|agreed|awesome|certainly|correct|excellent|exactly|fair(?: enough| point)?|fixed(?: it)?|good (?:catch|call|point|question|idea)|got it|great(?: question| idea| point)?|hello|hey|hi|implemented|indeed|interesting|makes sense|nice|no problem|noted|of course|ok(?:ay)?|perfect|right|sorry|success|summary|sure(?: thing)?|thanks?(?: you)?|that's it|understood|updated|very well|will do|wonderful|you(?:'|’)?re (?:absolutely )?right|yep|yeah|erledigt|fertig|gemacht|gerne|klar|alles klar|passt|super|verstanden|natürlich|listo|hecho|claro|voilà|terminé|c(?:'|’)est fait|fatto|pronto|完了(?:しました)?|完成|できました|了解(?:しました)?|好的?|搞定|완료)$/iu;
/** A possible filler before a colon or a dash that introduces what was done. */
const LEAD = /^([\p{L}'’ ]{2,40}?)\s*(?:[:：]|\s[–—-]|[,，!！.。](?=\s|$))\s*(?=\S)/u;
/** Announces what follows, or offers more: neither is a result. */
const PREAMBLE =
  /^(?:here(?:'|’)?s|here (?:is|are)|below (?:is|are)|let me|i(?:'|’)?ll|i will|i(?:'|’)?m going to|now,? (?:i|let)|first,? (?:i|let)|next,? i|hier (?:ist|sind)|ich werde|lass mich|voici|aquí)\b/iu;
const OFFER =
  /^(?:let me know|want me to|would you like|shall i|should i|do you want|if you(?:'|’)?d like|if you want|feel free|happy to|anything else|soll ich|möchtest du|sag bescheid)\b/iu;

/** A warning is part of the result wherever it appears in the answer. */
const WARNING =
  /^(?:[⚠❗🚨]|(?:warning|caution|careful|important|attention|achtung|wichtig|vorsicht|attention|atención|注意|警告)\s*[:：!])/iu;

const VERDICT =
  /\b(?:tests?|suite|build|lint(?:er)?|checks?|ci|types?)\b.*\b(?:pass(?:es|ed)?|fail(?:s|ed|ing)?|green|red|clean|ok)\b|^(?:not )?(?:yet )?(?:committed|pushed|deployed|merged|released|reverted|applied)\b|\b(?:committed|pushed|deployed|merged|released)(?: and \w+)?[.!]?$|\b(?:tests?|build)\b.*\b(?:grün|rot|laufen|bestehen|schlägt)\b|^(?:nicht )?(?:gepusht|committet|ausgerollt)\b/iu;

/**
 * The result of a turn: the first informative sentence of the answer, without Markdown markup. A filler such as `Done.`
 * if there is nothing else; null if there is no sentence.
 */
export function resultIn(answer: string): string | null {
  const all = sentencesOf(answer.slice(0, BEGINNING));
  const said = firstResult(all.slice(0, LOOKED_AT));
  const warning = all.find(({ text }) => WARNING.test(text))?.text;
  return said === null ? null : cut(warning === undefined || said.includes(warning) ? said : `${said} ${warning}`);
}

function firstResult(sentences: readonly Sentence[]): string | null {
  let filler: string | null = null;
  for (const [i, { text, under }] of sentences.entries()) {
    const said = withoutLead(text);
    if (said === "" || FILLER.test(ending(said))) {
      filler ??= text;
      continue;
    }
    if (OFFER.test(said) || (PREAMBLE.test(said) && i + 1 < sentences.length) || said.endsWith(":")) continue;
    const rest = sentences.slice(i + 1);
    const listed = under === null ? [] : rest.filter((sentence) => sentence.under === under);
    if (under !== null && listed.length > 0 && isList(under))
      return listInOneLine(under, [said, ...listed.map(({ text: one }) => one)]);
    return withMore(
      said,
      rest.map((sentence) => sentence.text),
    );
  }
  return filler;
}

/** Headlines over lists of options, causes, questions and the like: without its headline such a list makes no sense. */
const LISTS =
  /\b(?:options?|ways?|possibilities|alternatives?|causes?|reasons?|findings?|problems?|issues?|risks?|candidates?|suspects?|plan|steps|questions?|proposals?|suggestions?|ideas?|varianten?|möglichkeiten?|ursachen?|gründe?|optionen|fragen?|probleme?|schritte|vorschläge?)$/iu;

function isList(headline: string): boolean {
  return headline.length <= 60 && LISTS.test(headline.trim());
}

/** `Options (3): the first; the second; …`: as much of each as fits. */
function listInOneLine(headline: string, items: readonly string[]): string {
  const each = Math.max(40, Math.floor(ONE_GLANCE / items.length));
  const short = items.map((item) => (item.length <= each ? item : `${item.slice(0, each).replace(/\s+\S*$/u, "")} …`));
  return `${headline} (${items.length}): ${short.map((item) => item.replace(/[.;]$/u, "")).join("; ")}`;
}

/** Appends the following sentences to a short one: `No.` needs its reason, and `Fixed.` what is left. */
function withMore(first: string, rest: readonly string[]): string {
  let whole = first;
  for (const next of rest) {
    if (OFFER.test(next) || next.endsWith(":")) break;
    const isEnough = (whole.length >= ENOUGH || whole.length + next.length > ONE_GLANCE) && !isShort(whole);
    // Test results and what was committed or pushed are part of the result wherever they appear.
    if (isEnough && !(next.length <= SHORT_VERDICT && VERDICT.test(next))) continue;
    whole = `${whole}${/[.!?…。！？]$/u.test(whole) ? "" : "."} ${next}`;
  }
  return whole;
}

/** Whether a result names what was done, not only that something was. */
export function saysSomething(result: string): boolean {
  return !FILLER.test(ending(result)) && !isShort(result);
}

/** `Good catch: no.` says `no`. */
function withoutLead(text: string): string {
  const lead = LEAD.exec(text);
  return lead && FILLER.test(lead[1]?.trim() ?? "") ? text.slice(lead[0].length).trim() : text;
}

function ending(text: string): string {
  return text.replace(/[\s.!?…:,。！？：、✅🎉👍✓–—-]+$/u, "").replace(/^[\s✅🎉👍✓]+/u, "");
}

/** At most two words, or a few characters of a script without spaces. */
function isShort(text: string): boolean {
  const bare = ending(text);
  const words = bare.split(/\s+/).length;
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(bare)
    ? bare.length < 4
    : words <= 2 && !/\d|[/_]|\w\.\w/.test(bare);
}

function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST).replace(/\s+\S*$/u, "")} …`;
}
