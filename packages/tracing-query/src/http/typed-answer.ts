/** An answer of another type than its style says. */
export class TypedAnswer {
  readonly contentType: string;
  /** Together the body; a list when all of it is there. */
  readonly parts: readonly Uint8Array[] | AsyncIterable<Uint8Array>;

  /** @param body parts of it, or a text */
  constructor(contentType: string, body: string | readonly Uint8Array[] | AsyncIterable<Uint8Array>) {
    this.contentType = contentType;
    this.parts = typeof body === "string" ? [Buffer.from(body)] : body;
  }
}
