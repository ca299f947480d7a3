import type { Socket } from "node:net";
import { keepOwner } from "server-core/threads/error-owner";

/** Callbacks that wait until a socket has sent its written bytes. One listener of the socket serves all callbacks. */
export class DrainWaiters {
  readonly #socket: Socket;
  readonly #failed: (error: unknown) => void;
  #callbacks: (() => void)[] = [];

  /** @param failed called with an error that a callback throws */
  constructor(socket: Socket, failed: (error: unknown) => void) {
    this.#socket = socket;
    this.#failed = failed;
    socket.on("drain", this.#onDrain);
  }

  /** Calls back when the socket accepts more bytes; in the next tick if the socket accepts more already. */
  once(callback: () => void): void {
    if (this.#socket.writableNeedDrain) {
      this.#callbacks.push(keepOwner(callback));
    } else {
      process.nextTick(callback);
    }
  }

  /** Stops all later callbacks. */
  stop(): void {
    this.#socket.off("drain", this.#onDrain);
  }

  readonly #onDrain = (): void => {
    const callbacks = this.#callbacks;
    this.#callbacks = [];
    for (const callback of callbacks) {
      try {
        callback();
      } catch (error) {
        this.#failed(error);
      }
    }
  };
}
