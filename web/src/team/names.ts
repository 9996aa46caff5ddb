import { addDays, count, shortDay } from "../lib/format.ts";
import type { Span } from "../lib/spans.ts";
import type { TeamView } from "./client.ts";

export function viewName({ view, name }: TeamView): string {
  return name ?? (view === "all" ? "Everybody" : "Mine");
}

/** Names come from other people's machines: what would turn the text around it, or not be seen, is shown as a dot. */
export function visible(name: string): string {
  return name.replaceAll(/[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu, "·");
}

/** A group as it is called: one without a name stands for those that too few people are in, and what is hidden with them. */
export function groupName(name: string | null, hidden: number, [one, many]: readonly [string, string]): string {
  if (name === null) return hidden === 1 ? `one ${one}, not named` : `${count(hidden)} ${many} together, not named`;
  return name === "" ? `no name of the ${one}` : visible(name);
}

/** With the year where it is another than that of the other end. */
export function spanText({ since, until }: Span): string {
  if (since === until) return shortDay(since);
  const isOneYear = since.slice(0, 4) === until.slice(0, 4);
  const named = (day: string): string => (isOneYear ? shortDay(day) : `${shortDay(day)} ${day.slice(0, 4)}`);
  return `${named(since)} – ${named(until)}`;
}

/** The Monday of a day's week. */
export function mondayOf(day: string): string {
  return addDays(day, -((new Date(`${day}T12:00:00Z`).getUTCDay() + 6) % 7));
}
