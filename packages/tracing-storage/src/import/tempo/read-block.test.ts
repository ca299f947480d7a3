import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Span } from "wire/model";
import type { Group } from "./attribute-values.ts";
import { readBlock } from "./read-block.ts";
import { spansOfRow } from "./spans-of-row.ts";

const blocks = join(import.meta.dirname, "testing/blocks");
const start = 1769860830123456789n;
const dedicated = {
  resource: [{ key: "region", column: "String01" }],
  span: [
    { key: "http.route", column: "String01" },
    { key: "user.id", column: "String02" },
    { key: "http.response.status_code", column: "Int01" },
    { key: "nowhere", column: "String99" },
  ],
  event: [
    { key: "exception.type", column: "String01" },
    { key: "code", column: "Int01" },
  ],
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tempo-blocks-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function rowsIn(path: string): Promise<readonly Group[]> {
  const file = await open(path);
  try {
    const rows: Group[] = [];
    for await (const batch of readBlock(file)) {
      rows.push(...batch);
    }
    return rows;
  } finally {
    await file.close();
  }
}

async function spansIn(path: string): Promise<Span[]> {
  return (await rowsIn(path)).flatMap((row) => [...spansOfRow(row, dedicated)]);
}

const text = (key: string, value: string) => ({ key, value: { type: "string", value } as const });
const int = (key: string, value: bigint) => ({ key, value: { type: "int", value } as const });

/** The first two spans of a block of `make-blocks.py`. */
function expected(version: number): Span[] {
  const resource = {
    serviceName: "shop",
    attributes: [
      text("service.name", "shop"),
      ...(version === 5 ? [] : [text("k8s.pod.name", "pod-1")]),
      ...[text("region", "eu"), int("host.cpus", 4n)],
    ],
    ...{ droppedAttributesCount: 0, schemaUrl: "" },
  };
  const scope = { name: "lib", version: "1.2", attributes: [], droppedAttributesCount: 0, schemaUrl: "" };
  const users: Span["attributes"][number] =
    version === 5
      ? { key: "user.id", value: { type: "array", value: [text("", "u1").value, text("", "admin").value] } }
      : text("user.id", "u1");
  const shared = { traceId: "00000000000000000000000000000001", flags: 0, resource } as const;
  const none = { format: "otlp", warnings: [], droppedEventsCount: 0 } as const;
  return [
    {
      ...{ ...shared, ...none, spanId: "0000000000000001", parentSpanId: "", traceState: "ot=th:8" },
      ...{ name: "GET /", kind: "server", startTimeUnixNano: start, durationNano: 1_000n, scope },
      attributes: [
        ...(version === 5 ? [] : [text("http.method", "GET"), int("http.status_code", 200n)]),
        ...[text("http.route", "/cart"), users],
        ...(version === 5 ? [int("http.response.status_code", 200n)] : []),
        ...[text("text", "a"), int("int", -9_007_199_254_740_993n)],
        { key: "double", value: { type: "double", value: 1.5 } },
        { key: "bool", value: { type: "bool", value: false } },
        { key: "texts", value: { type: "array", value: [text("", "x").value, text("", "y").value] } },
        { key: "map", value: { type: "kvlist", value: [int("k", 7n)] } },
      ],
      events: [
        {
          ...{ timeUnixNano: start + 5n, name: "exception", droppedAttributesCount: 1 },
          attributes: [
            ...(version === 5 ? [text("exception.type", "Oops"), int("code", 9n)] : []),
            text("exception.message", "broken"),
          ],
        },
      ],
      links: [
        {
          ...{ traceId: "00000000000000000000000000000007", spanId: "0000000000000008", traceState: "a=b" },
          ...{ attributes: [text("why", "retry")], droppedAttributesCount: 0, flags: 0, refType: "none" },
        },
      ],
      ...{
        droppedAttributesCount: 0,
        droppedLinksCount: 0,
        status: { code: "error", message: "no money ☕" },
      },
    },
    {
      ...{ ...shared, ...none, spanId: "0000000000000002", parentSpanId: "0000000000000001", traceState: "" },
      ...{ name: "charge", kind: "client", startTimeUnixNano: start + 1n, durationNano: 1_000n },
      ...{ scope: { ...scope, name: "" }, attributes: [], events: [], links: [] },
      ...{ droppedAttributesCount: 1, droppedLinksCount: 4, status: { code: "unset", message: "" } },
    },
  ];
}

test.each([
  ["pyarrow-v3-snappy", 3, 6],
  ["pyarrow-v4-zstd", 4, 6],
  ["pyarrow-v4-gzip", 4, 4],
  ["pyarrow-v4-lz4", 4, 4],
  ["pyarrow-v4-brotli", 4, 4],
  ["pyarrow-v5-none", 5, 6],
])("%s is read whole", async (name, version, count) => {
  const spans = await spansIn(join(blocks, `${name}.parquet`));
  expect(spans.slice(0, 2)).toEqual(expected(version));
  expect(spans).toHaveLength(count);
});

test("a block of the library that Tempo writes with is read over its row groups", async () => {
  const spans = await spansIn(join(blocks, "parquet-go-v4.parquet"));
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(25);
  expect(spans[4]).toMatchObject({
    ...{ spanId: "0000000000000102", parentSpanId: "0000000000000101", name: "op 1" },
    attributes: [text("http.method", "GET"), int("http.status_code", 201n), text("user.id", "user 1")],
  });
  expect(spans[0]?.attributes.map(({ key, value }) => [key, value.type])).toEqual([
    ...[
      ["text", "string"],
      ["int", "int"],
      ["double", "double"],
      ["bool", "bool"],
    ],
    ...[
      ["texts", "array"],
      ["nothing", "array"],
      ["map", "kvlist"],
    ],
  ]);
});

/** A file whose column `TraceID` has these rows, all null but the last; a level of nulls takes almost no bytes. */
function fileOf(change: (file: ParquetWriter) => void): string {
  const writer = new ByteWriter();
  const file = new ParquetWriter({
    writer,
    schema: [
      { name: "root", num_children: 2 },
      { name: "TraceID", type: "BYTE_ARRAY", repetition_type: "OPTIONAL" },
      { name: "rs", type: "BYTE_ARRAY", repetition_type: "OPTIONAL" },
    ],
  });
  const data = [new Uint8Array([1])];
  file.write({
    columnData: [
      { name: "TraceID", data },
      { name: "rs", data },
    ],
  });
  change(file);
  file.finish();
  const path = join(folder, "made.parquet");
  writeFileSync(path, writer.getBytes());
  return path;
}

test.each<[string, (file: ParquetWriter) => void, string]>([
  [
    "rows",
    (file) => {
      (file.row_groups[0] as { num_rows: bigint }).num_rows = 4_000_000_000n;
    },
    "row group 0 has 4000000000 rows; the limit is 10000000",
  ],
  [
    "values",
    (file) => {
      (file.row_groups[0]?.columns[1]?.meta_data as { num_values: bigint }).num_values = 1n << 40n;
    },
    "rs has 1099511627776 values; the limit is 50000000",
  ],
  [
    "bytes",
    (file) => {
      (file.row_groups[0]?.columns[0]?.meta_data as { total_compressed_size: bigint }).total_compressed_size =
        1n << 40n;
    },
    "the index names bytes",
  ],
  [
    "columns",
    (file) => {
      file.schema.push(
        ...Array.from({ length: 3_000 }, (_, n) => ({ name: `c${n}`, type: "INT32" as const })),
      );
    },
    "the file has 3003 columns; the limit is 2000",
  ],
])("an index that says too many %s is refused before they are read", async (_, change, message) => {
  await expect(rowsIn(fileOf(change))).rejects.toThrow(message);
});

test("a page that unpacks to more than the limit is refused", async () => {
  const path = join(blocks, "pyarrow-v3-snappy.parquet");
  const bytes = readFileSync(path);
  // The header of the first page begins with its type, then its unpacked size as a zigzag number.
  expect([...bytes.subarray(4, 7)]).toEqual([0x15, bytes[5], 0x15]);
  const huge = Buffer.concat([bytes.subarray(0, 6), bytes.subarray(6)]);
  huge.set([0x15, 0xfe, 0xff, 0xff, 0xff, 0x0f], 6);
  writeFileSync(join(folder, "bomb.parquet"), huge);
  await expect(rowsIn(join(folder, "bomb.parquet"))).rejects.toThrow(/the limit is 67108864|parquet|thrift/);
});

test("a file that is cut anywhere is an error", async () => {
  const bytes = readFileSync(join(blocks, "pyarrow-v4-zstd.parquet"));
  const path = join(folder, "cut.parquet");
  for (let length = 0; length < bytes.length; length += 1_013) {
    writeFileSync(path, bytes.subarray(0, length));
    await expect(rowsIn(path)).rejects.toThrow(/cut|does not end as Parquet/);
  }
});

test("a damaged byte gives other values or an error, and never hangs", async () => {
  for (const name of readdirSync(blocks)) {
    const bytes = readFileSync(join(blocks, name));
    const path = join(folder, "damaged.parquet");
    for (let at = 5; at < bytes.length; at += 1_499) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 0xff;
      writeFileSync(path, damaged);
      await spansIn(path).catch((error: unknown) => expect(error).toBeInstanceOf(Error));
    }
  }
}, 120_000);
