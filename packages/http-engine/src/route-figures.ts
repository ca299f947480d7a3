/**
 * Topic with which the serving threads are asked for the figures of their routes; each thread returns a list of {@link
 * RouteReading}.
 */
export const routeFiguresTopic = "http.route_figures";

/** Counts of one thread for one route, since it created that route. */
export interface RouteReading {
  /** Path below the app: `servers/s/routes/0/handle/1/routes/2`. A named route has `/0` after its name. */
  readonly path: string;
  /**
   * Id of the counts, unique in this thread. The id distinguishes the counts of a replaced route from the counts of its
   * successor.
   */
  readonly id: number;
  /** Number of requests that the route matched. */
  readonly taken: number;
  /** Number of responses with status 500 or above, to requests that reached no later route. */
  readonly failed: number;
  /** Number of timed requests by {@link timeStep}. Only requests that reached no later route are timed. */
  readonly times: Uint32Array;
}

/** A list of routes inside a handler. */
export interface InnerRoutes {
  /** Reads the counts of the list's routes. @param path position of the list below the app */
  readings(path: string): Iterable<RouteReading>;
}

const steps = 120;
const noTimes = new Uint32Array(0);
/**
 * A route times at most this many requests between two readings. Reading the clock is expensive, and often nobody reads
 * the times.
 */
const mostTimed = 2_000;
let lastId = 0;

/**
 * Finds the step that counts a time in milliseconds. The first eight steps have one microsecond each; later steps
 * divide each doubling of the time into four. The middle of a step therefore differs from the time by at most an
 * eighth.
 */
export function timeStep(ms: number): number {
  const us = Math.min(Math.max(0, ms * 1_000), 0x7f_ff_ff_ff) | 0;
  if (us < 8) {
    return us;
  }
  const power = 31 - Math.clz32(us);
  return 8 + (power - 3) * 4 + ((us >> (power - 2)) & 3);
}

/** Computes the middle of a step, in milliseconds. */
export function middleOfStep(step: number): number {
  if (step < 8) {
    return (step + 0.5) / 1_000;
  }
  const quarter = 2 ** (1 + Math.floor((step - 8) / 4));
  return (quarter * (4.5 + ((step - 8) % 4))) / 1_000;
}

/**
 * Counts the requests of one route in this thread. The class always counts, because counting takes only two additions.
 */
export class RouteFigures {
  taken = 0;
  #failed = 0;
  #times: Uint32Array | undefined;
  #left = mostTimed;
  readonly #id = ++lastId;

  /**
   * Counts a complete response. Called for the last route of a request. @param startedAt in milliseconds of
   * `performance.now()`
   */
  ended(startedAt: number, status: number): void {
    if (status >= 500) {
      this.#failed++;
    }
    if (this.#left === 0) {
      return;
    }
    this.#left--;
    this.#times ??= new Uint32Array(steps);
    const step = timeStep(performance.now() - startedAt);
    this.#times[step] = (this.#times[step] as number) + 1;
  }

  /** Reads the counts, and allows {@link mostTimed} further requests to be timed. @param path position below the app */
  reading(path: string): RouteReading {
    this.#left = mostTimed;
    const times = this.#times?.slice() ?? noTimes;
    return { path, id: this.#id, taken: this.taken, failed: this.#failed, times };
  }
}
