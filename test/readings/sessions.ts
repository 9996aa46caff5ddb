import { openSources, readSessions } from "../../src/book/reading/library.ts";

/** Every assembled session of a directory, one line for each of its parts; long texts are cut. */
export async function sessionsIn(source: string, root: string): Promise<string[]> {
  const opened = openSources({ roots: { [source]: [root] }, env: {}, home: "/nowhere" });
  const { sessions } = await readSessions(opened, { detail: "full", ledger: false, toolDetail: true });
  const sorted = sessions.toSorted((a, b) => (`${a.session_id} ${a.path}` < `${b.session_id} ${b.path}` ? -1 : 1));
  return sorted.flatMap((session) => {
    const parts = Object.entries(session).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return [`# ${session.session_id}`, ...parts.flatMap(([name, value]) => linesOf(name, value, root))];
  });
}

function linesOf(name: string, value: unknown, root: string): string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.map((each) => `  ${name}: ${short(each, root)}`);
}

function short(value: unknown, root: string): string {
  return (
    JSON.stringify(value, (name, each: unknown) => {
      if (each instanceof Map || each instanceof Set) return [...each];
      if (typeof each === "string") return clipped(each.replaceAll(root, "~"));
      if (typeof each !== "object" || each === null || Array.isArray(each)) return each;
      // Calls and usage refer to the turn they belong to.
      if (name !== "" && "draft" in each) return `turn ${(each.draft as { index: number }).index}`;
      // Parents, children and owners are sessions: only their id is printed.
      if ("turns" in each && "session_id" in each) return `session ${String(each.session_id)}`;
      const fields = Object.entries(each).filter(([key, one]) => one !== null && !UNSTABLE.has(key));
      return Object.fromEntries(fields.toSorted(([a], [b]) => (a < b ? -1 : 1)));
    }) ?? "undefined"
  );
}

/** Fields that depend on when and where a file was copied, not on its session. */
const UNSTABLE: ReadonlySet<string> = new Set(["mtimeMs", "stamp", "dev", "ino"]);

function clipped(text: string): string {
  return text.length > 48 ? `${text.slice(0, 32)}…${text.length}` : text;
}
