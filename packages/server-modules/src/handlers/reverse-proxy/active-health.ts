import type { SharedCounter, SharedState } from "server-core/threads/shared-state";

/** Prefix of the shared counters of check states; the name of the checks and the address follow. */
export const activeHealthPrefix = "http.reverse_proxy.active/";

/** Prefix of counters that are 1 once an upstream was checked; the name of the checks and the address follow. */
export const checkedHealthPrefix = "http.reverse_proxy.active-checked/";

/** The count of consecutive checks is stored doubled, because the lowest bit stores whether the upstream is down. */
const rowUnit = 2;
/** Largest count of consecutive results. A larger count has no meaning, and twice the count must stay exact. */
const maxRow = 1_000_000;

/**
 * The result of one kind of active checks for one upstream, shared by all threads. The lowest bit of the number means
 * "down". The higher bits count consecutive checks that contradict this state.
 * | Result | State now | Number afterwards |
 * |---|---|---|
 * | agrees with the state | any | the consecutive count becomes 0 |
 * | contradicts the state, less often than needed | any | the consecutive count rises by one |
 * | contradicts the state, as often as needed | up | down, count 0 |
 * | contradicts the state, as often as needed | down | up, count 0 |
 *
 * `passes` and `fails` of the config are the counts that are needed; both default to 1. The state outlives the config,
 * so a reload keeps the state of unchanged checks.
 */
export class ActiveHealth {
  /** Address from the config, with its placeholders. */
  readonly address: string;
  /** Bit 0: 1 for down. Higher bits: consecutive checks that contradict bit 0. */
  readonly #state: SharedCounter;
  /** Time when a thread last took the turn, in milliseconds since 1970. */
  readonly #turn: SharedCounter;
  /**
   * 1 once a check had a result. An unchecked upstream counts as up; the admin API shows the difference.
   */
  readonly #checked: SharedCounter;

  /** @param check identity of the check settings: upstreams with equal checks share results */
  constructor(shared: SharedState, check: string, address: string) {
    this.address = address;
    this.#state = shared.counter(`${activeHealthPrefix}${check}/${address}`);
    this.#turn = shared.counter(`http.reverse_proxy.active-turn/${check}/${address}`);
    this.#checked = shared.counter(`${checkedHealthPrefix}${check}/${address}`);
  }

  /** True for an upstream that is up, or not checked yet. */
  get healthy(): boolean {
    return this.#state.value % rowUnit === 0;
  }

  /** Exactly one thread makes each check: the thread that calls this method first. @returns true for that thread */
  takeTurn(intervalMs: number, nowMs: number): boolean {
    const last = this.#turn.value;
    // A tolerance, because the timers of the threads are not synchronous.
    return nowMs - last >= intervalMs * 0.9 && this.#turn.exchange(last, Math.floor(nowMs));
  }

  /**
   * Records the result of a check.
   * @param needed consecutive contradicting checks that flip the state
   * @returns true when the state flipped
   */
  note(passed: boolean, needed: number): boolean {
    this.#checked.set(1);
    const value = this.#state.value;
    const down = value % rowUnit;
    if (passed === (down === 0)) {
      this.#state.set(down);
      return false;
    }
    const row = Math.min((value - down) / rowUnit + 1, maxRow);
    if (row >= needed) {
      this.#state.set(1 - down);
      return true;
    }
    this.#state.set(row * rowUnit + down);
    return false;
  }
}
