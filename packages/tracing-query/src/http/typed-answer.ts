/** An answer with another media type than its style. */
export class TypedAnswer {
  readonly contentType: string;
  /** The parts of the body; a list when the body is complete. */
  readonly parts: readonly Uint8Array[] | AsyncIterable<Uint8Array>;

  /** @param body a text, or parts of the body */
  constructor(contentType: string, body: string | readonly Uint8Array[] | AsyncIterable<Uint8Array>) {
    this.contentType = contentType;
    this.parts = typeof body === "string" ? [Buffer.from(body)] : body;
  }
}
