import type { Logger } from "lifecycle";
import { type Dispatcher, request } from "undici";
import { type AlertMessage, alertBody } from "./alert-message.ts";
import type { AlertTargetSettings } from "./objective.ts";

/** Maximum number of alerts that may be queued for one target. Beyond it the oldest are dropped and counted. */
const mostWaiting = 10_000;
/** Maximum number of alerts in one request. More alerts need several requests. */
const mostSent = 500;
/** Milliseconds until a request that is not answered counts as failed. */
const timeoutMs = 10_000;
/** Pause after a failure: first one second, then twice as long after each failure, at most a minute. */
const firstPauseMs = 1_000;
const longestPauseMs = 60_000;

export interface TargetCounts {
  /** Messages that the target took. */
  sent: number;
  /** Number of failed requests that are repeated. */
  failed: number;
  /** Number of messages that the target refused permanently. */
  refused: number;
  /** Number of messages dropped because the queue was full. */
  dropped: number;
}

/** Parts of a target that tests replace. */
export interface TargetParts {
  /** Log of refused and failed requests. */
  readonly log: Logger;
  /** Clock in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Dispatcher for connections to the target; default: undici's global one. */
  readonly dispatcher?: Dispatcher | undefined;
  /** Timeout of one request in milliseconds; 10,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** Pause after the first failure in milliseconds; 1,000 by default. */
  readonly firstPauseMs?: number | undefined;
}

/**
 * Sends alerts to one address. Queued messages share a request, so a hanging target costs one timeout for all of
 * them. The address never changes, so no message can reach another target.
 */
export class AlertTarget {
  readonly settings: AlertTargetSettings;
  readonly counts: TargetCounts = { sent: 0, failed: 0, refused: 0, dropped: 0 };
  /** Why the last request failed; undefined after a success. The text omits the address, which may be secret. */
  error: string | undefined;
  readonly #parts: TargetParts;
  /** Queued messages by alert key: a newer message replaces a queued one of the same alert. */
  readonly #waiting = new Map<string, AlertMessage>();
  /** Keys of firing alerts whose messages were queued or sent. */
  readonly #told = new Set<string>();
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(settings: AlertTargetSettings, parts: TargetParts) {
    this.settings = settings;
    this.#parts = parts;
  }

  /** Host of the target, for logs. The rest of the address is not shown, because it may contain a secret. */
  get host(): string {
    return new URL(this.settings.url).host;
  }

  /** Number of queued messages. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** True when a message for this firing alert was sent or is queued. */
  knows({ key }: AlertMessage): boolean {
    return this.#told.has(key);
  }

  /** Queues a message. After `close` the method does nothing. */
  submit(message: AlertMessage): void {
    if (this.#stop.signal.aborted) {
      return;
    }
    if (message.endsMs === undefined) {
      this.#told.add(message.key);
    } else {
      this.#told.delete(message.key);
    }
    this.#waiting.delete(message.key);
    this.#waiting.set(message.key, message);
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > mostWaiting && oldest !== undefined) {
      this.#waiting.delete(oldest);
      this.counts.dropped++;
    }
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Aborts the running request, and drops queued messages. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#waiting.clear();
    await this.#running;
  }

  /** Waits until the queue is empty, a request fails, or the signal is aborted. */
  async drain(signal: AbortSignal): Promise<void> {
    const aborted = new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    while (this.#running !== undefined && this.error === undefined && !signal.aborted) {
      await Promise.race([this.#running, aborted, pause(50, signal)]);
    }
  }

  async #run(): Promise<void> {
    const first = this.#parts.firstPauseMs ?? firstPauseMs;
    let pauseMs = first;
    // Alerts that begin at the same time share a request.
    await null;
    while (this.#waiting.size > 0 && !this.#stop.signal.aborted) {
      const batch = [...this.#waiting.values()].slice(0, mostSent);
      const isDone = await this.#send(batch);
      if (isDone) {
        this.#forget(batch);
        pauseMs = first;
      } else {
        await pause(pauseMs, this.#stop.signal);
        pauseMs = Math.min(longestPauseMs, pauseMs * 2);
      }
    }
  }

  /** Removes messages from the queue, but keeps newer messages of the same alerts. */
  #forget(batch: readonly AlertMessage[]): void {
    for (const message of batch) {
      if (this.#waiting.get(message.key) === message) {
        this.#waiting.delete(message.key);
      }
    }
  }

  /** @returns false when the same messages must be sent again */
  async #send(batch: readonly AlertMessage[]): Promise<boolean> {
    const { log, now, dispatcher } = this.#parts;
    const { url, headers, kind, link } = this.settings;
    const signal = AbortSignal.any([
      this.#stop.signal,
      AbortSignal.timeout(this.#parts.timeoutMs ?? timeoutMs),
    ]);
    try {
      const { statusCode, body } = await request(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: alertBody(kind, batch, now(), link),
        signal,
        ...(dispatcher === undefined ? {} : { dispatcher }),
      });
      await body.dump({ limit: 65_536, signal });
      if (statusCode < 300) {
        this.counts.sent += batch.length;
        this.error = undefined;
        return true;
      }
      this.error = `answered ${statusCode}`;
      // Repeating a wrong request would delay all queued messages.
      if (statusCode >= 400 && statusCode < 500 && ![401, 403, 404, 408, 429].includes(statusCode)) {
        this.counts.refused += batch.length;
        log.warn({ target: this.host, status: statusCode, alerts: batch.length }, "alerts refused");
        return true;
      }
    } catch (error) {
      if (this.#stop.signal.aborted) {
        return true;
      }
      this.error = signal.aborted ? "did not answer in time" : (error as Error).message || String(error);
    }
    this.counts.failed++;
    log.warn({ target: this.host, error: this.error, waiting: this.#waiting.size }, "alerts not sent");
    return false;
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done, { once: true });
    if (signal.aborted) {
      done();
    }
  });
}
