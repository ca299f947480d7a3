import { createHash } from "node:crypto";
import type { SpanWriter } from "storage/api";
import { WireError } from "wire/errors";
import type { Span } from "wire/model";
import { type SpanRows, SpanRowWriter } from "wire/rows";

/**
 * Number of spans of one insert. This number must not change, because a repeated import must make the same inserts
 * again.
 */
const blockSpans = 20_000;
/** Maximum number of bytes of a block. */
const blockBytes = 64 * 1024 * 1024;

/** Collects spans into blocks of rows, which are the same in every run. */
export class SpanBlocks {
  readonly #tenant: string;
  readonly #emit: (rows: SpanRows) => Promise<void>;
  readonly #rows = new SpanRowWriter({ maxRowsBytes: blockBytes });
  #count = 0;

  /** @param emit takes a full block; the block's bytes are overwritten when it resolves */
  constructor(tenant: string, emit: (rows: SpanRows) => Promise<void>) {
    this.#tenant = tenant;
    this.#emit = emit;
  }

  /** @throws WireError for a span that cannot be stored; the other spans stay in their blocks */
  async add(span: Span): Promise<void> {
    if (this.#count === blockSpans) {
      await this.end();
    }
    try {
      this.#rows.append(span, this.#tenant);
    } catch (error) {
      if (!(error instanceof WireError && error.code === "WIRE_TOO_LARGE") || this.#count === 0) {
        throw error;
      }
      await this.end();
      this.#rows.append(span, this.#tenant);
    }
    this.#count++;
  }

  /** Emits the last block. */
  async end(): Promise<void> {
    if (this.#count > 0) {
      this.#count = 0;
      await this.#emit(this.#rows.take());
    }
  }
}

/**
 * Inserts a block. Its token is a hash of the rows, so an import that is repeated stores nothing twice.
 * @param command name of the import, the first part of the token
 * @param receivedUnixMs time in milliseconds since 1970; its day decides when the store drops these spans
 */
export async function writeBlock(
  writer: SpanWriter,
  rows: SpanRows,
  command: string,
  receivedUnixMs: number,
): Promise<void> {
  const hash = createHash("sha256").update(rows.bytes).digest("hex");
  await writer.writeSpans(rows, { deduplicationToken: `${command}/${hash}`, receivedUnixMs });
}
