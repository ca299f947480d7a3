/** A document as `encodeJson` writes it, as a text and, once somebody asks for them, as bytes that all may share. */
export class WrittenDocument {
  readonly text: string;
  #bytes: Uint8Array | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** UTF-8. Nobody may change them. */
  get bytes(): Uint8Array {
    this.#bytes ??= Buffer.from(this.text);
    return this.#bytes;
  }
}
