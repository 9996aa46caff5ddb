/** The package that data/prices.json was made from, and a hash of the prices. Written by scripts/gen-prices.js. */
export const PRICES_VERSION = "0.1.8 f6cc3548";
