import { toApiV2Span } from "wire/api-v2";
import type { Span } from "wire/model";
import { RowScanner, readSpanRows, type SpanRows } from "wire/rows";
import type { WriteSpanRequest } from "wire/storage-v1";
import type { SpanWriter, WriteOptions } from "../../api/span-writer.ts";
import { StorageError } from "../../api/storage-error.ts";
import { BlockProgress } from "./block-progress.ts";
import { inParallel } from "./parallel.ts";
import type { RemoteCalls } from "./remote-calls.ts";
import type { RemoteCapabilities } from "./remote-capabilities.ts";
import { remoteMethods } from "./remote-methods.ts";

/**
 * Number of spans in one stream. The server acknowledges all spans of a stream with a single answer. Without this
 * answer, all spans of the stream are sent again.
 */
const spansPerStream = 5_000;

/** Maximum number of concurrent calls when the server accepts one span in each call. */
const maxCalls = 64;

interface TenantSpan {
  readonly tenant: string;
  readonly span: Span;
}

/**
 * Writes the spans of a block over streams if the server's capabilities include them, otherwise with one call for each
 * span. As in Jaeger's collector, spans are written in the older span model, and the tag with the format is
 * last. While the process lives, acknowledged spans of a block are not written again.
 */
export class GrpcSpanWriter implements SpanWriter {
  readonly #calls: RemoteCalls;
  readonly #capabilities: RemoteCapabilities;
  readonly #progress = new BlockProgress();

  constructor(calls: RemoteCalls, capabilities: RemoteCapabilities) {
    this.#calls = calls;
    this.#capabilities = capabilities;
  }

  async writeSpans(rows: SpanRows, { deduplicationToken: token, signal }: WriteOptions): Promise<void> {
    if (signal?.aborted) {
      throw new StorageError("STORAGE_ABORTED", "the caller gave up");
    }
    if (rows.count === 0 || this.#progress.isWhole(token)) {
      return;
    }
    const spans = spansOfRows(rows);
    const done = this.#progress.partsOf(token);
    try {
      // The call carries the tenant of the first span, because servers may refuse calls without a tenant.
      const tenant = spans[0]?.tenant ?? "";
      const { streamingSpanWriter } = await this.#capabilities.known({ tenant, ...optional(signal) });
      if (streamingSpanWriter) {
        await this.#stream(spans, done, signal);
      } else {
        await this.#writeEach(spans, done, signal);
      }
    } catch (error) {
      this.#capabilities.forget();
      throw error;
    }
    this.#progress.setWhole(token);
  }

  async #stream(spans: readonly TenantSpan[], done: Set<number>, signal?: AbortSignal): Promise<void> {
    for (const [tenant, indexes] of indexesByTenant(spans)) {
      const left = indexes.filter((index) => !done.has(index));
      for (let first = 0; first < left.length; first += spansPerStream) {
        const part = left.slice(first, first + spansPerStream);
        const options = { tenant, ...optional(signal) };
        await this.#calls.upload(remoteMethods.writeSpanStream, requestsOf(spans, part), options);
        for (const index of part) {
          done.add(index);
        }
      }
    }
  }

  /** Writes each span with a separate call. A refused span does not prevent the others from being written. */
  async #writeEach(spans: readonly TenantSpan[], done: Set<number>, signal?: AbortSignal): Promise<void> {
    const refusals: StorageError[] = [];
    const left = spans.keys().filter((index) => !done.has(index));
    await inParallel(left, maxCalls, async (index) => {
      const { tenant, span } = spans[index] as TenantSpan;
      try {
        const request = { span: toApiV2Span(span) };
        await this.#calls.unary(remoteMethods.writeSpan, request, { tenant, ...optional(signal) }, true);
        done.add(index);
      } catch (error) {
        if (!(error instanceof StorageError) || error.code !== "STORAGE_REFUSED") {
          throw error;
        }
        refusals.push(error);
      }
    });
    const [first] = refusals;
    if (first === undefined) {
      return;
    }
    throw new StorageError(
      "STORAGE_REFUSED",
      `${refusals.length} of ${spans.length} spans are refused, the others stored: ${first.message}`,
      { cause: first },
    );
  }
}

function optional(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

function* requestsOf(spans: readonly TenantSpan[], indexes: readonly number[]): Generator<WriteSpanRequest> {
  for (const index of indexes) {
    yield { span: toApiV2Span((spans[index] as TenantSpan).span) };
  }
}

function indexesByTenant(spans: readonly TenantSpan[]): Map<string, number[]> {
  const indexes = new Map<string, number[]>();
  for (const [index, { tenant }] of spans.entries()) {
    const ofTenant = indexes.get(tenant);
    if (ofTenant === undefined) {
      indexes.set(tenant, [index]);
    } else {
      ofTenant.push(index);
    }
  }
  return indexes;
}

/** @throws StorageError STORAGE_REFUSED for bytes that are not valid rows */
export function spansOfRows(rows: SpanRows): TenantSpan[] {
  try {
    const scanner = new RowScanner();
    scanner.open(rows);
    const spans = readSpanRows(rows.bytes).map((span) => {
      scanner.next();
      const { bytes, tenantStart, tenantEnd } = scanner;
      return { tenant: Buffer.from(bytes.subarray(tenantStart, tenantEnd)).toString(), span };
    });
    // Throws when the bytes have more rows than were counted, or fewer.
    scanner.next();
    return spans;
  } catch (error) {
    const message = `rows cannot be read: ${(error as Error).message}`;
    throw new StorageError("STORAGE_REFUSED", message, { cause: error });
  }
}
