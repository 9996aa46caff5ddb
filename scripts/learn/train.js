// A logistic regression over hashed features, the same for every question. Deterministic: the order of examples is
// shuffled by a fixed seed.

const ROUNDS = 12;
const RATE = 0.2;
/** Of the bias. */
const SLOW = 0.02;
/** Weight decay per round. */
const DECAY = 1e-3;

/**
 * @typedef {{ features: Map<number, number>, is: boolean }} Example `is`: what is to be told of it
 * @typedef {{ bias: number, weights: Float64Array }} Model
 */

function random(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function scaleOf(features) {
  let sum = 0;
  for (const value of features.values()) sum += value * value;
  return 1 / Math.sqrt(sum || 1);
}

/** @param {readonly Example[]} examples @param {number} buckets @returns {Model} */
export function train(examples, buckets) {
  const weights = new Float64Array(buckets);
  const squares = new Float64Array(buckets).fill(1e-2);
  let bias = 0;
  const next = random(7);
  const order = examples.map((_, i) => i);
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = order.length - 1; i > 0; i--) {
      const j = Math.floor(next() * (i + 1));
      [order[i], order[j]] = [order[j], order[i]];
    }
    for (const at of order) {
      const { features, is } = examples[at];
      const error = 1 / (1 + Math.exp(-oddsOf({ bias, weights }, features))) - Number(is);
      const scale = scaleOf(features);
      bias -= SLOW * error;
      for (const [bucket, value] of features) {
        const slope = error * value * scale + DECAY * weights[bucket];
        squares[bucket] += slope * slope;
        weights[bucket] -= (RATE * slope) / Math.sqrt(squares[bucket]);
      }
    }
  }
  return { bias, weights };
}

export function oddsOf({ bias, weights }, features) {
  let sum = 0;
  for (const [bucket, value] of features) sum += weights[bucket] * value;
  return bias + sum * scaleOf(features);
}

/** As `src/base/text/learned.ts` reads it: a signed byte per weight. */
export function stored(about, { bias, weights }) {
  const step = Math.max(...weights.map(Math.abs)) / 127;
  const bytes = Int8Array.from(weights, (weight) => Math.round(weight / step));
  const text = Buffer.from(bytes.buffer).toString("base64");
  return { about, bias: Number(bias.toFixed(4)), step: Number(step.toPrecision(6)), weights: text };
}

/**
 * How the examples of each author are judged by a model that has seen none of them: a row of a table each. `least`: the
 * least odds that count as yes.
 */
export function fromAuthorToAuthor(authors, buckets, least) {
  const all = [...authors.values()].flat();
  return [...authors].map(([author, own]) => {
    const seen = new Set(own);
    const model = train(
      all.filter((one) => !seen.has(one)),
      buckets,
    );
    const says = own.map(({ features }) => oddsOf(model, features) > least);
    const yes = own.filter(({ is }) => is).length;
    const both = own.filter(({ is }, i) => is && says[i]).length;
    const right = own.filter(({ is }, i) => is === says[i]).length;
    const said = says.filter(Boolean).length;
    const languages = new Set(own.map(({ language }) => language)).size;
    return { author, all: own.length, languages, yes, right, both, said };
  });
}

export function share(part, whole) {
  return `${Math.round((100 * part) / Math.max(1, whole))} %`;
}
