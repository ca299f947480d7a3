import type { IncomingHttpHeaders } from "node:http";
import type { Logger } from "lifecycle";
import { type Dispatcher, request } from "undici";

/** Maximum number of bytes of bodies that wait for one target. Beyond it the oldest are dropped and counted. */
const mostWaitingBytes = 32 * 1024 * 1024;
const timeoutMs = 30_000;
/** Pause after a failure: first one second, then twice as long after each failure, at most a minute. */
const firstPauseMs = 1_000;
const longestPauseMs = 60_000;
/** Longest pause that an answer may ask for with `Retry-After`. */
const longestAskedMs = 15 * 60_000;

/** Numbers of series by outcome, and of failed requests. */
export interface PushCounts {
  /** Series that the target took. */
  sent: number;
  /** Series that the target refused for good. */
  refused: number;
  /** Series dropped because too much waited. */
  dropped: number;
  /** Requests that failed and were sent again. */
  failedRequests: number;
}

/** The body of one request. */
export interface PushBody {
  readonly bytes: Buffer;
  /** Number of series in it, for the counts. */
  readonly series: number;
}

export interface PushTargetSettings {
  readonly url: string;
  /** Content type and the other headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** The older form for targets that do not know the form of the bodies. Absent: there is only one form. */
  readonly older?: OlderForm | undefined;
}

/** A form of bodies that older targets know. */
export interface OlderForm {
  /** Content type and the other headers of every request in this form. */
  readonly headers: Readonly<Record<string, string>>;
  /** Makes a body of this form from a body of the newer form. */
  convert(bytes: Buffer): Buffer;
  /** True when the headers of a successful response show that the target knows the newer form. */
  knowsNewer(headers: IncomingHttpHeaders): boolean;
}

/** Parts of a target that tests replace. */
export interface PushTargetParts {
  readonly log: Logger;
  readonly dispatcher?: Dispatcher | undefined;
  /** Pause after the first failure in milliseconds; default 1,000. */
  readonly firstPauseMs?: number | undefined;
  /** Size limit of waiting bodies; default 32 MiB. */
  readonly mostWaitingBytes?: number | undefined;
}

/**
 * Sends bodies to one address, in order, one at a time. A body is sent again until the target takes it or refuses it
 * for good. Counters only grow, so a body that is dropped costs one point of each series, and no count.
 */
export class PushTarget {
  readonly counts: PushCounts = { sent: 0, refused: 0, dropped: 0, failedRequests: 0 };
  readonly #settings: PushTargetSettings;
  readonly #parts: PushTargetParts;
  readonly #waiting: PushBody[] = [];
  readonly #stop = new AbortController();
  #waitingBytes = 0;
  #running: Promise<void> | undefined;
  #lastError: string | undefined;
  /** Set once the target has shown that it does not know the newer form. */
  #older: OlderForm | undefined;

  constructor(settings: PushTargetSettings, parts: PushTargetParts) {
    this.#settings = settings;
    this.#parts = parts;
  }

