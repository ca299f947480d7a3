import type { Exchange } from "./exchange.ts";
import type { Next } from "./handler.ts";
import { ResponseFilter } from "./response-sink.ts";

/**
 * A filter that holds bytes back because it works better with more bytes at once, such as a compressor. It releases its
 * bytes when the source of the response pauses for a whole turn of the event loop. Therefore handlers need not announce
 * a pause, and no subclass can forget the release.
 *
 * A subclass calls {@link kept} whenever it keeps bytes, and runs the next handlers with {@link around}.
 */
export abstract class HoldingFilter extends ResponseFilter {
  /** True when bytes arrived since the last turn of the event loop. */
  #moved = false;
  #isWatching = false;
  #isGivenUp = false;

  /** True when the filter holds bytes back. */
  protected abstract get holds(): boolean;

  /** True when the kept bytes can be released now. A busy filter calls {@link kept} when it is ready again. */
  protected get isReady(): boolean {
    return true;
  }

  /**
   * Passes the kept bytes on to the client: ends with a `flush` of the sink below.
   * @param done called when the bytes were passed on, which may be later
   */
  protected abstract release(done?: () => void): void;

  /** Resolves when everything that arrived was passed on; undefined when nothing is pending. */
  protected get pending(): Promise<void> | undefined {
    return undefined;
  }

  /** Plans the release of kept bytes: after a turn of the event loop in which no bytes arrived. */
  protected kept(): void {
    this.#moved = true;
    if (!this.#isWatching) {
      this.#isWatching = true;
      setImmediate(this.#look);
    }
  }

  readonly #look = (): void => {
    if (this.#moved && this.#mayRelease) {
      this.#moved = false;
      setImmediate(this.#look);
      return;
    }
    this.#isWatching = false;
    if (this.#mayRelease) {
      this.release();
    }
  };

  get #mayRelease(): boolean {
    return !this.#isGivenUp && this.holds && this.isReady;
  }

  override flush(): void {
    if (this.#mayRelease) {
      this.release();
    } else {
      super.flush();
    }
  }

  /**
   * Runs the next handlers, whose response passes through this filter, and waits until the whole response was passed
   * on. The start of a response that fails half-way is still passed on. A response that fails before its head is
   * dropped, because another response follows.
   */
  around(exchange: Exchange, next: Next): void | Promise<void> {
    let running: void | Promise<void>;
    try {
      running = next(exchange);
    } catch (error) {
      this.#isGivenUp = true;
      throw error;
    }
    if (running === undefined) {
      return this.pending;
    }
    return running.then(
      () => this.pending,
      (error: unknown) => this.#failed(exchange, error),
    );
  }

  async #failed(exchange: Exchange, error: unknown): Promise<never> {
    if (exchange.headSent && !exchange.ended && this.holds) {
      await new Promise<void>((resolve) => {
        exchange.onEnd(resolve);
        this.release(resolve);
      });
    }
    this.#isGivenUp = true;
    throw error;
  }
}
