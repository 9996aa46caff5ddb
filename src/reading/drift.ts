import type { Drift } from "../sources/source.ts";

/** What was met in several files, added up. */
export function addDrift(list: readonly Drift[]): Drift {
  const sum: Drift = { versions: {}, unknownTypes: {}, unknownFields: {} };
  for (const drift of list) {
    for (const key of ["versions", "unknownTypes", "unknownFields"] as const) {
      for (const [name, n] of Object.entries(drift[key])) sum[key][name] = (sum[key][name] ?? 0) + n;
    }
  }
  return sum;
}
