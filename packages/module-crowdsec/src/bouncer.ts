import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { type Logger, messageOf, type ResourceKind, type SharedResource } from "server-module-api";
import type { Decision } from "./decision.ts";
import { DecisionStore } from "./decision-store.ts";
import type { TableData } from "./decision-table.ts";
import { LapiClient, pingAddress } from "./lapi-client.ts";

/** Pause after a failed pull, in milliseconds, unless the interval is shorter. Source: hslatman/caddy-crowdsec-bouncer */
const retryMs = 10_000;
/**
 * Maximum number of look-ups that may wait for the local API. Further look-ups fail as if the local API were
 * unreachable.
 */
const maxLooks = 1_000;

/** Configs with equal settings share one bouncer. */
export interface BouncerSettings {
  readonly apiUrl: string;
  readonly apiKey: string;
  /** Milliseconds between two pulls. */
  readonly intervalMs: number;
  /** Milliseconds between two pulls of all decisions. */
  readonly fullIntervalMs: number;
  readonly isStreaming: boolean;
  readonly maxDecisions: number;
}

/** Figures of calls to the local API. */
export interface BouncerFigures {
  /** Calls by mode: `stream`, `live`. */
  readonly calls: Record<string, number>;
  /** Failed calls by mode. */
  readonly failures: Record<string, number>;
  /** Number of decisions that were refused because of `maxDecisions`, over all pulls. */
  refused: number;
}

/**
 * A connection to one local API, kept over reloads with the same settings. It pulls decisions into a snapshot, and
 * publishes each new snapshot. A pull asks for all decisions:
 * | When | Reason |
 * |---|---|
 * | at the start | |
 * | after a failure | the local API counts changes as sent, although they did not arrive |
 * | after each `fullIntervalMs` | the local API leaves out changes that it stores while it answers a pull |
 *
 * Observed with CrowdSec 1.7: when 50,000 decisions were imported during a pull, the next changes lacked 1,000 or more
 * of them.
 */
export class Bouncer implements SharedResource {
  /** Tells apart the snapshots of two bouncers. */
  readonly id = randomUUID();
  readonly settings: BouncerSettings;
  readonly figures: BouncerFigures = { calls: {}, failures: {}, refused: 0 };
  readonly #client: LapiClient;
  readonly #store: DecisionStore;
  readonly #log: Logger;
  readonly #publish: (id: string, table: TableData) => void;
  readonly #stop = new AbortController();
  readonly #first = Promise.withResolvers<void>();
  /** Running look-ups by address, so that requests of one client share one. */
  readonly #looks = new Map<string, Promise<Decision | undefined>>();
  #running: Promise<void> | undefined;
  /** True after a failure, until a call succeeds, so that a repeated failure is logged once. */
  #isAway = false;

  constructor(settings: BouncerSettings, log: Logger, publish: (id: string, table: TableData) => void) {
    this.settings = settings;
    this.#log = log;
    this.#publish = publish;
    this.#client = new LapiClient(settings.apiUrl, settings.apiKey);
    this.#store = new DecisionStore(settings.maxDecisions);
    this.#first.promise.catch(() => {}); // callers of `start` get the error
  }

  /** The snapshot; undefined with live look-ups. */
  get table(): TableData | undefined {
    return this.settings.isStreaming ? this.#store.table : undefined;
  }

  /** Number of decisions in memory. */
  get size(): number {
    return this.#store.size;
  }

  get client(): LapiClient {
    return this.#client;
  }

  /**
   * Starts the pulls, or with live look-ups makes one look-up as a test. Further calls change nothing. @returns
   * resolves when the first call has an answer. @throws the error of the first call
   */
  start(): Promise<void> {
    if (this.#running === undefined) {
      this.#running = this.settings.isStreaming ? this.#pullAgainAndAgain() : this.#ping();
    }
    return this.#first.promise;
  }

  /**
   * Looks up an address. Concurrent requests of one client share one call.
   * @throws Error when the local API is unreachable, or too many look-ups run
   */
  look(address: string): Promise<Decision | undefined> {
    const running = this.#looks.get(address);
    if (running !== undefined) {
      return running;
    }
    if (this.#looks.size >= maxLooks) {
      this.#count("live", true);
      return Promise.reject(new Error(`${maxLooks} look-ups wait for the local API`));
    }
    const look = this.#call("live", () => this.#client.look(address)).finally(() =>
      this.#looks.delete(address),
    );
    this.#looks.set(address, look);
    return look;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#client.close();
    await this.#running;
  }

  async #ping(): Promise<void> {
    try {
      await this.look(pingAddress);
      this.#first.resolve();
    } catch (error) {
      this.#first.reject(error);
    }
  }

  /** Pulls until the bouncer closes. Never rejects. */
  async #pullAgainAndAgain(): Promise<void> {
    const { signal } = this.#stop;
    let wholeAt = 0;
    while (!signal.aborted) {
      let pauseMs = this.settings.intervalMs;
      try {
        const isWhole = performance.now() >= wholeAt;
        await this.#call("stream", () => this.#pull(isWhole));
        wholeAt = isWhole ? performance.now() + this.settings.fullIntervalMs : wholeAt;
        this.#first.resolve();
      } catch (error) {
        wholeAt = 0;
        pauseMs = Math.min(retryMs, pauseMs);
        this.#first.reject(error);
      }
      await wait(pauseMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async #pull(isWhole: boolean): Promise<void> {
    const change = this.#store.change(isWhole);
    const nowS = Math.floor(Date.now() / 1000);
    await this.#client.pull(isWhole, (list, item) => change.take(list, item, nowS), this.#stop.signal);
    const { added, deleted, ignored, refused } = change.counts;
    this.figures.refused += refused;
    if (refused > 0) {
      this.#log.error(
        `crowdsec: ${refused} decisions are refused: max_decisions is ${this.settings.maxDecisions}`,
      );
    }
    if (change.apply(nowS)) {
      this.#log.debug(`crowdsec: ${added} decisions added, ${deleted} deleted, ${ignored} ignored`);
      this.#publish(this.id, this.#store.table);
    }
  }

  /** Counts a call, and logs when the local API becomes unreachable and when it answers again. */
  async #call<Result>(mode: string, run: () => Promise<Result>): Promise<Result> {
    try {
      const result = await run();
      this.#count(mode, false);
      if (this.#isAway) {
        this.#isAway = false;
        this.#log.info("crowdsec: the local API answers again");
      }
      return result;
    } catch (error) {
      if (!this.#stop.signal.aborted) {
        this.#count(mode, true);
        if (!this.#isAway) {
          this.#isAway = true;
          this.#log.error(`crowdsec: ${messageOf(error)}`);
        }
      }
      throw error;
    }
  }

  #count(mode: string, hasFailed: boolean): void {
    const { calls, failures } = this.figures;
    calls[mode] = (calls[mode] ?? 0) + 1;
    if (hasFailed) {
      failures[mode] = (failures[mode] ?? 0) + 1;
    }
  }
}

/** Bouncers by their settings. */
export const bouncers: ResourceKind<Bouncer> = { name: "crowdsec.bouncers" };
