import type { PreparedSession } from "../rows/prepared.ts";
import type { Applied, Machine, PushState } from "./apply.ts";

/** The store as a push finds it. */
export interface StoreState extends PushState {
  store_id: string;
  /** Whose rows they are. */
  owner_id: string;
  /** Zone of all its days. */
  zone: string;
}

/** Where rows go: a database, or a server in front of one. */
export interface Destination {
  /** The address, without what is secret in it. */
  readonly name: string;
  state(machine: Machine): Promise<StoreState>;
  /** One session, whole or not at all. */
  put(machine: Machine, session: PreparedSession): Promise<Applied>;
  /** How many of them were there. */
  forget(machine: Machine, sessions: readonly string[]): Promise<number>;
  close(): Promise<void>;
}
