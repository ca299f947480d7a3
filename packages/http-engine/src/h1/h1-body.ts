import { ContainedReadable } from "../body/contained-stream.ts";

/** The body of a request, filled by its connection. */
export class H1Body extends ContainedReadable {
  readonly #wanted: () => void;
  readonly #left: () => void;

  /**
   * @param wanted called when the buffer has space for more bytes
   * @param left called when the rest of the body will not be read
   */
  constructor(wanted: () => void, left: () => void) {
    super({ highWaterMark: 64 * 1024 });
    this.#wanted = wanted;
    this.#left = left;
  }

  override _read(): void {
    this.#wanted();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#left();
    done(error);
  }
}
