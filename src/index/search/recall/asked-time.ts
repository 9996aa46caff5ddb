import { parseDayWords } from "../../../base/time/day-words.ts";
import { addDays, WEEKDAYS, type Zone } from "../../../base/time/zone.ts";

/** The factor by which a turn's score is multiplied for its start time. */
export type TimeGain = (time: number | null) => number;

/** People remember a named day well, but less well its neighbours, the weekday or the time of day. */
const NAMED = 1.5;
const NEXT_TO = 1.2;
const LIKE = 1.25;

/** Days as `base/time/day-words.ts` parses them. Spans such as `two days` are durations; `may` and `march` are verbs too. */
const DAYS = new RegExp(
  [
    String.raw`\b\d{4}-\d\d-\d\d\b`,
    String.raw`\b(?:today|yesterday)\b`,
    String.raw`\b(?:this|last|previous) (?:week|month|year)\b`,
    String.raw`\blast (?:${WEEKDAYS.join("|")})\b`,
    String.raw`\b(?:\d{1,2}|an?|one|two|three) (?:day|week|month)s? ago\b`,
    String.raw`\b(?:\d{1,2}\.? )?(?:january|february|april|june|july|august|september|october|november|december)(?: \d{1,2})?(?: \d{4})?\b`,
    String.raw`\bin (?:march|may)\b|\b\d{1,2}\.? (?:march|may)\b|\b(?:march|may) \d{1,2}\b`,
  ].join("|"),
  "g",
);

/** The most common ones in other languages. */
const TRANSLATED: readonly (readonly [RegExp, string])[] = [
  [/\bgestern\b|\bhier\b|\bayer\b|вчера|昨日|昨天/g, " yesterday "],
  [/\bheute\b|\baujourd['’]hui\b|\bhoy\b|сегодня|今日|今天/g, " today "],
  [
    /\bletzte(?:n|r)? woche\b|\bsemaine derni[eè]re\b|\bsemana pasada\b|прошлой неделе|先週|上周|上星期/g,
    " last week ",
  ],
  [/\bletzte(?:n|r)? monat\b|\bmois dernier\b|\bmes pasado\b|прошлом месяце|先月|上个月/g, " last month "],
];

/** Hours of the day, end exclusive; ranges may wrap around midnight. */
const HOURS: readonly (readonly [RegExp, from: number, to: number])[] = [
  [/\b(?:at|last|that|one|the|during the|of the) night\b|\bafter midnight\b|\bnachts\b/, 21, 6],
  [/\b(?:this|that|in the|early|yesterday|one|monday|tuesday|wednesday|thursday|friday) morning\b/, 5, 12],
  [/\b(?:this|that|in the|yesterday|one) afternoon\b|\bafter lunch\b/, 12, 18],
  [/\b(?:this|that|in the|yesterday|one) evening\b|\btonight\b/, 17, 24],
];

/** When the event asked about took place, as far as the question says; null where it does not. */
export function timeGainOf(question: string, zone: Zone, now: number): TimeGain | null {
  const text = TRANSLATED.reduce((said, [words, english]) => said.replace(words, english), question.toLowerCase());
  const days = [...text.matchAll(DAYS)].flatMap(
    ([words]) => parseDayWords(words.replace(".", ""), zone.day(now)) ?? [],
  );
  const weekdays = WEEKDAYS.flatMap((name, i) => (new RegExp(`(?<!last )\\b${name}\\b`).test(text) ? [i] : []));
  const hours = HOURS.filter(([words]) => words.test(text));
  if (days.length === 0 && weekdays.length === 0 && hours.length === 0) return null;
  return (time) => {
    if (time === null) return 1;
    const day = zone.day(time);
    const hour = Number(zone.clock(time).slice(11, 13));
    let gain = 1;
    if (days.some(({ first, last }) => first <= day && day <= last)) gain *= NAMED;
    else if (days.some(({ first, last }) => addDays(first, -1) <= day && day <= addDays(last, 1))) gain *= NEXT_TO;
    if (weekdays.includes(new Date(`${day}T00:00:00Z`).getUTCDay())) gain *= LIKE;
    if (hours.some(([, from, to]) => (from < to ? hour >= from && hour < to : hour >= from || hour < to))) gain *= LIKE;
    return gain;
  };
}
