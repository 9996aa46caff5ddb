import { readFileSync } from "node:fs";
import { DATA } from "../../places.ts";

/** Weights of hashed features that `npm run learn` learned from labelled examples. */
export interface Learned {
  bias: number;
  /** The value of one step of a weight. */
  step: number;
  weights: Int8Array;
}

interface StoredWeights {
  bias: number;
  step: number;
  /** Base64 of a signed byte per bucket. */
  weights: string;
}

const loaded = new Map<string, Learned>();

/** The weights of a file of `data/`. */
export function learned(file: string): Learned {
  const known = loaded.get(file);
  if (known) return known;
  const stored = JSON.parse(readFileSync(new URL(file, DATA), "utf8")) as StoredWeights;
  const bytes = Buffer.from(stored.weights, "base64");
  const made = { bias: stored.bias, step: stored.step, weights: new Int8Array(bytes) };
  loaded.set(file, made);
  return made;
}

/** FNV-1a, folded; the bucket is its remainder. */
export function hashOf(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return (value ^ (value >>> 15)) >>> 0;
}

/**
 * The log-odds of an example. `features`: bucket and value; scaled to length one, so that a long text weighs no more than
 * a short one.
 */
export function oddsOf(features: ReadonlyMap<number, number>, { bias, step, weights }: Learned): number {
  let sum = 0;
  let square = 0;
  for (const [bucket, value] of features) {
    sum += (weights[bucket] ?? 0) * value;
    square += value * value;
  }
  return square === 0 ? bias : bias + (sum * step) / Math.sqrt(square);
}
