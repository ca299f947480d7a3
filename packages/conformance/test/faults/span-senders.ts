import { setTimeout as sleep } from "node:timers/promises";
import { pick, type Random } from "./seeded-random.ts";
import { type CollectorAddresses, type DoorName, doorNames, openDoor } from "./span-doors.ts";
import type { SpanLedger } from "./span-ledger.ts";

export interface SenderSettings {
  readonly addresses: CollectorAddresses;
  readonly ledger: SpanLedger;
  readonly random: Random;
  /** Number of senders for each protocol; 2 by default. */
  readonly lanesPerDoor?: number;
  /** Most spans in a request (20 by default); each span has about `ballastBytes` bytes (200 by default). */
  readonly maxSpans?: number;
  readonly ballastBytes?: number;
  /** Milliseconds between two requests of a sender; 10 by default. */
  readonly pauseMs?: number;
}

/** The requests and answers of one protocol's senders so far. */
export interface DoorCounts {
  acknowledged: number;
  /** Number of refusals by answer, such as `429, Retry-After 5`. */
  readonly refused: Map<string, number>;
  /** By reason. */
  readonly cut: Map<string, number>;
  slowestMs: number;
}

/**
 * Milliseconds after a refusal or a cut connection: shorter than senders should wait, so that the collector is under
 * load.
 */
const pauseAfterRefusalMs = 100;
const pauseAfterCutMs = 20;

/**
 * Sends over every protocol at the same time until it is stopped; each sender has one request at a time. Unacknowledged
 * spans are never repeated under the same ids, because the ledger finds duplicates by ids.
 */
export class SpanSenders {
  readonly counts: Readonly<Record<DoorName, DoorCounts>>;
  readonly #settings: SenderSettings;
  readonly #lanes: Promise<void>[] = [];
  readonly #stop = new AbortController();
  #watchers: (() => void)[] = [];

  constructor(settings: SenderSettings) {
    this.#settings = settings;
    const none = (): DoorCounts => ({ acknowledged: 0, refused: new Map(), cut: new Map(), slowestMs: 0 });
    this.counts = {
      "OTLP gRPC": none(),
      "OTLP HTTP JSON": none(),
      PostSpans: none(),
      "Thrift HTTP": none(),
      Zipkin: none(),
    };
    for (const name of doorNames) {
      for (let lane = 0; lane < (settings.lanesPerDoor ?? 2); lane++) {
        this.#lanes.push(this.#send(name));
      }
    }
  }

  /** Number of acknowledged requests of all protocols. */
  get acknowledged(): number {
    return Object.values(this.counts).reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  }

  /** Number of requests of all protocols without an answer. */
  get cut(): number {
    return Object.values(this.counts).reduce((sum, { cut }) => sum + total(cut), 0);
  }

  /** The refusals of each protocol so far. */
  refusals(): Record<string, string[]> {
    return Object.fromEntries(doorNames.map((name) => [name, [...this.counts[name].refused.keys()].sort()]));
  }

  /** The answers of each protocol so far, for the error message about missing answers. */
  #told(): string {
    const few = (counts: ReadonlyMap<string, number>) =>
      [...counts].map(([text, count]) => `${count} × ${text.slice(0, 200)}`).slice(-6);
    return doorNames
      .map((name) => {
        const { acknowledged, refused, cut, slowestMs } = this.counts[name];
        const all = [`${acknowledged} acknowledged`, `slowest ${Math.round(slowestMs)} ms`];
        return `${name}: ${[...all, ...few(refused), ...few(cut)].join(", ")}`;
      })
      .join("; ");
  }

  /** Resolves when `isTrue` returns true; it is called after each answer. @throws Error after `withinMs` */
  async until(isTrue: () => boolean, what: string, withinMs: number): Promise<void> {
    const end = Date.now() + withinMs;
    while (!isTrue()) {
      const left = end - Date.now();
      if (left <= 0) {
        throw new Error(`not within ${withinMs} ms: ${what} (${this.#told()})`);
      }
      const answer = Promise.withResolvers<void>();
      this.#watchers.push(answer.resolve);
      const timer = setTimeout(answer.resolve, left);
      await answer.promise;
      clearTimeout(timer);
    }
  }

  /**
   * Resolves when each protocol has had `count` more requests acknowledged. @throws Error after `withinMs`
   */
  async more(count: number, withinMs: number): Promise<void> {
    const goals = doorNames.map((name) => [name, this.counts[name].acknowledged + count] as const);
    await this.until(
      () => goals.every(([name, goal]) => this.counts[name].acknowledged >= goal),
      `${count} more requests acknowledged over each protocol`,
      withinMs,
    );
  }

  /** Resolves when running requests have ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#lanes);
  }

  async #send(name: DoorName): Promise<void> {
    const { addresses, ledger, random, maxSpans = 20, ballastBytes = 200, pauseMs = 10 } = this.#settings;
    const counts = this.counts[name];
    const texts = ["a", "b", "c"].map((letter) => letter.repeat(ballastBytes));
    const door = openDoor(name, addresses, pick(random, texts));
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const { batch, settle } = ledger.open(name, 1 + random(maxSpans));
      const startMs = performance.now();
      let pause = pauseMs;
      try {
        const { isKept, text } = await door.send(batch);
        settle(isKept ? "acknowledged" : "refused");
        if (isKept) {
          counts.acknowledged++;
        } else {
          add(counts.refused, text);
          pause = pauseAfterRefusalMs;
        }
      } catch (error) {
        add(counts.cut, error instanceof Error ? error.message : String(error));
        pause = pauseAfterCutMs;
      }
      counts.slowestMs = Math.max(counts.slowestMs, performance.now() - startMs);
      for (const watcher of this.#watchers.splice(0)) {
        watcher();
      }
      await sleep(pause, undefined, { signal }).catch(() => {});
    }
    door.close();
  }
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
