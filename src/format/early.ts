/** More are results of calls that will never come: of a copied or cut file. */
const MOST = 64;

/**
 * Results that were written before the calls they settle: an agent may write a call only when its whole message is there, and
 * run it before that. Each is held until its call comes.
 */
export class EarlyResults<T> {
  readonly #held: Map<string, T>;

  constructor(saved: readonly [string, T][] = []) {
    this.#held = new Map(saved);
  }

  hold(callId: string, result: T): void {
    this.#held.delete(callId);
    this.#held.set(callId, result);
    const [oldest] = this.#held.keys();
    if (this.#held.size > MOST && oldest !== undefined) this.#held.delete(oldest);
  }

  /** What is held for the call; it is held no longer. */
  take(callId: string): T | undefined {
    const result = this.#held.get(callId);
    this.#held.delete(callId);
    return result;
  }

  save(): [string, T][] {
    return [...this.#held];
  }
}
