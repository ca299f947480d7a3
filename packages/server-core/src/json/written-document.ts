/** A document as `encodeJson` writes it, as a text and, after the first use, as bytes that all callers share. */
export class WrittenDocument {
  readonly text: string;
  #bytes: Uint8Array | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** The UTF-8 bytes; callers must not change them. */
  get bytes(): Uint8Array {
    this.#bytes ??= Buffer.from(this.text);
    return this.#bytes;
  }
}
