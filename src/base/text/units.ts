/** 1234567 → 1.2M, for output read by people. */
export function shortNumber(n: number): string {
  if (n < 1000) return String(n);
  for (const [limit, unit] of [
    [1e6, "k"],
    [1e9, "M"],
    [1e12, "G"],
  ] as const) {
    if (n < limit) {
      const value = n / (limit / 1000);
      return `${value < 10 ? value.toFixed(1) : Math.round(value)}${unit}`;
    }
  }
  return `${Math.round(n / 1e12)}T`;
}

export function money(usd: number | null): string {
  if (usd === null) return "–";
  return usd !== 0 && Math.abs(usd) < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

/** The known cost, with a `+` when it includes models without a price. */
export function cost(usage: { cost_usd: number | null; unpriced_models: readonly string[] }): string {
  const lacks = usage.unpriced_models.length > 0;
  if (usage.cost_usd === null) return lacks ? "unpriced" : "–";
  return lacks ? `${money(usage.cost_usd)}+` : money(usage.cost_usd);
}

export function duration(ms: number | null): string {
  if (ms === null) return "";
  if (ms < 1000) return `${ms}ms`;
  const s = ms / 1000;
  if (s < 60) return `${s.toFixed(s < 10 ? 1 : 0)}s`;
  if (s < 3600) return `${Math.floor(s / 60)}m${String(Math.floor(s % 60)).padStart(2, "0")}s`;
  return `${Math.floor(s / 3600)}h${String(Math.floor((s % 3600) / 60)).padStart(2, "0")}m`;
}

/** 1234567 → 1,234,567. Not by `Intl`: loading a locale takes longer than most answers. */
export function groupDigits(n: number): string {
  return String(n).replace(/(?<=\d)(?=(?:\d{3})+$)/g, ",");
}

export function plural(n: number, one: string, many: string = `${one}s`): string {
  return `${groupDigits(n)} ${n === 1 ? one : many}`;
}
