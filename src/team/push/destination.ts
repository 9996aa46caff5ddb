import type { PreparedRows } from "../rows/prepared.ts";
import type { PushOutcome, Machine, PushState } from "./apply.ts";

/** The state of the store at the beginning of a push. */
export interface StoreState extends PushState {
  store_id: string;
  /** The owner of the rows. */
  owner_id: string;
  /** The time zone of its days. */
  zone: string;
}

/** Where rows are sent: a database, or a server in front of one. */
export interface Destination {
  /** The address, without secrets. */
  readonly name: string;
  state(machine: Machine): Promise<StoreState>;
  /** Writes one session, completely or not at all. */
  put(machine: Machine, session: PreparedRows): Promise<PushOutcome>;
  /** Returns how many of them were there. */
  forget(machine: Machine, sessions: readonly string[]): Promise<number>;
  close(): Promise<void>;
}
