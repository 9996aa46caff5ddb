import { cpSync, mkdtempSync, readdirSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { USAGE_GROUPS } from "../../src/views/usage-view.ts";
import { Daybook, type DaybookOptions, inside, type SyncReport } from "../../src/answers/daybook.ts";
import { NIGHTLY } from "../nightly.ts";
import { CORPUS, sourceOfCorpus } from "../truth.ts";

/** An empty directory. `seed.ts` removes it after the last test of the file. */
export function scratch(name = "index"): string {
  return realpathSync(mkdtempSync(join(tmpdir(), `daybook-${name}-`)));
}

export type Roots = Record<string, string[]>;

export const LABELS: readonly string[] = readdirSync(CORPUS).filter((name) => !name.endsWith(".json"));

/** The corpus, or some of it, copied to where it may be changed. */
export function copyCorpus(labels: readonly string[] = LABELS): { dir: string; roots: Roots } {
  const dir = scratch("corpus");
  const roots: Roots = {};
  for (const label of labels) {
    cpSync(join(CORPUS, label), join(dir, label), { recursive: true, preserveTimestamps: true });
    (roots[sourceOfCorpus(label)] ??= []).push(join(dir, label));
  }
  return { dir, roots };
}

export function open(roots: Roots, book?: string, more: DaybookOptions = {}): Daybook {
  return new Daybook({
    roots,
    timezone: "Asia/Kathmandu",
    env: {},
    home: "/nowhere",
    now: Date.UTC(2026, 11, 31),
    ...(book === undefined ? {} : { book }),
    ...more,
  });
}

/** Brings the book up to date and closes it. */
export async function syncBook(roots: Roots, book: string, more: DaybookOptions = {}): Promise<SyncReport> {
  const daybook = open(roots, book, more);
  try {
    return await daybook.sync();
  } finally {
    daybook.close();
  }
}

/** Everything that can be asked, asked once, as JSON: one entry per question, so that a difference names it. */
export async function answers(daybook: Daybook, explained = 12): Promise<Record<string, unknown>> {
  const out: Record<string, unknown> = {};
  const sessions = await daybook.sessions();
  out["sessions"] = sessions;
  out["turns"] = await daybook.turns();
  out["turns newest"] = await daybook.turns({ limit: 7 });
  out["tools"] = await daybook.tools();
  out["tools worst"] = await daybook.tools({ order: "worst", limit: 9 });
  out["tools found"] = await daybook.tools({ grep: "echo", limit: 5 });
  out["tools failed"] = await daybook.tools({ status: "failed", limit: 5 });
  out["tools recent"] = await daybook.tools({ order: "recent", unexpected: true, offset: 3, limit: 9 });
  out["tools slow"] = await daybook.tools({ order: "slow", offset: 2, limit: 9 });
  out["tools found further on"] = await daybook.tools({ grep: "ECHO ", order: "recent", offset: 2, limit: 4 });
  out["tools counted"] = [
    await inside(daybook).count("tools"),
    await inside(daybook).count("tools", { unexpected: true }),
  ];
  out["commands"] = await daybook.commands();
  out["files"] = await daybook.files();
  out["files further on"] = await daybook.files({ text: "S", offset: 1, limit: 3 });
  out["work by project"] = await inside(daybook).projectWork();
  out["kinds"] = (await inside(daybook).sessionKinds()).map((kind) => JSON.stringify(kind)).toSorted();
  for (const group of USAGE_GROUPS) {
    for (const by of ["spent", "trigger"] as const)
      out[`usage ${group} ${by}`] = await daybook.usage({ group, by, breakdown: true, order: "asc" });
  }
  out["audit"] = await daybook.audit();
  out["limits"] = await daybook.limits();
  await askDays(daybook, out);
  const [some] = sessions;
  if (some) {
    out["sessions of a project"] = await daybook.sessions({ project: some.project });
    out["usage of a session"] = await daybook.usage({
      group: "daily",
      by: "spent",
      breakdown: false,
      order: "asc",
      session: some.session_id,
    });
    const day = some.started_at?.slice(0, 10);
    out["sessions of a day"] = await daybook.sessions({ since: day, until: day });
    out["turns of a day"] = await daybook.turns({ since: day, until: day });
    out["commands of a project"] = await daybook.commands({ project: some.project });
    out["files of a day"] = await daybook.files({ since: day, until: day });
    out["turns that changed a file"] = await inside(daybook).turnsNamed(
      await inside(daybook).turnsTouching((path) => path.endsWith("s"), { until: day }),
    );
    out["tools of a day"] = await daybook.tools({ since: day, until: day });
  }
  for (const { source, session_id } of sessions) {
    const key = `${source}/${session_id}`;
    out[`show ${key}`] = inside(daybook).sessionJson((await daybook.find(key)).session);
    const records: unknown[] = [];
    for await (const record of daybook.records(key)) records.push(record);
    out[`export ${key}`] = records;
  }
  const every = Math.max(1, Math.floor(sessions.length / explained));
  for (const { session_path, session_id, source } of sessions.filter((_, i) => i % every === 0)) {
    const { session } = await daybook.find(`${source}/${session_id}`);
    const { last_line: last = 1, lines = 1 } = session.parts.at(-1) ?? {};
    const path = session.parts.filter((p) => p.path === session_path).length === 1 ? session_id : session_path;
    for (const line of new Set([last, last - Math.floor(lines / 2)]))
      out[`explain ${path}:${line}`] = await daybook.explain(`${source}/${session_id}:${line}`);
  }
  daybook.close();
  return JSON.parse(JSON.stringify(out)) as Record<string, unknown>;
}

/** Reports of every day with work. What the first found out is kept, so the first day, nightly each, is asked again. */
async function askDays(daybook: Daybook, out: Record<string, unknown>): Promise<void> {
  const turns = await daybook.turns();
  const days = [...new Set(turns.map(({ trigger }) => trigger.time?.slice(0, 10)))].filter((day) => day !== undefined);
  out["report newest"] = await daybook.report();
  for (const day of days) {
    out[`report ${day}`] = await daybook.report({ date: day });
    if (NIGHTLY || day === days[0]) out[`report ${day} again`] = await daybook.report({ date: day });
    out[`decisions ${day}`] = await daybook.decisions({ since: day, until: day });
    out[`context ${day}`] = await daybook.context({ since: day, until: day });
  }
  out["report week"] = await daybook.report({ week: true });
  const [turn] = turns;
  if (turn) {
    out["report of a session"] = await daybook.report({ session: turn.session_id });
    out["report of a project"] = await daybook.report({ project: turn.project, since: days[0] });
  }
  out["decisions"] = await daybook.decisions();
  out["context"] = await daybook.context();
}

/** Answers without what only the native file has: the text of its lines. */
export function withoutExcerpts(given: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, bare(key, value)]));
}

function bare(key: string, value: unknown): unknown {
  return key.startsWith("explain ") ? (value as object[]).map((one) => ({ ...one, excerpt: "" })) : value;
}

/** Names of the questions answered differently. */
export function differences(a: Record<string, unknown>, b: Record<string, unknown>): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(
    (key) => JSON.stringify(a[key]) !== JSON.stringify(b[key]),
  );
}
