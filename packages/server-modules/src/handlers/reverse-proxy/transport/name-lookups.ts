import { type LookupAddress, lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { askNameServers } from "./ask-name-servers.ts";

/** @param family 0 for both */
type FindName = (hostname: string, family: 0 | 4 | 6) => Promise<readonly LookupAddress[]>;

/** After this many milliseconds the name servers are asked beside the system. */
const systemMs = 200;
/**
 * Names that wait for the system at most, in each thread. The two places are also for others: authorities,
 * permissions, logs.
 */
const maxWaiting = 2;
/** A name server answered, and knows no such name. */
const unknownCodes = new Set(["ENOTFOUND", "ENODATA"]);

/** Result of the pause, to tell it from an answer. */
const late = Symbol("late");

/** Asks `getaddrinfo`, which holds a thread of the pool until it is done. */
function askSystem(hostname: string, family: 0 | 4 | 6): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(hostname, { all: true, family }, (error, found) =>
      error === null ? resolve(found) : reject(error),
    );
  });
}

/**
 * Finds names as the system does, which knows more sources than DNS. The system has two places for that in all threads
 * together, and a name server that is silent holds a place for ten seconds or more. So a name that waits is
 * also asked for without the system: names of dead servers do not hold up others.
 */
export class NameLookups {
  /** Asks the system; tests give another. */
  readonly #system: FindName;
  /** Asks hosts file and name servers without the system. */
  readonly #direct: FindName;
  /** Milliseconds that the system is given before the name servers are asked too. */
  readonly #patienceMs: number;
  /** Running look-ups, by family and name. */
  readonly #running = new Map<string, Promise<readonly LookupAddress[]>>();
  /** Questions that the system has now. */
  #waiting = 0;

  constructor(
    system: FindName = askSystem,
    direct: FindName = (hostname, family) => askNameServers(hostname, family),
    patienceMs = systemMs,
  ) {
    this.#system = system;
    this.#direct = direct;
    this.#patienceMs = patienceMs;
  }

  /**
   * Lookups of one name and family share one question while it runs.
   * @throws the error of the system, or of the name server where only that was asked
   */
  find(hostname: string, family: 0 | 4 | 6): Promise<readonly LookupAddress[]> {
    const key = `${family} ${hostname}`;
    const running = this.#running.get(key) ?? this.#find(hostname, family);
    if (!this.#running.has(key)) {
      this.#running.set(key, running);
      const forget = () => this.#running.delete(key);
      running.then(forget, forget);
    }
    return running;
  }

  /**
   * | The system has | Asked first | Asked then |
   * |---|---|---|
   * | fewer than two questions | the system | after 200 ms also the name servers; the first answer counts |
   * | two questions | the name servers | the system, for a name that they do not know |
   */
  async #find(hostname: string, family: 0 | 4 | 6): Promise<readonly LookupAddress[]> {
    if (this.#waiting >= maxWaiting) {
      try {
        return await this.#direct(hostname, family);
      } catch (error) {
        if (!unknownCodes.has((error as NodeJS.ErrnoException).code ?? "")) {
          throw error;
        }
      }
      // It may be known elsewhere, and where name servers answer the system is quick.
      return this.#ask(hostname, family);
    }
    const system = this.#ask(hostname, family);
    const patience = new AbortController();
    const pause = sleep(this.#patienceMs, late, { signal: patience.signal });
    pause.catch(() => {}); // the system was in time
    try {
      const first = await Promise.race([system, pause]);
      if (first !== late) {
        return first;
      }
    } finally {
      patience.abort();
    }
    const direct = this.#direct(hostname, family);
    // The system is asked first and last: it may know the name from elsewhere.
    return Promise.any([system, direct]).catch(() => system);
  }

  /** Asks the system and counts the question while it runs. */
  #ask(hostname: string, family: 0 | 4 | 6): Promise<readonly LookupAddress[]> {
    this.#waiting++;
    const leave = () => {
      this.#waiting--;
    };
    const system = this.#system(hostname, family);
    system.then(leave, leave);
    return system;
  }

  /** In the shape that `net.connect` takes. */
  readonly lookup: LookupFunction = (hostname, { family, all }, done) => {
    const wanted = family === 4 || family === "IPv4" ? 4 : family === 6 || family === "IPv6" ? 6 : 0;
    this.find(hostname, wanted).then(
      (found) => {
        const first = found[0];
        if (all === true) {
          done(null, [...found]);
        } else {
          done(null, first?.address ?? "", first?.family ?? 4);
        }
      },
      (error: NodeJS.ErrnoException) => done(error, all === true ? [] : "", 4),
    );
  };
}

/** Look-ups of this thread. */
export const nameLookups = new NameLookups();
