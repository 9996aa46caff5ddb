#!/usr/bin/env node
// Writes data/prices.json from the price data of @pydantic/genai-prices (a dev dependency) and from
// scripts/more-prices.json, for models that it lacks: a dated, offline snapshot, so that a price never depends on the
// network and never changes between two runs of one version.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { findProvider } from "@pydantic/genai-prices";

const PROVIDERS = ["anthropic", "openai", "google", "x-ai", "deepseek", "mistral", "moonshotai", "zai", "minimax"];
const KEEP = ["input_mtok", "cache_read_mtok", "cache_write_mtok", "cache_write_1h_mtok", "output_mtok"];

const { version } = JSON.parse(
  readFileSync(new URL("../node_modules/@pydantic/genai-prices/package.json", import.meta.url), "utf8"),
);
const more = JSON.parse(readFileSync(new URL("more-prices.json", import.meta.url), "utf8"));
const models = [];
for (const id of PROVIDERS) {
  const provider = findProvider({ providerId: id });
  for (const model of provider?.models ?? []) {
    const prices = datedPrices(Array.isArray(model.prices) ? model.prices : [{ prices: model.prices }]);
    if (prices.some((p) => p.output_mtok !== undefined))
      models.push({ provider: id, id: model.id, match: model.match, prices });
  }
}
for (const { provider, models: listed } of more.lists) {
  for (const [id, prices] of Object.entries(listed)) {
    if (models.some((model) => model.provider === provider && model.id.toLowerCase() === id))
      throw new Error(`${id} now has a price in @pydantic/genai-prices: remove it from more-prices.json`);
    models.push({ provider, id, match: { equals: id }, prices: [{ from: null, ...prices }] });
  }
}
// One model a line, so that a change of a price is a change of one line.
const lines = models.map((model) => JSON.stringify(model));
writeFileSync(new URL("../data/prices.json", import.meta.url), `[\n${lines.join(",\n")}\n]\n`);
// Stored costs are computed again when any price changes, not only with a new version of the package.
const hash = createHash("sha256")
  .update(JSON.stringify(models, null, 1))
  .digest("hex");
writeFileSync(
  new URL("../src/views/pricing/prices-version.ts", import.meta.url),
  `/** The package that data/prices.json was made from, and a hash of the prices. Written by scripts/gen-prices.js. */
export const PRICES_VERSION = "${version} ${hash.slice(0, 8)}";
`,
);
console.log(`${models.length} models`);

/**
 * Of the prices in force the last ones count. The package cannot give an entry both a date and hours of the day: hours
 * listed after a date apply from that date on.
 */
function datedPrices(listed) {
  let from = null;
  return listed.map(({ constraint, prices }) => {
    if (constraint && constraint.type !== "start_date" && constraint.type !== "time_of_date")
      throw new Error(`prices that depend on something unknown: ${JSON.stringify(constraint)}`);
    from = constraint?.start_date ?? from;
    const daily = constraint?.type === "time_of_date" ? [constraint.start_time, constraint.end_time] : null;
    return {
      from,
      ...(daily && { utc_hours: daily.map((time) => /^(\d\d:\d\d):00Z$/.exec(time)[1]) }),
      ...Object.fromEntries(KEEP.filter((key) => prices[key] !== undefined).map((key) => [key, prices[key]])),
    };
  });
}
