import { ContainedReadable } from "../body/contained-stream.ts";

export interface BodySource {
  /** Called when the reader has space for more bytes. */
  bodyWanted(): void;
}

/** The body of a request, filled by its stream. */
export class H2Body extends ContainedReadable {
  readonly #source: BodySource;

  constructor(source: BodySource) {
    super({ highWaterMark: 64 * 1024 });
    this.#source = source;
  }

  override _read(): void {
    this.#source.bodyWanted();
  }
}
