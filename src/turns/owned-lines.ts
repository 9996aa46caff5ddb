import type { LineRuns } from "./model.ts";

/** Lines come in order: the next one goes on with the last run, or begins another. */
export function addLine(runs: LineRuns, line: number): void {
  if (runs.at(-1) === line - 1) runs[runs.length - 1] = line;
  else runs.push(line, line);
}

/** Finds the owner of a line; lines must be asked for in order. Null: nobody owns it. */
export function ownersOf<T extends { lines: LineRuns }>(owners: readonly T[]): (line: number) => T | null {
  const runs = owners.flatMap((owner) => pairs(owner.lines).map(([first, last]) => ({ first, last, owner })));
  runs.sort((a, b) => a.first - b.first);
  let at = 0;
  return (line) => {
    while (at < runs.length && (runs[at]?.last ?? 0) < line) at++;
    const run = runs[at];
    return run && run.first <= line ? run.owner : null;
  };
}

function pairs(runs: LineRuns): [first: number, last: number][] {
  return Array.from({ length: runs.length / 2 }, (_, i) => [runs[2 * i] ?? 0, runs[2 * i + 1] ?? 0]);
}
