/** What `daybook team` answers: who is in a team store and what the store is. */

export type TokenScope = "push" | "read";
export type MemberRole = "member" | "lead" | "auditor";

export interface StoreStatus {
  store_id: string;
  schema_version: number;
  /** Steps of the schema this program knows and the store has not seen: `daybook team init` takes them. */
  missing: string[];
  /** The zone all days of the store are counted in. */
  zone: string;
  /** Hash partitions of each table of people's rows; 0 for none. */
  partitions: number;
  /** Groups of fewer people are not shown to a lead. */
  smallest_group: number;
  /** Whether leads see numbers by person. */
  persons_shown: boolean;
  /** Those who are not retired. */
  people: number;
  teams: number;
  /** Those that still hold. */
  tokens: number;
}

export interface Invited {
  login: string;
  role: MemberRole;
  /** Null for who audits: that is no matter of one team. */
  team: string | null;
  scope: TokenScope;
  token_id: string;
  /** Shown once: the store has only its hash. */
  token: string;
  expires: string | null;
}

export interface Member {
  login: string;
  auditor: boolean;
  /** Nobody asks or pushes in their name any more; their rows stay. */
  retired: boolean;
  teams: { name: string; role: "member" | "lead" }[];
  tokens: MemberToken[];
}

export interface MemberToken {
  token_id: string;
  scope: TokenScope;
  label: string;
  created: string;
  expires: string | null;
  revoked: string | null;
  /** When it was last used, to the hour. */
  seen: string | null;
}
