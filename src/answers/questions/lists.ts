import type { ChangedFile } from "../../views/list-rows.ts";
import type { CommandCount } from "../../views/command-counts.ts";
import type { SessionView } from "../../views/session-view.ts";
import type { ToolView } from "../../views/tool-view.ts";
import type { TurnView } from "../../views/turn-view.ts";
import { listsForSessions } from "../need.ts";
import {
  commands as commandsIn,
  filesChanged,
  sessions as sessionsIn,
  tools as toolsIn,
  turns as turnsIn,
} from "../lists.ts";
import { ONLY_TURNS } from "../../index/tables/remote-demand.ts";
import { CALLS, LIMIT, LISTED, SORTED, WHERE, type Where } from "../../views/query/fields.ts";
import type { Question } from "./question.ts";

/** One page of a list. */
export interface Offset {
  /** How many to skip. */
  offset?: number | undefined;
}

export const sessions: Question<Where & typeof LISTED & typeof SORTED & typeof LIMIT, SessionView[], Offset> = {
  name: "sessions",
  about: "list sessions, newest first",
  query: { ...WHERE, ...LISTED, ...SORTED, ...LIMIT },
  answer: "sessions",
  needs: (query) => ({ store: { lists: listsForSessions(query) } }),
  ask: (ctx, query) => sessionsIn(ctx, query),
};

export const turns: Question<Where & typeof LISTED & typeof LIMIT, TurnView[]> = {
  name: "turns",
  about: "list turns: what was asked and what came of it",
  query: { ...WHERE, ...LISTED, ...LIMIT },
  answer: "turns",
  needs: (query, engine) => engine.inDays(["turns"], query),
  ask: (ctx, query) => turnsIn(ctx, query),
};

export const tools: Question<Where & typeof CALLS & typeof LIMIT, ToolView[], Offset> = {
  name: "tools",
  about: "list tool calls and how they ended",
  query: { ...WHERE, ...CALLS, ...LIMIT },
  answer: "tools",
  needs: (query, engine) => engine.inDays(["calls"], query),
  ask: (ctx, query) => toolsIn(ctx, query),
};

export const commands: Question<Where, CommandCount[]> = {
  name: "commands",
  about: "tool calls counted by the command that was run",
  query: WHERE,
  answer: null,
  needs: () => ({ store: { lists: ["calls"] } }),
  ask: (ctx, query) => commandsIn(ctx, query),
};

/** Part of the path of a file. */
const PATH = {
  text: { kind: "text", about: "part of the path", takes: "text", longest: 500, http: "Part of the path" },
} as const;

export const files: Question<Where & typeof PATH & typeof LIMIT, { files: ChangedFile[]; total: number }, Offset> = {
  name: "files",
  about: "files changed by turns, last changed first, and how many there are without a limit",
  query: { ...WHERE, ...PATH, ...LIMIT },
  answer: null,
  needs: () => ({ store: ONLY_TURNS }),
  ask: (ctx, query) => filesChanged(ctx, query),
};
