import type { Duplex } from "node:stream";

/** Limit of answers that the client has not read. */
const maxUnreadBytes = 1024 * 1024;

/** Collects the writes of one turn of the event loop, and sends them to the socket as one buffer. */
export class FrameOutput {
  readonly #socket: Duplex;
  readonly #unread: () => void;
  #waiting: Buffer[] = [];
  #isFlushDue = false;

  /** @param unread called when more than a megabyte waits for a peer that does not read */
  constructor(socket: Duplex, unread: () => void) {
    this.#socket = socket;
    this.#unread = unread;
  }

  /** @param bytes must not change afterwards */
  write(bytes: Buffer): void {
    this.#waiting.push(bytes);
    if (this.#isFlushDue) {
      return;
    }
    this.#isFlushDue = true;
    process.nextTick(() => this.flush());
  }

  /** Sends the collected writes at once. */
  flush(): void {
    this.#isFlushDue = false;
    const [only, ...others] = this.#waiting;
    if (only === undefined || this.#socket.destroyed || this.#socket.writableEnded) {
      return;
    }
    this.#socket.write(others.length === 0 ? only : Buffer.concat(this.#waiting));
    this.#waiting = [];
    if (this.#socket.writableLength > maxUnreadBytes) {
      this.#unread();
    }
  }
}
