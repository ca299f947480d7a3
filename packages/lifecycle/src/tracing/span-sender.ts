import { finished } from "node:stream/promises";
import { Counter, type Registry } from "@prometheus-io/client";
import type { Logger } from "../logger.ts";
import type { FinishedSpan, SpanAttributes, SpanSink } from "../own-span.ts";
import type { ClientTls } from "../tls/client-tls.ts";
import { sendRequest } from "../tls/send-request.ts";
import { otlpJson } from "./otlp-json.ts";

/**
 * Header of requests that carry a process's own spans. The receiver records no span for such a request, because spans
 * would otherwise cause more spans.
 */
export const ownSpansHeader = "x-tracing-own-spans";

/** Maximum number of spans that may wait to be sent. Further spans are dropped and counted. */
const maxWaiting = 2_048;
const maxBatch = 512;
const batchDelayMs = 1_000;
const sendTimeoutMs = 10_000;
const closeTimeoutMs = 2_000;

/** Settings of the sender of a process's own spans. */
export interface SpanSenderSettings {
  /** The receiver's full URL, path included. */
  readonly url: URL;
  /** Header fields of each request, for example for authorization. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * TLS files for an https URL; absent: the CAs that Node trusts, and no client certificate. The sender closes them.
   */
  readonly tls?: ClientTls | undefined;
  readonly resource: SpanAttributes;
  /** Name of the instrumentation scope: the process. */
  readonly scope: string;
  readonly log: Logger;
  /** Registry of counters of sent and dropped spans; absent: nothing is counted. */
  readonly metrics?: Registry | undefined;
}

/**
 * Sends the process's own spans over OTLP/HTTP, about a second after each span has ended, or later if the receiver is
 * slow. Its queue has a size limit, and no request waits for it.
 */
export class SpanSender implements SpanSink {
  readonly #settings: SpanSenderSettings;
  readonly #counter: Counter<"result"> | undefined;
  readonly #stopping = new AbortController();
  #waiting: FinishedSpan[] = [];
  #dropped = 0;
  #isAway = false;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;

  constructor(settings: SpanSenderSettings) {
    this.#settings = settings;
    this.#counter =
      settings.metrics &&
      new Counter({
        name: "tracing_tracer_reporter_spans_total",
        help: "Own spans: a collector has them (ok), took them not (err), or they were too many (dropped).",
        labelNames: ["result"],
        registers: [settings.metrics],
      });
    for (const result of ["ok", "err", "dropped"]) {
      this.#counter?.inc({ result }, 0);
    }
  }

  add(span: FinishedSpan): void {
    if (this.#waiting.length >= maxWaiting) {
      this.#dropped++;
      this.#counter?.inc({ result: "dropped" });
      return;
    }
    this.#waiting.push(span);
    if (this.#waiting.length >= maxBatch) {
      this.#flush();
    } else {
      this.#timer ??= setTimeout(() => this.#flush(), batchDelayMs).unref();
    }
  }

  /** Sends the remaining spans, within two seconds. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.#stopping.abort(), closeTimeoutMs);
    this.#flush();
    await this.#sending;
    clearTimeout(timer);
    this.#settings.tls?.close();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#send(this.#waiting.splice(0, maxBatch));
    }
  }

  async #send(spans: readonly FinishedSpan[]): Promise<void> {
    const { url, headers, tls, resource, scope, log } = this.#settings;
    try {
      const response = await sendRequest(url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json", [ownSpansHeader]: "1" },
        body: otlpJson(resource, scope, spans),
        signal: AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(sendTimeoutMs)]),
        tls: tls?.material,
      });
      const { statusCode = 0 } = response.resume();
      await finished(response);
      if (statusCode < 200 || statusCode > 299) {
        throw new Error(`status ${statusCode}`);
      }
      this.#counter?.inc({ result: "ok" }, spans.length);
      if (this.#isAway) {
        this.#isAway = false;
        log.info({ dropped: this.#dropped }, "own spans arrive again");
        this.#dropped = 0;
      }
    } catch (error) {
      this.#dropped += spans.length;
      this.#counter?.inc({ result: "err" }, spans.length);
      if (!this.#isAway) {
        this.#isAway = true;
        log.warn(
          { url: `${url.origin}${url.pathname}`, reason: (error as Error).message },
          "own spans are not taken: dropping them until they are",
        );
      }
    }
  }
}
