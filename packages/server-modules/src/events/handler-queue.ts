import type { Logger } from "lifecycle";
import { messageOf } from "server-core/errors";
import { type EventHandler, isEventAborted, type ServerEvent } from "server-core/events/server-event";
import type { EventCounters } from "./event-counters.ts";

/** Name, limits and counters of one subscription. */
export interface HandlerQueueOptions {
  /** The module's name in the config. */
  readonly name: string;
  /** Timeout of one event in milliseconds. After it the queue continues with the next event. */
  readonly timeoutMs: number;
  /** Maximum number of events that may wait in the queue. Beyond it an event skips the handler. */
  readonly maxWaiting: number;
  /** Counters of handled, failed and dropped events. */
  readonly counters: EventCounters;
  readonly log: Logger;
}

/**
 * Passes events to a handler one at a time, and waits for each at most the timeout.
 * | Outcome of an event | Counter | The caller gets |
 * |---|---|---|
 * | the handler is done | `done` | nothing |
 * | the handler throws an abort | `aborted` | its reason |
 * | the handler throws another error | `failed` | nothing |
 * | the timeout ends | `timeout` | nothing; the signal aborts the handler |
 * | too many wait, or the queue is closed | `dropped` | nothing |
 */
export class HandlerQueue {
  readonly #handler: EventHandler;
  readonly #options: HandlerQueueOptions;
  /** Settles when the handler has finished the previous event. */
  #last: Promise<unknown> = Promise.resolve();
  /** Number of queued events, including the running one. */
  #waiting = 0;
  /** True while events are dropped. Only the first dropped event is logged. */
  #isFull = false;
  /** True after the config was replaced. */
  #isClosed = false;

  constructor(handler: EventHandler, options: HandlerQueueOptions) {
    this.#handler = handler;
    this.#options = options;
  }

  /** Never rejects. @returns the reason why the handler stopped the event; undefined when it did not */
  async run(event: ServerEvent): Promise<string | undefined> {
    const { maxWaiting } = this.#options;
    if (this.#waiting > maxWaiting) {
      this.pass();
      return undefined;
    }
    this.#isFull = false;
    this.#waiting++;
    const call = this.#last.then(() => this.#call(event));
    this.#last = call;
    try {
      return await call;
    } finally {
      this.#waiting--;
    }
  }

  /** Drops an event because too many wait. */
  pass(): void {
    const { name, maxWaiting, counters, log } = this.#options;
    counters.handled(name, "dropped");
    if (!this.#isFull) {
      log.warn(`event handler ${name}: ${maxWaiting} events wait for it, further ones pass it by`);
    }
    this.#isFull = true;
  }

  /** Closes the queue: waiting events skip the handler. */
  close(): void {
    this.#isClosed = true;
  }

  /** Runs the handler for one event. Never throws. */
  async #call(event: ServerEvent): Promise<string | undefined> {
    const { name, timeoutMs, counters, log } = this.#options;
    if (this.#isClosed) {
      counters.handled(name, "dropped");
      return undefined;
    }
    const late = Promise.withResolvers<"late">();
    const stop = new AbortController();
    const timer = setTimeout(() => {
      late.resolve("late");
      stop.abort(new Error(`not done after ${timeoutMs} ms`));
    }, timeoutMs);
    try {
      // The async function turns a synchronous throw into a rejection.
      const outcome = await Promise.race([
        (async () => this.#handler.handle(event, stop.signal))(),
        late.promise,
      ]);
      if (outcome === "late") {
        counters.handled(name, "timeout");
        log.error(
          `event handler ${name}: ${event.name}: not done after ${timeoutMs} ms, others go on without it`,
        );
      } else {
        counters.handled(name, "done");
      }
      return undefined;
    } catch (error) {
      const aborted = isEventAborted(error);
      counters.handled(name, aborted ? "aborted" : "failed");
      log.error(`event handler ${name}: ${event.name}${aborted ? " aborted" : ""}: ${messageOf(error)}`);
      return aborted ? messageOf(error) || "no reason given" : undefined;
    } finally {
      clearTimeout(timer);
    }
  }
}
