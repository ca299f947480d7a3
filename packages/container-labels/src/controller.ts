import { setTimeout as setTimeoutAsync } from "node:timers/promises";
import type { Logger } from "lifecycle";
import { messageOf } from "server-core/errors";
import type { EngineClient } from "./engine/engine-client.ts";
import type { Generator } from "./generator.ts";

export interface ControllerSettings {
  readonly engines: readonly EngineClient[];
  readonly generator: Pick<Generator, "generate">;
  /** Time between two looks at containers when no event came. */
  readonly pollingMs: number;
  /** Time for which events are gathered before a look. */
  readonly throttleMs: number;
  /** Makes a text run. @throws Error: the next look tries again */
  readonly apply: (text: string) => Promise<void>;
  readonly log: Logger;
}

/** Events after which labels or addresses may have changed. */
const actions: Readonly<Record<string, ReadonlySet<string>>> = {
  container: new Set(["create", "start", "stop", "die", "died", "destroy", "remove", "rename"]),
  network: new Set(["connect", "disconnect"]),
};

/** Longest pause before a lost stream of events is asked for again; pauses double from one second. */
const mostRetryMs = 30_000;

/**
 * Keeps a server's config equal to the labels, as containers come and go. It follows the engines' events, and
 * also looks at intervals, because events can be lost.
 */
export class Controller {
  readonly #settings: ControllerSettings;
  /** Aborted by `stop`: event streams and pauses end. */
  readonly #stopping = new AbortController();
  /** The text that runs; undefined before the first look. */
  #applied: string | undefined;
  /** The last logged failure; the same failure is logged once. */
  #lastFault = "";
  /** The next look. */
  #timer: NodeJS.Timeout | undefined;
  /** The look under way, or the last one. */
  #looking: Promise<void> = Promise.resolve();
  /** True: an event came; the next look is soon. */
  #isAwaited = false;

  constructor(settings: ControllerSettings) {
    this.#settings = settings;
  }

  /** Looks for the first time, then whenever something happens. */
  async start(): Promise<void> {
    for (const engine of this.#settings.engines) {
      void this.#listen(engine);
    }
    this.#looking = this.#look();
    await this.#looking;
    this.#wait(this.#settings.pollingMs);
  }

  /** A look that is under way ends first. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#looking;
  }

  /** Generates the text and makes it run when it changed. A failure is logged, and what runs goes on. */
  async #look(): Promise<void> {
    const { generator, apply, log } = this.#settings;
    this.#isAwaited = false;
    try {
      const text = await generator.generate();
      if (text !== undefined && text !== this.#applied) {
        await apply(text);
        this.#applied = text;
        log.info({ bytes: text.length }, "labels changed: they run");
      }
      this.#lastFault = "";
    } catch (error) {
      const fault = messageOf(error);
      if (fault !== this.#lastFault) {
        this.#lastFault = fault;
        log.error(`labels cannot run, so what runs goes on: ${fault}`);
      }
    }
  }

  /** Plans the next look, instead of the one that was planned. */
  #wait(ms: number): void {
    if (this.#stopping.signal.aborted) {
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#looking = this.#look().then(() =>
        this.#wait(this.#isAwaited ? this.#settings.throttleMs : this.#settings.pollingMs),
      );
    }, ms);
  }

  /** Plans a look soon. Events during a look or a pause cause one more look. */
  #happened(): void {
    if (!this.#isAwaited) {
      this.#isAwaited = true;
      void this.#looking.then(() => this.#wait(this.#settings.throttleMs));
    }
  }

  /** Follows the events of one engine until `stop`. A lost stream is asked for again. */
  async #listen(engine: EngineClient): Promise<void> {
    const { log } = this.#settings;
    const { signal } = this.#stopping;
    for (let retryMs = 1_000; !signal.aborted; retryMs = Math.min(mostRetryMs, retryMs * 2)) {
      try {
        for await (const { Type = "", Action = "" } of engine.events(signal)) {
          retryMs = 1_000;
          if (actions[Type]?.has(Action) === true) {
            this.#happened();
          }
        }
      } catch (error) {
        if (!signal.aborted) {
          log.warn(`events of the engine at ${engine.text} ended: ${messageOf(error)}`);
        }
      }
      await setTimeoutAsync(retryMs, undefined, { signal }).catch(() => {});
      // Something may have happened meanwhile.
      this.#happened();
    }
  }
}
