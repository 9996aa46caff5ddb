/** Where two plain values differ, each leaf by its path. Lists of other lengths differ as a whole. */
export function differences(truth: unknown, actual: unknown, path = ""): string[] {
  if (JSON.stringify(truth) === JSON.stringify(actual)) return [];
  if (!isObject(truth) || !isObject(actual) || (Array.isArray(truth) && truth.length !== Object.keys(actual).length))
    return [`${path}: ${JSON.stringify(truth)}, told ${JSON.stringify(actual)}`];
  const keys = new Set([...Object.keys(truth), ...Object.keys(actual)]);
  return [...keys].flatMap((key) => differences(truth[key], actual[key], path === "" ? key : `${path}.${key}`));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/**
 * What Daybook says wrongly today, by corpus and scenario. The test demands exactly this, so that a defect which was mended
 * has to be taken out here. What cannot be known is no difference: it stands among the exceptions.
 */
export const WRONG: Readonly<Record<string, { why: string; actual: string[] }>> = {
  "codex-0.130.0 review": {
    why: "the reviewer's file names no parent; the parent's file repeats the reviewer's turn id",
    actual: [
      'turns.0.with_children: "2166/311/0/251/1", told "0/0/0/0/0"',
      'children: [{"turn":0,"relation":"review","tokens":"2166/311/0/251/1","calls":{}}], told []',
    ],
  },
  "codex-0.63.0 kill": {
    why: "cut in the middle of a response: its items were never written",
    actual: ['turns.0.outcome: "open", told "completed"', 'turns.0.final: null, told "This will take a while."'],
  },
  "codex-0.99.0 review": {
    why: "the reviewer's file names no parent, and the parent's file no reviewer",
    actual: [
      'turns.0.with_children: "3492/532/0/472/0", told "0/0/0/0/0"',
      'children: [{"turn":0,"relation":"review","tokens":"3492/532/0/472/0","calls":{}}], told []',
    ],
  },
};
