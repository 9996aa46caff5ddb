/** The leaves in which two JSON values differ, by path. Lists of different lengths are one difference. */
export function differences(truth: unknown, actual: unknown, path = ""): string[] {
  if (JSON.stringify(truth) === JSON.stringify(actual)) return [];
  if (!isObject(truth) || !isObject(actual) || (Array.isArray(truth) && truth.length !== Object.keys(actual).length))
    return [`${path}: ${JSON.stringify(truth)}, got ${JSON.stringify(actual)}`];
  const keys = new Set([...Object.keys(truth), ...Object.keys(actual)]);
  return [...keys].flatMap((key) => differences(truth[key], actual[key], path === "" ? key : `${path}.${key}`));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/**
 * Known wrong answers, by corpus and scenario. The test expects exactly these, so a fixed defect must be removed here.
 * What the files do not contain is not listed here but in `exceptions.ts`.
 */
export const WRONG: Readonly<Record<string, { why: string; actual: string[] }>> = {
  "codex-0.130.0 review": {
    why: "the reviewer's file names no parent; the parent's file repeats the reviewer's turn id",
    actual: [
      'turns.0.with_children: "2166/311/0/251/1", got "0/0/0/0/0"',
      'children: [{"turn":0,"relation":"review","tokens":"2166/311/0/251/1","calls":{}}], got []',
    ],
  },
  "codex-0.63.0 kill": {
    why: "cut in the middle of a response: its items were never written",
    actual: ['turns.0.outcome: "open", got "completed"', 'turns.0.final: null, got "This will take a while."'],
  },
  "droid-0.215.0 cache": {
    why: "the agent wrote the answer before its prompt: it belongs to the turn, but nothing follows the prompt",
    actual: ['turns.0.final: "Answered from cache.", got null'],
  },
  "codex-0.99.0 review": {
    why: "the reviewer's file names no parent, and the parent's file no reviewer",
    actual: [
      'turns.0.with_children: "3492/532/0/472/0", got "0/0/0/0/0"',
      'children: [{"turn":0,"relation":"review","tokens":"3492/532/0/472/0","calls":{}}], got []',
    ],
  },
};
