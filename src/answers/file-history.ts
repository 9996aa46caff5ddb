import { fileName } from "../views/changed-files.ts";
import { basename } from "node:path";
import { traceFile } from "./blame/blame.ts";
import type { BlameTarget } from "./blame/target.ts";
import type { TurnView } from "../views/turn-view.ts";
import type { ChangeView, FileView, TouchingTurn } from "./blame/file-view.ts";
import type { EditEvent } from "./blame/model.ts";
import { resolvePath } from "../base/shell/working-place.ts";
import { order } from "../base/text/order.ts";
import type { AnswerContext } from "./answer-context.ts";
import { contentNow, sessionsAround, type RepositoryCalls } from "./blaming.ts";
import type { Query } from "./questions.ts";
import { glances, turnsNamed, turnsTouching } from "./turns.ts";
import { sessionKey, turnKey } from "../record/session-key.ts";

/** The turns that touched a file under any of its names, in order of time. */
export async function fileHistory(ctx: AnswerContext, target: BlameTarget, query: Query): Promise<FileView> {
  const { git, files } = sessionsAround(ctx, target);
  const { names, own } = await traceFile({
    ...target,
    content: contentNow(target.path),
    git,
    commit: null,
    calls: (words, near) => files.calls(words, near),
  });
  const paths = names.map(({ path }) => path);
  const found = new Map<string, { view: TurnView; changes: ChangeView[] }>();
  const turnOf = await files.owners(own);
  for (const event of own) note(found, turnOf(event), changeOf(event));
  // Changes an agent reports by itself, for turns whose input does not show the edit.
  for (const { view, changes } of await touching(ctx, files, paths, query))
    for (const change of changes) if (!found.get(turnKey(view))?.changes.length) note(found, view, change);
  const meant = new Set((await glances(ctx, query, false)).map(turnKey));
  const turns = [...found]
    .filter(([name]) => meant.has(name))
    .map(([turn, { view, changes }]): TouchingTurn => ({ turn, ...view, changes }))
    .toSorted((a, b) => order(a.changes[0]?.time ?? "", b.changes[0]?.time ?? "") || order(a.turn, b.turn));
  const costs = turns.flatMap(({ usage_with_children: { cost_usd } }) => cost_usd ?? []);
  return {
    path: target.path,
    names: paths,
    turns,
    cost_usd: costs.length === 0 ? null : costs.reduce((a, b) => a + b),
  };
}

function note(
  found: Map<string, { view: TurnView; changes: ChangeView[] }>,
  view: TurnView | null,
  change: ChangeView,
): void {
  if (!view) return;
  const known = found.get(turnKey(view)) ?? { view, changes: [] };
  known.changes.push(change);
  found.set(turnKey(view), known);
}

/** Maps edits made by commands to the operations of tools. */
const HOW: Readonly<Record<EditEvent["edit"]["kind"], ChangeView["how"]>> = {
  write: "write",
  replace: "replace",
  insert: "insert",
  patch: "patch",
  delete: "delete",
  move: "move",
  stream: "replace",
  copy: "write",
  restore: "write",
  script: "write",
  format: "write",
  notebook: "replace",
  output: "write",
  // These two change nothing and never occur here.
  shown: "write",
  absent: "write",
};

function changeOf({ edit, session_id, line, time }: EditEvent): ChangeView {
  return { path: edit.path, how: HOW[edit.kind], session_id, line, time: new Date(time).toISOString() };
}

async function touching(
  ctx: AnswerContext,
  files: RepositoryCalls,
  paths: readonly string[],
  query: Query,
): Promise<{ view: TurnView; changes: ChangeView[] }[]> {
  const names = new Set(paths.map((path) => basename(path)));
  const near = await turnsTouching(ctx, query, (path) => names.has(fileName(path)));
  const out: { view: TurnView; changes: ChangeView[] }[] = [];
  for (const view of await turnsNamed(ctx, near)) {
    const { here } = await files.placesOf(sessionKey(view));
    const changes = (view.files ?? []).flatMap(({ path, operation, line }): ChangeView[] => {
      const whole = resolvePath(path, view.cwd, { roots: [], cwd: view.cwd });
      const now = whole === null ? null : here(whole);
      if (now === null || !paths.includes(now)) return [];
      return [{ path: now, how: operation, session_id: view.session_id, line, time: view.trigger.time }];
    });
    if (changes.length > 0) out.push({ view, changes });
  }
  return out;
}
