import { Http2Connection } from "http-protocols/grpc-client";
import { type CollectorSocketSettings, openCollectorSocket } from "./collector-socket.ts";

const connectTimeoutMs = 10_000;

export interface LinkListener {
  onReady(): void;
  /**
   * Called once, when the connection accepts no more calls.
   * @param livedMs time in milliseconds in which it accepted calls; 0 if it was never ready
   */
  onLeave(reason: string, livedMs: number): void;
  /** Called once, after `onLeave`, when the connection is fully closed. */
  onGone(): void;
}

/** One attempt to connect to a collector, and the connection that results from it. */
export class CollectorLink {
  readonly #listener: LinkListener;
  readonly #timer: NodeJS.Timeout;
  readonly #destroySocket: () => void;
  #connection: Http2Connection | undefined;
  #readyAt: number | undefined;
  #hasLeft = false;
  #isGone = false;

  constructor(settings: CollectorSocketSettings, listener: LinkListener) {
    this.#listener = listener;
    const socket = openCollectorSocket(
      settings,
      () => {
        this.#connection = new Http2Connection(socket, {
          onReady: () => this.#ready(),
          onGoingAway: () => this.#leave("the collector closes the connection"),
          onEnd: (reason) => this.#end(reason),
        });
      },
      (error) => this.#end(error.message),
    );
    this.#destroySocket = () => {
      socket.on("error", () => {}); // A late error does not matter.
      socket.destroy();
    };
    this.#timer = setTimeout(
      () => this.destroy(`no connection within ${connectTimeoutMs} ms`),
      connectTimeoutMs,
    );
  }

  /** The connection while it accepts calls; otherwise undefined. */
  get ready(): Http2Connection | undefined {
    return this.#connection?.isReady === true ? this.#connection : undefined;
  }

  /** Accepts no more calls; running calls continue. */
  close(): void {
    if (this.#readyAt === undefined) {
      this.#end("closed");
    } else {
      this.#connection?.close();
    }
  }

  /** Closes the connection, so that running calls fail. */
  destroy(reason: string): void {
    this.#end(reason);
  }

  #ready(): void {
    clearTimeout(this.#timer);
    this.#readyAt = performance.now();
    this.#listener.onReady();
  }

  #leave(reason: string): void {
    if (!this.#hasLeft) {
      this.#hasLeft = true;
      this.#listener.onLeave(reason, this.#readyAt === undefined ? 0 : performance.now() - this.#readyAt);
    }
  }

  #end(reason: string): void {
    if (this.#isGone) {
      return;
    }
    this.#isGone = true;
    clearTimeout(this.#timer);
    this.#destroySocket();
    this.#connection?.destroy(reason);
    this.#leave(reason);
    this.#listener.onGone();
  }
}
