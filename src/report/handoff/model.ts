/** What a session leaves to whoever goes on with it, fitted to a budget. */
export interface Handoff {
  source: string;
  session_id: string;
  /** The last turn that is reported. */
  turn_ref: string | null;
  /** The agent it is for; null: anybody. */
  to: string | null;
  /** That agent's command that begins with the brief, kept as `brief.md`; null where it has none, or no agent is named. */
  start: string | null;
  /** In tokens, about: a token is taken for 3.5 bytes. */
  budget: number;
  /** What the Markdown takes of it. */
  tokens: number;
  sections: HandoffSection[];
  /** The brief itself. All words of the session stand in its fenced blocks. */
  markdown: string;
}

export interface HandoffSection {
  name: SectionName;
  items: HandoffItem[];
  /** How many more there are that did not fit. */
  left_out: number;
}

export interface HandoffItem {
  text: string;
  /** Turn and line, `T0002:40`: of the turn's file. Null where it is said by the session as a whole. */
  citation: string | null;
}

export const SECTIONS = [
  "session",
  "goal",
  "notes",
  "state",
  "todos",
  "decisions",
  "failures",
  "git",
  "files",
  "requests",
] as const;
export type SectionName = (typeof SECTIONS)[number];

/** An item with what decides whether it stays. */
export interface RankedItem extends HandoffItem {
  section: SectionName;
  /** The lower, the later it is dropped. */
  rank: number;
}
