import type { Readable } from "node:stream";

/** Where the bytes of a request's body go. */
export interface BodySink {
  /** @returns false when it is enough for now: go on after `onceDrain` */
  write(chunk: Buffer): boolean;
  onceDrain(callback: () => void): void;
}

/**
 * Sends the body of a request, with back pressure. Stops by itself when told so: then the rest stays where it is.
 */
export class BodyWriter {
  readonly #source: Readable;
  readonly #sink: BodySink;
  readonly #done: (error: Error | undefined) => void;
  #stopped = false;
  #begun = false;

  /** @param done called once, when all of it was written or its source failed; not after {@link stop} */
  constructor(source: Readable, sink: BodySink, done: (error: Error | undefined) => void) {
    this.#source = source;
    this.#sink = sink;
    this.#done = done;
    source.on("data", this.#onData);
    source.once("end", this.#onEnd);
    source.once("error", this.#onError);
    source.once("close", this.#onClose);
    if (source.isPaused()) {
      source.resume(); // an earlier writer of it was stopped
    }
  }

  /** Whether something was taken of the source, or its end: then it cannot be sent from the start again. */
  get begun(): boolean {
    return this.#begun;
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#begun = true;
    if (!this.#sink.write(chunk)) {
      this.#source.pause();
      this.#sink.onceDrain(() => {
        if (!this.#stopped) {
          this.#source.resume();
        }
      });
    }
  };

  readonly #onEnd = (): void => this.#finish(undefined);
  readonly #onError = (error: Error): void => this.#finish(error);
  readonly #onClose = (): void => this.#finish(new Error("the request body ended early"));

  #finish(error: Error | undefined): void {
    if (!this.#stopped) {
      this.#begun = true;
      this.stop();
      this.#done(error);
    }
  }

  stop(): void {
    if (!this.#stopped) {
      this.#stopped = true;
      const source = this.#source;
      source.off("data", this.#onData);
      source.off("end", this.#onEnd);
      source.off("close", this.#onClose);
      source.off("error", this.#onError);
      source.on("error", ignore);
      source.pause();
    }
  }
}

function ignore(): void {}
