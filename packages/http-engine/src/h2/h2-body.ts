import { ContainedReadable } from "../body/contained-stream.ts";

/** The source of a body. */
export interface BodySource {
  /** There is room for more. */
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
