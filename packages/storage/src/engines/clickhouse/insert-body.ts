import type { Readable } from "node:stream";
import type { SpanRowSource } from "../../api/span-writer.ts";

/** What an insert sends: bytes, or what gives them. */
export type InsertBody = Uint8Array | Pick<SpanRowSource, "byteLength" | "pieces">;

/** Rows of an insert could not be read: no fault of the server. The cause is what reading them threw. */
export class SourceFailure extends Error {}

/** An insert's body in a form that can be sent, and why it ended early. */
export class SentBody {
  /** An iterable is sent a piece at a time, the next asked for when the one before is with the system; the type lacks it. */
  readonly body: Uint8Array | Readable;
  #failure: SourceFailure | undefined;

  constructor(rows: InsertBody) {
    this.body = rows instanceof Uint8Array ? rows : (this.#watched(rows) as unknown as Readable);
  }

  /** Set once rows could not be read. */
  get failure(): SourceFailure | undefined {
    return this.#failure;
  }

  async *#watched(rows: Pick<SpanRowSource, "pieces">): AsyncGenerator<Uint8Array, void> {
    try {
      yield* rows.pieces();
    } catch (cause) {
      this.#failure = new SourceFailure("rows cannot be read", { cause });
      throw this.#failure;
    }
  }
}
