/** `019e2f1c/T0002:12-40`: a turn of a session named in brief, with the lines of the session's file, where they are known. */
export function citation(sessionRef: string, turnRef: string, start: number | null, end: number | null): string {
  if (start === null || end === null) return `${sessionRef}/${turnRef}`;
  return `${sessionRef}/${turnRef}:${start}-${end}`;
}

/** As `citation`, but for a single line. */
export function citeLine(sessionRef: string, turnRef: string, line: number | null): string {
  if (line === null) return `${sessionRef}/${turnRef}`;
  return `${sessionRef}/${turnRef}:${line}`;
}