  /** Host of the target, for logs and metrics. The rest of the address may contain a secret. */
  get host(): string {
    return new URL(this.#settings.url).host;
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Why the last request failed; undefined after a success. */
  get error(): string | undefined {
    return this.#lastError;
  }

  /** Queues a body. The oldest bodies are dropped when too many bytes wait; the body in flight is never dropped. */
  submit(body: PushBody): void {
    if (this.#stop.signal.aborted) {
      return;
    }
    this.#waiting.push(body);
    this.#waitingBytes += body.bytes.length;
    const most = this.#parts.mostWaitingBytes ?? mostWaitingBytes;
    while (this.#waitingBytes > most && this.#waiting.length > 2) {
      const [oldest] = this.#waiting.splice(1, 1);
      if (oldest !== undefined) {
        this.#waitingBytes -= oldest.bytes.length;
        this.counts.dropped += oldest.series;
      }
    }
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Waits until all is sent or the signal is aborted, then drops the rest. After a failed request it does not wait. */
  async close(signal: AbortSignal): Promise<void> {
    const giveUp = () => this.#stop.abort();
    signal.addEventListener("abort", giveUp, { once: true });
    if (signal.aborted || this.#lastError !== undefined) {
      giveUp();
    }
    await this.#running;
    signal.removeEventListener("abort", giveUp);
    giveUp();
    this.counts.dropped += this.#waiting.reduce((sum, { series }) => sum + series, 0);
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
  }

  async #run(): Promise<void> {
    const first = this.#parts.firstPauseMs ?? firstPauseMs;
    let pauseMs = first;
    while (this.#waiting.length > 0 && !this.#stop.signal.aborted) {
      const body = this.#waiting[0] as PushBody;
      const again = await this.#send(body);
      if (again === undefined) {
        this.#waiting.shift();
        this.#waitingBytes -= body.bytes.length;
        pauseMs = first;
        continue;
      }
      // A random part keeps several processes from repeating their requests at the same time.
      await pause(again.afterMs ?? pauseMs * (0.75 + Math.random() / 2), this.#stop.signal);
      pauseMs = Math.min(longestPauseMs, pauseMs * 2);
    }
  }

  /** @returns undefined when the body is done; otherwise the pause that the target asks for, if it asks */
  async #send({ bytes, series }: PushBody): Promise<{ readonly afterMs: number | undefined } | undefined> {
    const { log, dispatcher } = this.#parts;
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(timeoutMs)]);
    let afterMs: number | undefined;
    try {
      const { statusCode, headers, body } = await request(this.#settings.url, {
        method: "POST",
        headers: (this.#older ?? this.#settings).headers,
        body: this.#older?.convert(bytes) ?? bytes,
        signal,
        ...(dispatcher === undefined ? {} : { dispatcher }),
      });
      const text = await firstText(body);
      if (this.#mustBeOlder(statusCode, headers)) {
        return { afterMs: 0 };
      }
      if (statusCode >= 200 && statusCode < 300) {
        this.counts.sent += series;
        this.#lastError = undefined;
        return undefined;
      }
      this.#lastError = `answered ${statusCode}`;
      if (statusCode < 500 && statusCode !== 429 && statusCode !== 408) {
        this.counts.refused += series;
        log.warn({ target: this.host, status: statusCode, answer: text, series }, "metrics refused");
        this.#lastError = undefined;
        return undefined;
      }
      afterMs = retryAfterMs(headers["retry-after"]);
    } catch (error) {
      this.#lastError = signal.aborted ? "did not answer in time" : (error as Error).message || String(error);
    }
    this.counts.failedRequests++;
    log.warn(
      { target: this.host, error: this.#lastError, waitingBytes: this.#waitingBytes },
      "metrics not sent",
    );
    return { afterMs };
  }

  /**
   * Changes to the older form after an answer of a target that does not know the newer one: 415, or a success without the
   * headers of the newer form. Such a target has read an empty request. The process does not change back.
   */
  #mustBeOlder(status: number, headers: IncomingHttpHeaders): boolean {
    const { older } = this.#settings;
    if (older === undefined || this.#older !== undefined) {
      return false;
    }
    const isEmptySuccess = status >= 200 && status < 300 && !older.knowsNewer(headers);
    if (status !== 415 && !isEmptySuccess) {
      return false;
    }
    this.#older = older;
    this.#parts.log.info({ target: this.host, status }, "the target takes metrics in the older form only");
    return true;
  }
}

/** Begin of an answer, for the log. */
async function firstText(body: Dispatcher.ResponseData["body"]): Promise<string> {
  let text = "";
  for await (const chunk of body) {
    text += String(chunk);
    if (text.length > 300) {
      break;
    }
  }
  return text.slice(0, 300).trim();
}

/** Milliseconds of `Retry-After`: seconds, or a date. @returns undefined for an absent or unreadable header */
export function retryAfterMs(header: string | string[] | undefined, nowMs = Date.now()): number | undefined {
  const text = Array.isArray(header) ? header[0] : header;
  if (text === undefined) {
    return undefined;
  }
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.min(longestAskedMs, Math.max(0, ms));
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
