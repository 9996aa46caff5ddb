/** Upper bound: beyond this, the calls will never come because the file was copied or cut. */
const MAX_HELD = 64;

/**
 * Tool results that precede their calls in the file: an agent may run a call before it writes the complete message that
 * contains the call. Each result is held until its call is read.
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
    if (this.#held.size > MAX_HELD && oldest !== undefined) this.#held.delete(oldest);
  }

  /** Removes and returns the result held for the call. */
  take(callId: string): T | undefined {
    const result = this.#held.get(callId);
    this.#held.delete(callId);
    return result;
  }

  save(): [string, T][] {
    return [...this.#held];
  }
}
