import { ApiProblem, ask, type LogRecord, type Schemas, type Turn, type TurnBrief } from "../api/client.ts";
import { isAbout, live } from "../api/live.svelte.ts";
import { untrack } from "svelte";

type Find = (query: { limit: number; cursor?: string; after?: number }) => Promise<Schemas["RecordPage"]>;

/** Records per request: the default, and the most that the API returns. */
const PAGE = 200;
export const MAX_PAGE = 500;

/** The records of one turn, or of a session without turns, as far as they have been loaded. */
export class TurnRecords {
  records: LogRecord[] = $state.raw([]);
  problem: ApiProblem | null = $state.raw(null);
  isWhole = $state(false);
  /** The records are only on the machine that pushed the session; the turn itself is known. */
  areElsewhere = $state(false);
  /** The turn itself, as returned with its records. */
  turn: Turn | null = $state.raw(null);
  readonly #find: Find;
  #next: string | null = null;
  #asking: Promise<void> | null = null;
  #isBegun = false;

  constructor(find: Find) {
    this.#find = find;
  }

  get isBegun(): boolean {
    return this.#isBegun;
  }

  /** Loads the first records, once. */
  begin(): void {
    if (!this.#isBegun) void this.loadMore();
  }

  /** Loads the next records. A larger `limit` helps when looking for a certain one. */
  async loadMore(limit = PAGE): Promise<void> {
    this.#isBegun = true;
    if (this.isWhole) return;
    await (this.#asking ??= this.#ask({ limit, ...(this.#next === null ? {} : { cursor: this.#next }) }));
  }

  /**
   * Loads records written since the last request. If earlier ones are still missing, only the turn itself is refreshed.
   */
  async loadNew(): Promise<void> {
    await this.#asking;
    if (!this.#isBegun) return;
    if (!this.isWhole) return this.#refreshTurn();
    this.isWhole = false;
    await (this.#asking ??= this.#ask({ limit: PAGE, after: this.records.at(-1)?.seq ?? -1 }));
  }

  async #refreshTurn(): Promise<void> {
    try {
      this.turn = (await this.#find({ limit: 1 })).turn;
    } catch {
      // Keep what is shown; the next request will report the problem.
    }
  }

  async #ask(query: { limit: number; cursor?: string; after?: number }): Promise<void> {
    try {
      const page = await this.#find(query);
      const last = this.records.at(-1)?.seq ?? -1;
      const added = page.records.filter(({ seq }) => seq > last);
      if (added.length > 0) this.records = [...this.records, ...added];
      // A cursor is only valid for the query it came from: with `after`, paging continues from the last record instead.
      this.#next = query.after === undefined ? page.next_cursor : null;
      this.isWhole = page.next_cursor === null;
      this.turn = page.turn;
      this.areElsewhere = page.are_elsewhere;
      this.problem = null;
      if (query.after !== undefined && page.next_cursor !== null) {
        await this.#ask({ limit: PAGE, after: this.records.at(-1)?.seq ?? -1 });
      }
    } catch (error) {
      this.problem = error instanceof ApiProblem ? error : new ApiProblem(0, "the server is not responding", null);
    } finally {
      this.#asking = null;
    }
  }
}

/** One session: its turns, and the records of the turns that were opened. Follows the session as its file grows. */
export class SessionReader {
  detail: Schemas["SessionRequests"] | null = $state.raw(null);
  problem: ApiProblem | null = $state.raw(null);
  readonly source: string;
  readonly session: string;
  readonly reveal: boolean;
  readonly #turns = new Map<string, TurnRecords>();

  constructor(source: string, session: string, reveal: boolean) {
    this.source = source;
    this.session = session;
    this.reveal = reveal;
  }

  /** Loads the session, and again whenever it changes. Must be called while effects can be created. */
  follow(): void {
    let lastEvent: Schemas["ChangeEvent"] | null | undefined;
    $effect(() => {
      void live.version;
      const event = untrack(() => live.last);
      // A new version without a new event means that the stream was reconnected: changes may have been missed.
      const isNew = lastEvent === undefined || event === lastEvent || isAbout(event, this.source, this.session);
      const isFirst = lastEvent === undefined;
      lastEvent = event;
      // Untracked: the request reads state that its answer writes, which would run the effect again without end.
      if (isNew) void untrack(() => this.#ask(isFirst));
    });
  }

  /** The records of a turn; of the whole session if `ref` is null. */
  turn(ref: string | null): TurnRecords {
    const name = ref ?? "";
    const known = this.#turns.get(name);
    if (known) return known;
    const { source, session, reveal } = this;
    const made = new TurnRecords((query) =>
      ask("/sessions/{source}/{session}/records", {
        params: { source, session },
        query: { ...query, ...(ref === null ? {} : { turn: ref }) },
        reveal,
      }),
    );
    this.#turns.set(name, made);
    return made;
  }

  async #ask(isFirst: boolean): Promise<void> {
    const { source, session, reveal } = this;
    try {
      const open = this.#growing();
      const before = this.detail?.turns ?? [];
      const [detail] = await Promise.all([
        ask("/sessions/{source}/{session}/requests", { params: { source, session }, reveal }),
        ...(isFirst ? [] : open.map((turn) => turn.loadNew())),
      ]);
      this.detail = detail;
      for (const turn of this.#changed(before, detail.turns)) if (!open.includes(turn)) void turn.loadNew();
      this.problem = null;
    } catch (error) {
      this.problem =
        error instanceof ApiProblem
          ? error
          : new ApiProblem(0, "the server is not responding", "is `daybook serve` still running?");
    }
  }

  /** Loaded turns whose brief is different from before. */
  #changed(before: readonly TurnBrief[], now: readonly TurnBrief[]): TurnRecords[] {
    if (before.length === 0) return [];
    return now.flatMap((brief, i) => {
      const turn = this.#turns.get(brief.turn_ref);
      return turn && JSON.stringify(brief) !== JSON.stringify(before[i]) ? [turn] : [];
    });
  }

  /** Loaded turns that may still get records: open ones and the last one. */
  #growing(): TurnRecords[] {
    const turns = this.detail?.turns ?? [];
    const refs = turns.filter(({ outcome }, i) => outcome === "open" || i === turns.length - 1);
    return ["", ...refs.map(({ turn_ref }) => turn_ref)].flatMap((ref) => this.#turns.get(ref) ?? []);
  }
}
