import type { Drift } from "../../agents/contract.ts";
import { order } from "../../base/text/order.ts";

const KINDS = ["versions", "unknownTypes", "unknownFields"] as const;

/** Sums the drift of several files. */
export function addDrift(list: readonly Drift[]): Drift {
  const sum: Drift = { versions: {}, unknownTypes: {}, unknownFields: {} };
  for (const drift of list) {
    for (const kind of KINDS)
      for (const [name, n] of Object.entries(drift[kind])) sum[kind][name] = (sum[kind][name] ?? 0) + n;
  }
  return sum;
}

/** Sorted by name, so that the order in which files were read does not matter. */
export function sortedDrift(drift: Drift): Drift {
  return {
    versions: sorted(drift.versions),
    unknownTypes: sorted(drift.unknownTypes),
    unknownFields: sorted(drift.unknownFields),
  };
}

function sorted(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).toSorted(([a], [b]) => order(a, b)));
}

/** Subtracts a part from the whole. */
export function withoutDrift(whole: Drift, part: Drift): Drift {
  const rest = addDrift([whole]);
  for (const kind of KINDS) {
    for (const [name, n] of Object.entries(part[kind])) {
      const left = (rest[kind][name] ?? 0) - n;
      if (left === 0) delete rest[kind][name];
      else rest[kind][name] = left;
    }
  }
  return rest;
}
