import { gstackImportNames } from "../agents/traits.ts";
import { order } from "../base/text/order.ts";
import { groupBy } from "../base/maps.ts";
import type { QuestionOutcome, QuestionEvent } from "./events.ts";
import { doorOf } from "./door.ts";
import { isInert, type Preferences } from "./preferences.ts";
import type { Door, Registry } from "./registry.ts";

/** How often a question was put to the human, and how it ended. All but `auto_decided` add up to `asked`. */
export interface QuestionCounts {
  asked: number;
  /** The recommended option was taken. */
  followed: number;
  /** Another option was taken. */
  overridden: number;
  /** Answered in the human's own words. */
  answered_otherwise: number;
  /** An option was taken where none was recommended. */
  no_recommendation: number;
  /** Answered in a form that is not understood. */
  unclear: number;
  unanswered: number;
  /** Not asked at all: a preference decided. */
  auto_decided: number;
}

export interface NamedCounts extends QuestionCounts {
  name: string;
}

/** One question by its id, over all times it was asked. */
export interface QuestionStats extends QuestionCounts {
  question_id: string;
  /**
   * The id comes from a marker. One that is made from the question's text (`hook-…`) changes with it and cannot carry a
   * preference.
   */
  marked: boolean;
  skill: string | null;
  /** Its text, as last asked. */
  summary: string;
  door_type: Door;
  preference: string | null;
  last_asked: string | null;
  by_project: NamedCounts[];
  by_agent: NamedCounts[];
  by_month: NamedCounts[];
}

/** How much data there is to describe how a person works, and how much it takes. */
export interface Calibration {
  events: number;
  skills: number;
  question_ids: number;
  days: number;
  needed: { events: number; skills: number; question_ids: number; days: number };
  enough: boolean;
}

export interface DecisionStats {
  total: QuestionCounts;
  /** Questions with a marker, of all that were asked or decided. */
  marked: { questions: number; of: number; percent: number | null };
  /** Where the questions were found. One that was captured live and is in a session too counts once. */
  found: { in_sessions: number; in_log: number; in_both: number };
  /** How questions were recorded, in the terms of the question log. */
  sources: { source: string; questions: number }[];
  by_project: NamedCounts[];
  by_agent: NamedCounts[];
  by_month: NamedCounts[];
  /** Questions with a marker, the most frequent first. */
  questions: QuestionStats[];
  /** Questions that are identified only by their text. */
  unmarked: QuestionStats[];
  calibration: Calibration;
  preferences: PreferenceCounts;
  /** The last ten questions a preference decided, the newest first. */
  auto_decisions: AutoDecision[];
}

export interface AutoDecision {
  time: string | null;
  project: string;
  question_id: string;
  summary: string;
  choice: string | null;
}

export interface PreferenceCounts {
  total: number;
  never_ask: number;
  always_ask: number;
  ask_only_for_one_way: number;
  /** Other values. */
  other: number;
  /** On one-way doors and split lists: stored, and without effect. */
  inert: number;
}

const NEEDED = { events: 20, skills: 3, question_ids: 8, days: 7 };
const LAST = 10;
const UNKNOWN_VALUES: readonly (string | null)[] = [null, "unknown"];

