import type { SharedCounter, SharedState } from "server-core/threads/shared-state";

/** Names of the states of checks, over all threads; the check's name and the address follow. */
export const activeHealthPrefix = "http.reverse_proxy.active/";

/** Names of counters that are 1 once a check has had an outcome; the check's name and the address follow. */
export const checkedHealthPrefix = "http.reverse_proxy.active-checked/";

const rowUnit = 2;
const maxRow = 1_000_000;

/**
 * The result of one kind of active checks for one upstream, shared by all threads. A number holds whether it
 * is down (lowest bit), and how many consecutive checks contradict that (the rest).
 */
export class ActiveHealth {
  readonly address: string;
  readonly #state: SharedCounter;
  readonly #turn: SharedCounter;
  readonly #checked: SharedCounter;

  /** @param check says which checks: upstreams that are checked alike share what was found */
  constructor(shared: SharedState, check: string, address: string) {
    this.address = address;
    this.#state = shared.counter(`${activeHealthPrefix}${check}/${address}`);
    this.#turn = shared.counter(`http.reverse_proxy.active-turn/${check}/${address}`);
    this.#checked = shared.counter(`${checkedHealthPrefix}${check}/${address}`);
  }

  get healthy(): boolean {
    return this.#state.value % rowUnit === 0;
  }

  /** One of all threads makes each check: the first that asks. @returns true when it is this thread */
  takeTurn(intervalMs: number, nowMs: number): boolean {
    const last = this.#turn.value;
    // Timers of threads are not in step.
    return nowMs - last >= intervalMs * 0.9 && this.#turn.exchange(last, Math.floor(nowMs));
  }

  /**
   * Takes the outcome of a check.
   * @param needed outcomes in a row that turn the state over
   * @returns whether it turned over
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
