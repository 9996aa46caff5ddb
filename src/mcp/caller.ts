import { mcpCallers, mcpSource, mcpStarter, type Daybook } from "../daybook.ts";
import type { SessionView } from "../answers/session-view.ts";

/** A session that was silent for so long, in ms, is not the one that asks. */
const SILENT = 15 * 60_000;
/** So many of the newest sessions are looked at to find it. */
const NEWEST = 40;

export interface CallerFacts {
  /** Where the client works; null where the server cannot know. */
  cwd: string | null;
  /** Of the server's process; empty where another started it. */
  env: Readonly<Record<string, string | undefined>>;
  /** What the client calls itself. */
  client: string | null;
  /** What it sent beside the call. */
  meta: Readonly<Record<string, unknown>>;
  /** When the server began. */
  since: number;
}

/** Who asks: the session a call comes from is no history to itself. */
export class Caller {
  readonly cwd: string | null;
  readonly #daybook: Daybook;
  readonly #facts: CallerFacts;
  #own: Promise<ReadonlySet<string>> | null = null;

  constructor(daybook: Daybook, facts: CallerFacts) {
    this.#daybook = daybook;
    this.#facts = facts;
    this.cwd = facts.cwd;
  }

  /** A project as a caller names it: `.` is where it works. */
  project(named: string | undefined): string | undefined {
    return named === "." ? (this.cwd ?? undefined) : named;
  }

  /** The session that asks, as `source/id`, and those it is part of. */
  async own(): Promise<readonly string[]> {
    return [...(await (this.#own ??= this.#find()))];
  }

  /** Whether something stands in the session that asks, or in one that it caused. */
  async isOwn(): Promise<
    (one: Pick<SessionView, "source" | "session_id"> & Partial<Pick<SessionView, "parent">>) => boolean
  > {
    const own = new Set(await this.own());
    return ({ source, session_id, parent }) =>
      own.has(`${source}/${session_id}`) || (!!parent && own.has(`${parent.source}/${parent.session_id}`));
  }

  async #find(): Promise<ReadonlySet<string>> {
    const { env, meta, client, since } = this.#facts;
    const stated = mcpCallers(meta);
    if (stated.length > 0) return new Set(stated);
    const starter = mcpStarter(env);
    if (!starter) return new Set(await this.#guessed(client === null ? null : mcpSource(client), 0));
    // At rest it is not the one that asks, but history to it: the client has begun another since, and kept the server.
    const [ends] = await this.#daybook.ends([starter]);
    const later = ends?.last?.outcome === "open" ? [] : await this.#guessed(starter.source, since);
    return new Set(later.length > 0 ? later : [`${starter.source}/${starter.session_id}`]);
  }

  /**
   * Where the agent does not say: its session that works in the same directory, has a turn under way and was written to last. A
   * session that merely looks so is left out for as long as it does.
   */
  async #guessed(source: string | null, begun: number): Promise<string[]> {
    const { cwd } = this.#facts;
    if (cwd === null) return [];
    const since = this.#daybook.now - SILENT;
    const recent = (await this.#daybook.sessions({ limit: NEWEST })).filter(
      (one) =>
        one.cwd === cwd &&
        (source === null || one.source === source) &&
        one.kind === "root" &&
        Date.parse(one.started_at ?? "") >= begun &&
        Date.parse(one.ended_at ?? "") >= since,
    );
    const ends = await this.#daybook.ends(recent);
    const [last] = recent
      .filter((_, i) => ends[i]?.last?.outcome === "open")
      .toSorted((a, b) => Date.parse(b.ended_at ?? "") - Date.parse(a.ended_at ?? ""));
    return last ? [`${last.source}/${last.session_id}`] : [];
  }
}
