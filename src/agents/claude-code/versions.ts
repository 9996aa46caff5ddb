/** Whether a release is `first` or a later one; a missing version counts as older than any. */
export function isSince(version: string | null, first: readonly number[]): boolean {
  const parts = (version ?? "").split(".").map(Number);
  for (const [i, least] of first.entries()) {
    const part = parts[i] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}
