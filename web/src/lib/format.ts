/** Numbers, times and money as they are shown everywhere. */

const thousands = new Intl.NumberFormat("en-US");

export function count(n: number): string {
  return thousands.format(n);
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
  if (cost === 0) return `$0${more}`;
  if (cost < 0.005) return `<$0.01${more}`;
  return `$${cost < 100 ? cost.toFixed(2) : thousands.format(Math.round(cost))}${more}`;
}

/** 54 s, 8 m, 1 h 52 m, 3 d. */
export function duration(ms: number | null): string {
  if (ms === null) return "";
  // Some agents tell times in whole seconds.
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
/** The zone in which the server counts days: times and days must agree. */
export function setZone(name: string): void {
  if (name === zone) return;
  zone = name;
  made.clear();
}

/** To make one takes longer than to use it hundreds of times. */
const made = new Map<string, Intl.DateTimeFormat>();
function formatter(key: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const known = made.get(key) ?? new Intl.DateTimeFormat("en-GB", { timeZone: zone, ...options });
  made.set(key, known);
  return known;
}

export function clock(time: string | null): string {
  if (time === null) return "";
  return formatter("clock", { hour: "2-digit", minute: "2-digit" }).format(new Date(time));
}

/** 2026-05-12, in the server's zone. */
export function dayOf(time: string): string {
  const parts = formatter("day", { year: "numeric", month: "2-digit", day: "2-digit" }).formatToParts(new Date(time));
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? "";
  return `${part("year")}-${part("month")}-${part("day")}`;
}

/** Tuesday, 12 May */
export function longDay(day: string, withYear = false): string {
  const options: Intl.DateTimeFormatOptions = { weekday: "long", day: "numeric", month: "long", timeZone: "UTC" };
  const format = withYear
    ? formatter("long day of a year", { ...options, year: "numeric" })
    : formatter("long day", options);
  return format.format(new Date(`${day}T12:00:00Z`));
}

/** Tue 12 May */
export function shortDay(day: string): string {
  const options: Intl.DateTimeFormatOptions = { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" };
  return formatter("short day", options).format(new Date(`${day}T12:00:00Z`));
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
