import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { newToken, rowsOf } from "../../contract/contract-context.ts";
import { sampleSpan, text } from "../../contract/sample-spans.ts";
import { shareTestStore } from "../../testing/shared-test-store.ts";
import { ClickHouseConnection } from "./clickhouse-connection.ts";
import { ClickHouseSpanReader } from "./clickhouse-span-reader.ts";
import { SchemaGuard } from "./schema/schema-guard.ts";
import type { Parameters } from "./search-sql.ts";

const shared = shareTestStore();
const { database } = shared;
let connection: ClickHouseConnection;

beforeAll(async () => {
  connection = new ClickHouseConnection({
    urls: [shared.url],
    ...{ user: "default", password: "", database },
    ...{ requestTimeoutMs: 60_000, maxConnections: 4, maxReadBytes: 1_000_000 },
  });
});
afterAll(() => connection.close());

// Time slices end at whole minutes. Fake time keeps the number of slices independent of the second at which the test
// runs.
beforeEach(() => {
  const minuteMs = 60_000;
  vi.useFakeTimers({ toFake: ["Date"], now: Math.floor(Date.now() / minuteMs) * minuteMs - 15_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a search of a store with too many spans", () => {
  test("finds what it finds otherwise, newest first", async () => {
    const nowNano = BigInt(Date.now()) * 1_000_000n;
    const agesMs = [0, 1_000, 9_000, 30_000, 50_000, 200_000, 900_000, 9_000_000, 9_060_000, 300_000_000];
    const spans = agesMs.map((ms) =>
      sampleSpan({ service: "dense", startTimeUnixNano: nowNano - BigInt(ms) * 1_000_000n }),
    );
    await shared.store.writer.writeSpans(rowsOf(...spans), { deduplicationToken: newToken() });
    const schema = new SchemaGuard(connection, database);
    const settings = { database, maxReadBytes: 1_000_000 };
    // Every search that would read more than one row is refused and then repeated in pieces. The same holds for joined
    // slices.
    const dense = new ClickHouseSpanReader(connection, schema, settings, {
      maxDenseRows: 1,
      maxSparseRows: 1,
    });
    const densePresent = new ClickHouseSpanReader(connection, schema, settings, { maxPresentRows: 1 });
    for (const limit of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12]) {
      const query = { service: "dense", limit };
      const newest = spans.slice(0, limit).map(({ traceId }) => traceId);
      expect(await dense.findTraceIds(query)).toEqual(newest);
      expect(await densePresent.findTraceIds(query)).toEqual(newest);
      expect(await shared.store.reader.findTraceIds(query)).toEqual(newest);
    }
  });
});

describe("a search of a service with many spans a minute", () => {
  test("begins with the newest seconds, once a statement for the minute was refused", async () => {
    const nowNano = BigInt(Date.now()) * 1_000_000n;
    const spans = [0, 100, 25_000, 55_000].map((ms) =>
      sampleSpan({ service: "present", startTimeUnixNano: nowNano - BigInt(ms) * 1_000_000n }),
    );
    await shared.store.writer.writeSpans(rowsOf(...spans), { deduplicationToken: newToken() });
    const settings = { database, maxReadBytes: 1_000_000 };
    const schema = new SchemaGuard(connection, database);
    const reader = new ClickHouseSpanReader(connection, schema, settings, { maxPresentRows: 1 });
    const asked = vi.spyOn(connection, "rows");
    const refused = async (limit: number) => {
      asked.mockClear();
      const newest = spans.slice(0, limit).map(({ traceId }) => traceId);
      expect(await reader.findTraceIds({ service: "present", limit })).toEqual(newest);
      return asked.mock.calls.map(([sql]) => /max_rows_to_read = 1$/.test(sql));
    };
    // The first search also reads the schema.
    await reader.findTraceIds({ service: "another", limit: 1 });
    expect(await refused(2)).toEqual([true, false]);
    expect(await refused(2)).toEqual([false]);
    expect(await refused(4)).toEqual([false, false, false]);
    asked.mockRestore();
  });
});

describe("a search for something rare", () => {
  test("asks for older slices of time in one statement, which finds them newest first", async () => {
    const nowNano = BigInt(Date.now()) * 1_000_000n;
    const spans = [0n, 300n, 1_800n, 7_200n, 86_400n].map((seconds) =>
      sampleSpan({ service: "rare", startTimeUnixNano: nowNano - seconds * 1_000_000_000n }),
    );
    await shared.store.writer.writeSpans(rowsOf(...spans), { deduplicationToken: newToken() });
    const schema = new SchemaGuard(connection, database);
    // Makes a reader that remembers no earlier search.
    const newReader = () =>
      new ClickHouseSpanReader(connection, schema, { database, maxReadBytes: 1_000_000 });
    // The very first search also reads the schema.
    expect(await newReader().findTraceIds({ service: "rare", limit: 5 })).toHaveLength(5);
    const asked = vi.spyOn(connection, "rows");
    const statements = async (startTimeMinUnixNano: bigint, limit: number, reader = newReader()) => {
      asked.mockClear();
      const found = await reader.findTraceIds({ service: "rare", startTimeMinUnixNano, limit });
      expect(found).toEqual(spans.slice(0, found.length).map(({ traceId }) => traceId));
      return [found.length, asked.mock.calls.length];
    };
    const hour = 3_600_000_000_000n;
    expect(await statements(nowNano - hour, 20)).toEqual([3, 2]);
    expect(await statements(nowNano - 72n * hour, 20)).toEqual([5, 4]);
    // One match per minute: a quarter of an hour should have sixteen.
    expect(await statements(nowNano - hour, 2)).toEqual([2, 2]);
    expect(await statements(nowNano - hour, 3)).toEqual([3, 3]);
    // A reader that remembers the first search starts with the whole range.
    const reader = newReader();
    expect(await statements(nowNano - hour, 20, reader)).toEqual([3, 2]);
    expect(await statements(nowNano - hour, 20, reader)).toEqual([3, 1]);
    asked.mockRestore();
  });

  test("begins with all the time that a duration of the same magnitude took", async () => {
    const nowNano = BigInt(Date.now()) * 1_000_000n;
    const spans = [300n, 1_800n].map((seconds, index) =>
      sampleSpan({
        ...{ service: "slow", durationNano: BigInt(index + 3) * 1_000_000_000n },
        startTimeUnixNano: nowNano - seconds * 1_000_000_000n,
      }),
    );
    await shared.store.writer.writeSpans(rowsOf(...spans), { deduplicationToken: newToken() });
    const reader = new ClickHouseSpanReader(connection, new SchemaGuard(connection, database), {
      ...{ database, maxReadBytes: 1_000_000 },
    });
    await reader.getServices();
    const asked = vi.spyOn(connection, "rows");
    const statements = async (seconds: number) => {
      asked.mockClear();
      const found = await reader.findTraceIds({
        ...{ service: "slow", startTimeMinUnixNano: nowNano - 3_600_000_000_000n, limit: 20 },
        durationMinNano: BigInt(seconds * 1e9),
      });
      return [found.map((id) => spans.findIndex(({ traceId }) => traceId === id)), asked.mock.calls.length];
    };
    expect(await statements(3)).toEqual([[0, 1], 2]);
    expect(await statements(3.5)).toEqual([[1], 1]);
    expect(await statements(4)).toEqual([[1], 1]);
    expect(await statements(5)).toEqual([[], 2]);
    asked.mockRestore();
  });
});

describe("a search of no time at all", () => {
  test("leaves nothing behind that the next search would begin with", async () => {
    const nowNano = BigInt(Date.now()) * 1_000_000n;
    const span = sampleSpan({ service: "moment", startTimeUnixNano: nowNano - 1_800_000_000_000n });
    await shared.store.writer.writeSpans(rowsOf(span), { deduplicationToken: newToken() });
    const reader = new ClickHouseSpanReader(connection, new SchemaGuard(connection, database), {
      ...{ database, maxReadBytes: 1_000_000 },
    });
    const find = (startTimeMinUnixNano: bigint, startTimeMaxUnixNano: bigint) =>
      reader.findTraceIds({ service: "moment", limit: 20, startTimeMinUnixNano, startTimeMaxUnixNano });
    const hourAgo = nowNano - 3_600_000_000_000n;
    const spanOf = [span.traceId];
    expect(await find(hourAgo, nowNano)).toEqual(spanOf);
    expect(await find(hourAgo, hourAgo)).toEqual([]);
    expect(await find(hourAgo, nowNano)).toEqual(spanOf);
    expect(await find(2n * nowNano, 2n * nowNano)).toEqual([]);
    expect(await find(hourAgo, nowNano)).toEqual(spanOf);
  });
});

describe("a search by a tag that was rare the last time", () => {
  test("asks for all that time in one statement, whatever value is sought", async () => {
    const nowNano = BigInt(Date.now()) * 1_000_000n;
    const ids = ["a", "b", "c", "d"];
    const spans = [300n, 1_800n, 7_200n, 86_400n].map((seconds, index) =>
      sampleSpan({
        ...{ service: "asked", startTimeUnixNano: nowNano - seconds * 1_000_000_000n },
        attributes: [
          { key: "request", value: { type: "string", value: ids[index] as string } },
          { key: "all", value: { type: "bool", value: true } },
        ],
      }),
    );
    await shared.store.writer.writeSpans(rowsOf(...spans), { deduplicationToken: newToken() });
    const schema = new SchemaGuard(connection, database);
    const settings = { database, maxReadBytes: 1_000_000 };
    const reader = new ClickHouseSpanReader(connection, schema, settings);
    await reader.findTraceIds({ service: "asked", limit: 1 });
    const asked = vi.spyOn(connection, "rows");
    const hour = 3_600_000_000_000n;
    const statements = async (
      from: ClickHouseSpanReader,
      [key, value]: readonly [string, string],
      hours: bigint,
      limit = 20,
    ) => {
      asked.mockClear();
      const tags = new Map([[key, value]]);
      const found = await from.findTraceIds({ tags, startTimeMinUnixNano: nowNano - hours * hour, limit });
      return [found.map((id) => spans.findIndex(({ traceId }) => traceId === id)), asked.mock.calls.length];
    };
    expect(await statements(reader, ["request", "b"], 1n)).toEqual([[1], 2]);
    expect(await statements(reader, ["request", "a"], 1n)).toEqual([[0], 1]);
    expect(await statements(reader, ["request", "nobody's"], 1n)).toEqual([[], 1]);
    // The remembered hour is searched first, then a slice of sixteen hours, then the rest.
    expect(await statements(reader, ["request", "c"], 72n)).toEqual([[2], 2]);
    expect(await statements(reader, ["request", "d"], 72n)).toEqual([[3], 1]);
    expect(await statements(reader, ["all", "true"], 72n)).toEqual([[0, 1, 2, 3], 4]);
    expect(await statements(reader, ["all", "true"], 72n, 4)).toEqual([[0, 1, 2, 3], 1]);
    expect(await statements(reader, ["all", "true"], 72n)).toEqual([[0, 1, 2, 3], 4]);
    // A statement that would read more than one row is refused, but only once.
    const tight = new ClickHouseSpanReader(connection, schema, settings, { maxSparseRows: 1 });
    const before = await statements(tight, ["request", "b"], 1n);
    expect(before[0]).toEqual([1]);
    expect(await statements(tight, ["request", "b"], 1n)).toEqual([[1], (before[1] as number) + 1]);
    expect(await statements(tight, ["request", "b"], 1n)).toEqual(before);
    asked.mockRestore();
  });
});

describe("a search that the newest minute nearly satisfies", () => {
  test("asks for few more minutes", async () => {
    const nowNano = BigInt(Date.now()) * 1_000_000n;
    // Four spans in the last minute, then two per minute for an hour and a half.
    const seconds = [1, 2, 3, 4, ...Array.from({ length: 180 }, (_, index) => 125 + 30 * index)];
    const spans = seconds.map((second) =>
      sampleSpan({ service: "even", startTimeUnixNano: nowNano - BigInt(second) * 1_000_000_000n }),
    );
    await shared.store.writer.writeSpans(rowsOf(...spans), { deduplicationToken: newToken() });
    const reader = new ClickHouseSpanReader(connection, new SchemaGuard(connection, database), {
      ...{ database, maxReadBytes: 1_000_000 },
    });
    await reader.findTraceIds({ service: "even", limit: 1 });
    const asked = vi.spyOn(connection, "rows");
    for (const limit of [5, 6, 20, 100, 184, 200]) {
      asked.mockClear();
      const found = await reader.findTraceIds({ service: "even", limit });
      expect(found).toEqual(spans.slice(0, limit).map(({ traceId }) => traceId));
      if (limit === 5) {
        const [[, newest], [, next]] = asked.mock.calls as [[string, Parameters], [string, Parameters]];
        const from = ({ startMin }: Parameters) => BigInt(startMin as string);
        expect(asked).toHaveBeenCalledTimes(2);
        expect(Number(from(newest) - from(next)) / 60e9).toBeLessThanOrEqual(3);
      }
    }
    asked.mockRestore();
  });
});

describe("a search for a tag of a service", () => {
  test("asks no index of a small newest minute, and the indexes once it was too large for that", async () => {
    const nowNano = BigInt(Date.now()) * 1_000_000n;
    const tagged = ["int", "string", "resource", "event"] as const;
    const spans = tagged.map((where, index) => {
      const attribute = { key: "code", value: { type: "string", value: "503" } } as const;
      const event = { timeUnixNano: nowNano, name: "failed", attributes: [attribute] };
      return sampleSpan({
        ...{ service: "tagged", startTimeUnixNano: nowNano - BigInt(index + 1) * 1_000_000n },
        attributes:
          where === "int"
            ? [{ key: "code", value: { type: "int", value: 503n } }]
            : where === "string"
              ? [attribute]
              : [],
        ...(where === "resource" ? { resource: { attributes: [attribute], droppedAttributesCount: 0 } } : {}),
        ...(where === "event" ? { events: [{ ...event, droppedAttributesCount: 0 }] } : {}),
      });
    });
    const other = sampleSpan({ service: "tagged", startTimeUnixNano: nowNano, attributes: [] });
    await shared.store.writer.writeSpans(rowsOf(...spans, other), { deduplicationToken: newToken() });
    const found = spans.map(({ traceId }) => traceId);
    const query = { service: "tagged", tags: new Map([["code", "503"]]), limit: 4 };
    const schema = new SchemaGuard(connection, database);
    const settings = { database, maxReadBytes: 1_000_000 };
    const asked = vi.spyOn(connection, "rows");
    const statements = async (reader: ClickHouseSpanReader) => {
      asked.mockClear();
      expect(await reader.findTraceIds(query)).toEqual(found);
      return asked.mock.calls.map(([sql]) => (/use_skip_indexes = 0/.test(sql) ? "plain" : "indexed"));
    };
    const roomy = new ClickHouseSpanReader(connection, schema, settings);
    await roomy.findTraceIds(query);
    expect(await statements(roomy)).toEqual(["plain"]);
    const tight = new ClickHouseSpanReader(connection, schema, settings, { maxSmallRows: 1 });
    expect(await statements(tight)).toEqual(["plain", "indexed"]);
    expect(await statements(tight)).toEqual(["indexed"]);
    asked.mockRestore();
  });
});

describe("outlines of traces", () => {
  test("are read without the columns that hold most bytes of a span", async () => {
    const span = sampleSpan({ attributes: [text("body", "x".repeat(100_000))] });
    await shared.store.writer.writeSpans(rowsOf(span), { deduplicationToken: newToken() });
    // One whole span would exceed the size limit of an answer.
    const settings = { database, maxReadBytes: 10_000 };
    const reader = new ClickHouseSpanReader(connection, new SchemaGuard(connection, database), settings);
    const [outline] = await reader.getOutlines([span.traceId]);
    expect(outline?.spans.at(0)).toEqual({ ...span, attributes: [], events: [] });
    await expect(reader.getPackedTraces([span.traceId])).rejects.toThrow();
  });
});
