import { shortDay } from "../lib/format.ts";
import type { Span } from "../lib/spans.ts";
import type { TeamView } from "./client.ts";

export function viewName({ view, name }: TeamView): string {
  return name ?? (view === "all" ? "Everybody" : "Mine");
}

/** Names come from other people's machines: control, bidirectional and invisible characters are replaced by a dot. */
export function replaceControls(name: string): string {
  return name.replaceAll(/[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu, "·");
}

/**
 * The display name of a group. `null` stands for what is not named because too few people did it in a week, which may
 * include a name that other weeks show.
 */
export function groupName(name: string | null, [one, many]: readonly [string, string]): string {
  if (name === null) return `Other ${many}`;
  return name === "" ? `unnamed ${one}` : replaceControls(name);
}

/** The years are shown only if the two ends are in different ones. */
export function spanText({ since, until }: Span): string {
  if (since === until) return shortDay(since);
  const isOneYear = since.slice(0, 4) === until.slice(0, 4);
  const named = (day: string): string => (isOneYear ? shortDay(day) : `${shortDay(day)} ${day.slice(0, 4)}`);
  return `${named(since)} – ${named(until)}`;
}
