import type { Duplex } from "node:stream";

/** Answers that the client does not read. */
const maxUnreadBytes = 1024 * 1024;

/** Writes to a socket what comes in one turn of the event loop in one piece. */
export class FrameOutput {
  readonly #socket: Duplex;
  readonly #unread: () => void;
  #waiting: Buffer[] = [];
  #isFlushDue = false;

  /** @param unread called when over a megabyte waits for a peer that does not read */
  constructor(socket: Duplex, unread: () => void) {
    this.#socket = socket;
    this.#unread = unread;
  }

  /** @param bytes not to be changed any more */
  write(bytes: Buffer): void {
    this.#waiting.push(bytes);
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    process.nextTick(() => this.flush());
  }

  /** Writes what waits at once. */
  flush(): void {
    this.#isFlushDue = false;
    const [only, ...others] = this.#waiting;
    if (only === undefined || this.#socket.destroyed || this.#socket.writableEnded) return;
    this.#socket.write(others.length === 0 ? only : Buffer.concat(this.#waiting));
    this.#waiting = [];
    if (this.#socket.writableLength > maxUnreadBytes) this.#unread();
  }
}
