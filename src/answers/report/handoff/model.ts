/** A brief for whoever continues a session, fitted to a token budget. */
export interface Handoff {
  source: string;
  session_id: string;
  /** The last turn that is reported. */
  turn_ref: string | null;
  /** The agent the brief is for; null for any agent. */
  to: string | null;
  /**
   * Command that starts this agent with the brief, saved as `brief.md`; null when the agent has none or no agent is
   * named.
   */
  start: string | null;
  /** In tokens, estimated at 3.5 bytes each. */
  budget: number;
  /** Tokens the Markdown takes, estimated in the same way. */
  tokens: number;
  sections: HandoffSection[];
  /** The brief itself. All text taken from the session is inside fenced blocks. */
  markdown: string;
}

export interface HandoffSection {
  name: SectionName;
  items: HandoffItem[];
  /** Number of items that did not fit. */
  left_out: number;
}

export interface HandoffItem {
  text: string;
  /** Turn and line in the turn's file, `T0002:40`. Null for statements about the session as a whole. */
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

/** An item with the rank that decides whether it is kept. */
export interface RankedItem extends HandoffItem {
  section: SectionName;
  /** The lower, the later it is dropped. */
  rank: number;
}
