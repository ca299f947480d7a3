import { setTimeout as setTimeoutAsync } from "node:timers/promises";
import type { Logger } from "lifecycle";
import { messageOf } from "server-core/errors";
import type { EngineClient } from "./engine/engine-client.ts";
import type { Generator } from "./generator.ts";

export interface ControllerSettings {
  readonly engines: readonly EngineClient[];
  readonly generator: Pick<Generator, "generate">;
  /** Milliseconds between two reads of the containers when no event arrives. */
  readonly pollingMs: number;
  /** Milliseconds for which events are collected before the containers are read. */
  readonly throttleMs: number;
  /**
   * Loads a generated text as the config. @returns the text that runs, perhaps without some of the sites
   * @throws Error; then the controller loads the text again after its next read
   */
  readonly apply: (text: string) => Promise<string>;
  readonly log: Logger;
}

/** Events after which labels or addresses may be different. */
const actions: Readonly<Record<string, ReadonlySet<string>>> = {
  container: new Set(["create", "start", "stop", "die", "died", "destroy", "remove", "rename"]),
  network: new Set(["connect", "disconnect"]),
};

/**
 * Longest pause in milliseconds before a lost event stream is requested again. The first pause is one second, and each
 * pause doubles.
 */
const mostRetryMs = 30_000;

/**
 * Keeps a server's config equal to the labels of the running containers. The controller follows the engines' events,
 * and also reads the containers at intervals, because events can be lost.
 */
export class Controller {
  readonly #settings: ControllerSettings;
  /** Aborted by `stop`: event streams and pauses end. */
  readonly #stopping = new AbortController();
  /** The text that runs; undefined before the first load. */
  #applied: string | undefined;
  /** The last logged failure, so that the same failure is logged only once. */
  #lastFault = "";
  /** Timer of the next read. */
  #timer: NodeJS.Timeout | undefined;
  /** The running read of the containers, or the last read. */
  #looking: Promise<void> = Promise.resolve();
  /** True when an event arrived and the next read follows soon. */
  #isAwaited = false;

  constructor(settings: ControllerSettings) {
    this.#settings = settings;
  }

  /** Reads the containers immediately, then after each event and at intervals. */
  async start(): Promise<void> {
    for (const engine of this.#settings.engines) {
      void this.#listen(engine);
    }
    this.#looking = this.#look();
    await this.#looking;
    this.#wait(this.#settings.pollingMs);
  }

  /** Waits until a running read has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#looking;
  }

  /**
   * Generates the text, and loads a changed text. When this fails, the failure is logged, and the previous config stays
   * in use.
   */
  async #look(): Promise<void> {
    const { generator, apply, log } = this.#settings;
    this.#isAwaited = false;
    try {
      const text = await generator.generate();
      if (text !== undefined && text !== this.#applied) {
        this.#applied = await apply(text);
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

  /** Schedules the next read, and cancels a read that was scheduled before. */
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

  /** Schedules a read soon. All events during a read or a pause together cause only one more read. */
  #happened(): void {
    if (!this.#isAwaited) {
      this.#isAwaited = true;
      void this.#looking.then(() => this.#wait(this.#settings.throttleMs));
    }
  }

  /** Follows the events of one engine until `stop`. When the stream is lost, it is requested again. */
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
      // Events may have been lost while there was no stream.
      this.#happened();
    }
  }
}
