import type { Span } from "wire/model";
import type { SpanRows } from "wire/rows";
import { encodeTraceChunks } from "wire/storage-v2";
import type { SpanWriter, WriteOptions } from "../../api/span-writer.ts";
import { StorageError } from "../../api/storage-error.ts";
import { BlockProgress } from "./block-progress.ts";
import { spansOfRows } from "./grpc-span-writer.ts";
import { inParallel } from "./parallel.ts";
import type { RemoteCalls } from "./remote-calls.ts";
import { remoteMethodsV2 } from "./remote-methods.ts";

/** Maximum number of concurrent calls of one block. */
const maxCalls = 8;

/** A message of a block, with the number of its spans and their tenant. */
interface Part {
  readonly index: number;
  readonly tenant: string;
  readonly message: Buffer;
  readonly spans: number;
}

/**
 * Writes blocks with OTLP's `Export`, as version 2 of the API asks for. Spans of other formats become OTLP spans. While
 * the process lives, acknowledged messages of a block are not written again.
 */
export class GrpcSpanWriterV2 implements SpanWriter {
  readonly #calls: RemoteCalls;
  readonly #progress = new BlockProgress();

  constructor(calls: RemoteCalls) {
    this.#calls = calls;
  }

  async writeSpans(rows: SpanRows, { deduplicationToken: token, signal }: WriteOptions): Promise<void> {
    if (signal?.aborted) {
      throw new StorageError("STORAGE_ABORTED", "the caller gave up");
    }
    if (rows.count === 0 || this.#progress.isWhole(token)) {
      return;
    }
    const done = this.#progress.partsOf(token);
    const refusals: { readonly spans: number; readonly text: string }[] = [];
    await inParallel(partsOf(rows), maxCalls, async ({ index, tenant, message, spans }) => {
      if (done.has(index)) {
        return;
      }
      const options = signal === undefined ? { tenant } : { tenant, signal };
      try {
        const outcome = await this.#calls.unary(remoteMethodsV2.export, message, options, true);
        if (outcome.rejectedSpans > 0) {
          refusals.push({ spans: outcome.rejectedSpans, text: outcome.errorMessage });
        }
        done.add(index);
      } catch (error) {
        if (!(error instanceof StorageError) || error.code !== "STORAGE_REFUSED") {
          throw error;
        }
        refusals.push({ spans, text: error.message });
      }
    });
    const [first] = refusals;
    if (first !== undefined) {
      const refused = refusals.reduce((sum, { spans }) => sum + spans, 0);
      const text = `${refused} of ${rows.count} spans are refused, the others stored: ${first.text}`;
      throw new StorageError("STORAGE_REFUSED", text);
    }
    this.#progress.setWhole(token);
  }
}

/** The messages of a block, in an order that is the same when the block is written again. */
function* partsOf(rows: SpanRows): Generator<Part> {
  const byTenant = new Map<string, Span[]>();
  for (const { tenant, span } of spansOfRows(rows)) {
    const spans = byTenant.get(tenant);
    if (spans === undefined) {
      byTenant.set(tenant, [span]);
    } else {
      spans.push(span);
    }
  }
  let index = 0;
  for (const [tenant, spans] of byTenant) {
    for (const chunk of encodeTraceChunks(spans)) {
      yield { index: index++, tenant, ...chunk };
    }
  }
}
