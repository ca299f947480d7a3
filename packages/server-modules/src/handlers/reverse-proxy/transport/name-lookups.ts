import { type LookupAddress, lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { askNameServers } from "./ask-name-servers.ts";

/** @param family 4 or 6; 0 for both */
type FindName = (hostname: string, family: 0 | 4 | 6) => Promise<readonly LookupAddress[]>;

/** Milliseconds after which the name servers are asked in parallel with the system. */
const systemMs = 200;
/**
 * Maximum number of names for which this thread waits for the system at the same time. The thread pool also serves
 * certificate authorities, permissions and logs.
 */
const maxWaiting = 2;
/** DNS errors for a name that does not exist. */
const unknownCodes = new Set(["ENOTFOUND", "ENODATA"]);

/** Result of the pause; it differs from every answer. */
const late = Symbol("late");

/** Calls `getaddrinfo`, which occupies a thread of the pool until it returns. */
function askSystem(hostname: string, family: 0 | 4 | 6): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(hostname, { all: true, family }, (error, found) =>
      error === null ? resolve(found) : reject(error),
    );
  });
}

/**
 * Resolves names with the system's resolver, which has more sources than DNS. Over all threads, the system runs only
 * two lookups at a time, and a silent name server blocks a lookup for ten seconds or more. Therefore a name that waits
 * is also resolved without the system, so that dead name servers do not delay other names.
 */
export class NameLookups {
  /** Lookup by the system; tests replace it. */
  readonly #system: FindName;
  /** Lookup by hosts file and name servers, without the system. */
  readonly #direct: FindName;
  /** Milliseconds after which the name servers are asked too. */
  readonly #patienceMs: number;
  /** Running look-ups, by family and name. */
  readonly #running = new Map<string, Promise<readonly LookupAddress[]>>();
  /** Number of running system lookups. */
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
   * Lookups of the same name and family share one running query.
   * @throws the error of the system; the error of the name server if only the name server was asked
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
   * | Running system lookups | Asked first | Asked next |
   * |---|---|---|
   * | fewer than two | the system | after 200 ms the name servers too; the first answer wins |
   * | two | the name servers | the system, if the name servers do not know the name |
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
      // A different source of the system may know the name. When the name servers answer, the system answers quickly
      // too.
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
    // If both fail, the system's error is reported, because the system may know names from other sources.
    return Promise.any([system, direct]).catch(() => system);
  }

  /** Asks the system, and counts the lookup while it runs. */
  #ask(hostname: string, family: 0 | 4 | 6): Promise<readonly LookupAddress[]> {
    this.#waiting++;
    const leave = () => {
      this.#waiting--;
    };
    const system = this.#system(hostname, family);
    system.then(leave, leave);
    return system;
  }

  /** The lookup in the form that `net.connect` accepts. */
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

/** Name lookups of this thread. */
export const nameLookups = new NameLookups();
