import type { Trace, WriteOptions } from "storage/api";
import { StorageError } from "storage/errors";
import type { QuerySource, SourceSearch } from "storage/grpc";
import { expect, test } from "vitest";
import type { Span } from "wire/model";
import { readSpanRows, type SpanRows } from "wire/rows";
import { type CopyRange, copyTraces } from "./copy-traces.ts";

const hour = 3_600_000_000_000n;
const first = BigInt(Date.UTC(2026, 10, 1)) * 1_000_000n;
const range: CopyRange = {
  ...{ fromUnixNano: first, toUnixNano: first + 3n * hour, sliceNano: hour },
  ...{ maxTraces: 50, tenant: "acme" },
};
const hex = (number: number, digits: number) => number.toString(16).padStart(digits, "0");

function span(trace: number, id: number, service: string, startTimeUnixNano: bigint): Span {
  return {
    ...{ traceId: hex(trace, 32), spanId: hex(id, 16), parentSpanId: "", traceState: "", flags: 0 },
    ...{ format: "otlp", name: "GET /", kind: "server", startTimeUnixNano, durationNano: 1_000n },
    ...{ attributes: [], events: [], links: [], warnings: [], status: { code: "unset", message: "" } },
    ...{ droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
    resource: {
      serviceName: service,
      attributes: [{ key: "service.name", value: { type: "string", value: service } }],
      ...{ droppedAttributesCount: 0, schemaUrl: "" },
    },
    scope: { name: "", version: "", attributes: [], droppedAttributesCount: 0, schemaUrl: "" },
  };
}

/** A backend that searches as Jaeger does: whole traces, of which at most `limit`. */
class FakeSource implements QuerySource {
  readonly searches: SourceSearch[] = [];
  readonly #traces: readonly Trace[];
  failAt = Number.POSITIVE_INFINITY;
  tooLargeOver = Number.POSITIVE_INFINITY;
  /** True: the limit counts matching spans, as with Badger. */
  countsSpans = false;

  constructor(spans: readonly Span[]) {
    const byTrace = Map.groupBy(spans, ({ traceId }) => traceId);
    this.#traces = [...byTrace].map(([traceId, ofTrace]) => ({ traceId, spans: ofTrace }));
  }

  async services() {
    return [
      ...new Set(this.#traces.flatMap(({ spans }) => spans.map((one) => one.resource.serviceName))),
    ].sort();
  }

  async findTraces(search: SourceSearch) {
    this.searches.push(search);
    if (this.searches.length >= this.failAt) {
      throw new StorageError("STORAGE_UNAVAILABLE", "the source is away");
    }
    const found = this.#traces.filter(({ spans }) =>
      spans.some(
        (one) =>
          one.resource.serviceName === search.service &&
          one.startTimeUnixNano >= search.fromUnixNano &&
          one.startTimeUnixNano <= search.toUnixNano,
      ),
    );
    if (found.length > this.tooLargeOver) {
      throw new StorageError("STORAGE_TOO_LARGE", "too large");
    }
    const perTrace = this.countsSpans ? Math.max(1, ...found.map(({ spans }) => spans.length)) : 1;
    return found.slice(0, Math.ceil(search.limit / perTrace));
  }

  close() {}
}

/** A store that forgets blocks whose token it knows. */
class FakeWriter {
  readonly spans: Span[] = [];
  readonly days: number[] = [];
  readonly #tokens = new Set<string>();

  async writeSpans(rows: SpanRows, { deduplicationToken, receivedUnixMs = 0 }: WriteOptions) {
    if (!this.#tokens.has(deduplicationToken)) {
      this.#tokens.add(deduplicationToken);
      this.spans.push(...readSpanRows(rows.bytes));
      this.days.push(receivedUnixMs);
    }
  }

  get ids() {
    return this.spans.map(({ traceId, spanId }) => `${traceId} ${spanId}`);
  }
}

const ignore = () => {};

test("a trace of several services and slices is copied once, by its first span", async () => {
  const source = new FakeSource([
    span(1, 1, "shop", first + hour - 5n),
    span(1, 2, "cart", first + hour + 5n),
    span(1, 3, "shop", first + 2n * hour),
    span(2, 4, "cart", first + hour),
    span(3, 5, "shop", first - 1n),
    span(3, 6, "cart", first + 10n),
    span(4, 7, "cart", first + 3n * hour),
  ]);
  const writer = new FakeWriter();
  const ends: bigint[] = [];
  const counts = await copyTraces(source, writer, range, (_, done) => ends.push(done));
  expect(writer.ids.sort()).toEqual(
    [1, 2, 3].map((id) => `${hex(1, 32)} ${hex(id, 16)}`).concat(`${hex(2, 32)} ${hex(4, 16)}`),
  );
  expect(counts).toMatchObject({ traces: 2, spans: 4 });
  // The day of the slice, so that retention drops old spans as if they had arrived then.
  expect(writer.days).toEqual([first, first + hour].map((nano) => Number(nano / 1_000_000n)));
  expect(ends).toEqual([1n, 2n, 3n].map((slice) => first + slice * hour));
});

test.each([
  ["answers", {}],
  ["bytes", { tooLargeOver: 20 }],
])("a search with too many %s is cut until all are found", async (_, limits) => {
  const spans = Array.from({ length: 1_500 }, (_none, index) =>
    span(index + 1, index + 1, "shop", first + (BigInt(index) * 3n * hour) / 1_500n),
  );
  const source = Object.assign(new FakeSource(spans), limits);
  const writer = new FakeWriter();
  expect(await copyTraces(source, writer, range, ignore)).toMatchObject({ traces: 1_500, spans: 1_500 });
  expect(new Set(writer.ids).size).toBe(1_500);
});

test("a source that counts spans against the limit loses no trace", async () => {
  const spans = Array.from({ length: 2_000 }, (_, index) =>
    span(
      Math.floor(index / 20) + 1,
      index + 1,
      "shop",
      first + BigInt(Math.floor(index / 20)) * 60_000_000_000n,
    ),
  );
  const source = Object.assign(new FakeSource(spans), { countsSpans: true });
  const writer = new FakeWriter();
  expect(await copyTraces(source, writer, range, ignore)).toMatchObject({ traces: 100, spans: 2_000 });
});

test.each([
  [60, undefined],
  [5_001, "5000 spans of shop or more start at 2026-11-01T00:00:00.000Z: give a larger --max-traces"],
])("%i traces at once are copied, or are an error, but never left out", async (count, message) => {
  const spans = Array.from({ length: count }, (_, index) => span(index + 1, index + 1, "shop", first + 7n));
  const copied = copyTraces(new FakeSource(spans), new FakeWriter(), range, ignore);
  if (message === undefined) {
    expect(await copied).toMatchObject({ traces: count });
  } else {
    await expect(copied).rejects.toThrow(message);
  }
});

test("a copy that is repeated stores nothing twice", async () => {
  const spans = Array.from({ length: 101 }, (_, index) =>
    span(index + 1, index + 1, "shop", first + BigInt(index) * 100_000_000_000n),
  );
  const writer = new FakeWriter();
  const failing = Object.assign(new FakeSource(spans), { failAt: 2 });
  let done = first;
  const note = (_: unknown, end: bigint) => {
    done = end;
  };
  await expect(copyTraces(failing, writer, range, note)).rejects.toThrow("the source is away");
  expect(done).toBe(first + hour);
  // Once from the place that is told, and once from the beginning; the source answers in another order.
  for (const from of [done, first]) {
    await copyTraces(new FakeSource(spans.toReversed()), writer, { ...range, fromUnixNano: from }, ignore);
  }
  expect([writer.ids.length, new Set(writer.ids).size]).toEqual([101, 101]);
});