export function statsOf(
  events: readonly QuestionEvent[],
  registry: Registry,
  preferences: Preferences,
  dayOf: (time: number) => string,
): DecisionStats {
  const month = ({ time }: QuestionEvent): string => (time === null ? "no date" : dayOf(Date.parse(time)).slice(0, 7));
  const [project, agent] = [(one: QuestionEvent) => one.project, (one: QuestionEvent) => one.agent ?? "unknown"];
  const parts = (some: readonly QuestionEvent[]): Pick<DecisionStats, "by_project" | "by_agent" | "by_month"> => ({
    by_project: by(some, project, mostAsked),
    by_agent: by(some, agent, mostAsked),
    by_month: by(some, month, (a, b) => order(b.name, a.name)),
  });
  const questions = [...groupBy(events, ({ question_id }) => question_id)].map(([id, some]): QuestionStats => {
    const last = some.at(-1);
    const skill = registry.skillOf(id) ?? some.find((one) => !isImporter(one.skill))?.skill ?? null;
    return {
      question_id: id,
      marked: last?.marked ?? false,
      skill,
      summary: last?.summary ?? "",
      door_type: doorOf({ question_id: id, skill, summary: last?.summary }, registry).door,
      preference: preferences.of(id)?.preference ?? null,
      last_asked: some.reduce<string | null>((latest, { time }) => later(latest, time), null),
      ...countsOf(some),
      ...parts(some),
    };
  });
  questions.sort(
    (a, b) => mostAsked(a, b) || order(b.last_asked ?? "", a.last_asked ?? "") || order(a.question_id, b.question_id),
  );
  const marked = events.filter((one) => one.marked).length;
  const percent = events.length === 0 ? null : Math.round((marked / events.length) * 100);
  const of = (found: QuestionEvent["found"]): number => events.filter((one) => one.found === found).length;
  return {
    total: countsOf(events),
    marked: { questions: marked, of: events.length, percent },
    found: { in_sessions: of("sessions"), in_log: of("log"), in_both: of("both") },
    sources: [...groupBy(events, ({ source }) => source)]
      .map(([source, some]) => ({ source, questions: some.length }))
      .sort((a, b) => b.questions - a.questions || order(a.source, b.source)),
    ...parts(events),
    questions: questions.filter((one) => one.marked),
    unmarked: questions.filter((one) => !one.marked),
    calibration: calibrationOf(events, registry, dayOf),
    preferences: preferenceCounts(preferences, registry),
    auto_decisions: events
      .filter(({ outcome }) => outcome === "auto_decided")
      .slice(-LAST)
      .reverse()
      .map(({ time, project, question_id, summary, choice }) => ({ time, project, question_id, summary, choice })),
  };
}

function calibrationOf(
  events: readonly QuestionEvent[],
  registry: Registry,
  dayOf: (time: number) => string,
): Calibration {
  const answered = events.filter(({ outcome }) => outcome !== "unanswered" && outcome !== "auto_decided");
  const have = {
    events: answered.length,
    skills: count(
      answered.map(({ question_id: id, skill }) => registry.skillOf(id) ?? (isImporter(skill) ? null : skill)),
    ),
    question_ids: count(answered.map(({ question_id }) => question_id)),
    days: count(answered.map(({ time }) => (time === null ? null : dayOf(Date.parse(time))))),
  };
  const enough = (Object.keys(NEEDED) as (keyof typeof NEEDED)[]).every((name) => have[name] >= NEEDED[name]);
  return { ...have, needed: NEEDED, enough };
}

function count(values: readonly (string | null)[]): number {
  return new Set(values.filter((one) => !UNKNOWN_VALUES.includes(one))).size;
}

/** Importers state the agent as skill, and the live hook states `unknown`: neither is a skill. */
function isImporter(skill: string | null): boolean {
  return UNKNOWN_VALUES.includes(skill) || gstackImportNames().some(({ name }) => name === skill);
}

function preferenceCounts(preferences: Preferences, registry: Registry): PreferenceCounts {
  const all = preferences.all();
  const of = (value: string): number => all.filter(({ preference }) => preference === value).length;
  const [never, always, oneWay] = [of("never-ask"), of("always-ask"), of("ask-only-for-one-way")];
  return {
    total: all.length,
    never_ask: never,
    always_ask: always,
    ask_only_for_one_way: oneWay,
    other: all.length - never - always - oneWay,
    inert: all.filter(({ question_id, preference }) => isInert(question_id, preference, registry)).length,
  };
}

function countsOf(events: readonly QuestionEvent[]): QuestionCounts {
  const of = (outcome: QuestionOutcome): number => events.filter((one) => one.outcome === outcome).length;
  const auto_decided = of("auto_decided");
  return {
    asked: events.length - auto_decided,
    followed: of("followed"),
    overridden: of("overridden"),
    answered_otherwise: of("answered_otherwise"),
    no_recommendation: of("no_recommendation"),
    unclear: of("unclear"),
    unanswered: of("unanswered"),
    auto_decided,
  };
}

function by(
  events: readonly QuestionEvent[],
  nameOf: (event: QuestionEvent) => string,
  sort: (a: NamedCounts, b: NamedCounts) => number,
): NamedCounts[] {
  return [...groupBy(events, nameOf)]
    .map(([name, some]) => ({ name, ...countsOf(some) }))
    .sort((a, b) => sort(a, b) || order(a.name, b.name));
}

function mostAsked(a: QuestionCounts, b: QuestionCounts): number {
  return b.asked + b.auto_decided - (a.asked + a.auto_decided);
}

function later(a: string | null, b: string | null): string | null {
  return a === null || (b !== null && b > a) ? b : a;
}
