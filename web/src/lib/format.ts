/** Formats of numbers, times and money, the same on all pages. */

/** 12,345. Written by hand: creating an Intl.NumberFormat takes longer than drawing a page. */
export function count(n: number): string {
  return String(n).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

export function plural(n: number, word: string, many = `${word}s`): string {
  return `${count(n)} ${n === 1 ? word : many}`;
}

/** 1234 → 1.2k, 91000 → 91k. */
export function short(n: number): string {
  if (n < 1000) return String(n);
  for (const [size, unit] of [
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
  ] as const) {
    if (n < size) continue;
    const value = n / size;
    return `${value < 10 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)}${unit}`;
  }
  return String(n);
}

/** A cost; with a plus where models without a price took part, and a dash where nothing is known. */
export function money(usage: { cost_usd: number | null; unpriced_models?: readonly string[] } | number | null): string {
  const cost = typeof usage === "number" || usage === null ? usage : usage.cost_usd;
  const more = typeof usage === "object" && (usage?.unpriced_models?.length ?? 0) > 0 ? "+" : "";
  if (cost === null) return "–";
  const { sign, rate } = currency;
  const amount = cost * rate;
  if (amount === 0) return `${sign}0${more}`;
  if (amount < 0.005) return `<${sign}0.01${more}`;
  return `${sign}${amount < 100 ? amount.toFixed(2) : count(Math.round(amount))}${more}`;
}

let currency = { sign: "$", rate: 1 };
/** Prices are in dollars: another currency needs the reader's own rate. An empty name is dollars. */
export function setCurrency(name: string, rate: number): void {
  const isOther = name !== "" && Number.isFinite(rate) && rate > 0;
  currency = isOther ? { sign: /^\p{L}{2,}$/u.test(name) ? `${name} ` : name, rate } : { sign: "$", rate: 1 };
}

/** 54 s, 8 m, 1 h 52 m, 3 d. */
export function duration(ms: number | null): string {
  if (ms === null) return "";
  // Some agents record whole seconds, so 0 means less than one.
  if (ms === 0) return "< 1 s";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${ms < 10_000 ? (ms / 1000).toFixed(1) : Math.round(ms / 1000)} s`;
  const minutes = Math.round(ms / 60_000);
  if (minutes < 60) return `${minutes} m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} m`;
  return `${Math.round(hours / 24)} d`;
}

let zone = "UTC";
/** Sets the time zone in which the server counts days, so that times and days agree. */
export function setZone(name: string): void {
  if (name === zone) return;
  zone = name;
  formatter = null;
  offsets.clear();
}

let formatter: Intl.DateTimeFormat | null = null;
const offsets = new Map<number, number>();

/** Offset of the zone from UTC, in ms. Cached per quarter of an hour: it can only change on such a boundary. */
function offsetAt(ms: number): number {
  if (zone === "UTC" || Number.isNaN(ms)) return 0;
  const quarter = Math.floor(ms / QUARTER);
  const known = offsets.get(quarter);
  if (known !== undefined) return known;
  formatter ??= new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  const parts = formatter.formatToParts(quarter * QUARTER);
  const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value ?? 0);
  const shown = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"));
  offsets.set(quarter, shown - quarter * QUARTER);
  return shown - quarter * QUARTER;
}

const QUARTER = 900_000;

/** 2026-05-12T09:30:00.000, in the server's zone. */
function zoned(time: string): string {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? "" : new Date(ms + offsetAt(ms)).toISOString();
}

/** 09:30 */
export function clock(time: string | null): string {
  return time === null ? "" : zoned(time).slice(11, 16);
}

/** 2026-05-12, in the server's zone. */
export function dayOf(time: string): string {
  return zoned(time).slice(0, 10);
}

const WEEKDAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
const MONTHS = "January February March April May June July August September October November December".split(" ");

/** Tuesday 12 May, or Tuesday 12 May 2026 */
export function longDay(day: string, withYear = false): string {
  const { weekday, month, date, year } = namesOf(day);
  return `${weekday} ${date} ${month}${withYear ? ` ${year}` : ""}`;
}

/** May 2026, of 2026-05 */
export function monthOf(month: string): string {
  const { month: name, year } = namesOf(`${month}-15`);
  return `${name.slice(0, 3)} ${year}`;
}

/** Tue 12 May */
export function shortDay(day: string): string {
  const { weekday, month, date } = namesOf(day);
  return `${weekday.slice(0, 3)} ${date} ${month.slice(0, 3)}`;
}

function namesOf(day: string): { weekday: string; month: string; date: number; year: number } {
  const at = new Date(`${day}T12:00:00Z`);
  return {
    weekday: WEEKDAYS[at.getUTCDay()] ?? "",
    month: MONTHS[at.getUTCMonth()] ?? "",
    date: at.getUTCDate(),
    year: at.getUTCFullYear(),
  };
}

export function addDays(day: string, n: number): string {
  return new Date(Date.parse(`${day}T12:00:00Z`) + n * 86_400_000).toISOString().slice(0, 10);
}

/** 4 minutes ago */
export function ago(time: string, now: number): string {
  const minutes = Math.round((now - Date.parse(time)) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${plural(minutes, "minute")} ago`;
  if (minutes < 48 * 60) return `${plural(Math.round(minutes / 60), "hour")} ago`;
  return `${plural(Math.round(minutes / 1440), "day")} ago`;
}

export function tokens(usage: {
  input_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
}): number {
  return usage.input_tokens + usage.cached_input_tokens + usage.cache_write_tokens + usage.output_tokens;
}

/** Shown in place of text that was not pushed to the team store. */
export const NOT_PUSHED = "– not pushed";
