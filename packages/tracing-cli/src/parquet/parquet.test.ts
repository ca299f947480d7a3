import {
  createWriteStream,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { asyncBufferFromFile, parquetMetadataAsync } from "hyparquet";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { OtlpTraces } from "../otlp.ts";
import { ParquetSink } from "./parquet-sink.ts";
import { readParquetTraces } from "./read-traces.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tracing-parquet-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function written(name: string, traces: readonly unknown[]): Promise<string> {
  const path = join(folder, name);
  const target = createWriteStream(path);
  const sink = new ParquetSink(target, "test");
  for (const trace of traces) {
    await sink.add(trace as OtlpTraces);
  }
  await sink.end();
  target.end();
  await finished(target);
  return path;
}

async function read(path: string): Promise<unknown[]> {
  const messages: unknown[] = [];
  for await (const text of readParquetTraces(path)) {
    messages.push(JSON.parse(text));
  }
  return messages;
}

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const bare = {
  ...{ traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", name: "GET /", kind: 2 },
  ...{ startTimeUnixNano: "1769860830123456789", endTimeUnixNano: "1769860830123456790" },
  ...{ attributes: [], events: [], links: [], status: { code: 0 } },
};
const traceOf = (...spans: object[]) => ({
  resourceSpans: [
    {
      resource: { attributes: [text("service.name", "cart")] },
      scopeSpans: [{ scope: { attributes: [] }, spans }],
    },
  ],
});

test.each<[string, object]>([
  ["plain", {}],
  ["a child with a tracestate", { parentSpanId: "00f067aa0ba902b7", traceState: "ot=th:8" }],
  ["flags and counts of what was dropped", { flags: 257, droppedAttributesCount: 3, droppedLinksCount: 1 }],
  ["an end before its start", { endTimeUnixNano: "1769860830000000000" }],
  [
    "times after 2262",
    { startTimeUnixNano: "18446744073709551614", endTimeUnixNano: "18446744073709551615" },
  ],
  ["a kind that is not known", { kind: 9, status: { code: 2, message: "no \u0000 money ünd 😀" } }],
  [
    "each type of value, in order",
    {
      attributes: [
        text("text", "42"),
        { key: "int", value: { intValue: "9223372036854775807" } },
        { key: "double", value: { doubleValue: 3 } },
        { key: "nan", value: { doubleValue: "NaN" } },
        { key: "bool", value: { boolValue: false } },
        { key: "none", value: {} },
        { key: "bytes", value: { bytesValue: "/w==" } },
        { key: "list", value: { arrayValue: { values: [{ intValue: "1" }, {}, { arrayValue: {} }] } } },
        { key: "map", value: { kvlistValue: { values: [{ key: "a", value: { stringValue: "b" } }] } } },
        text("empty", ""),
      ],
    },
  ],
  ["repeated keys", { attributes: [text("a", "1"), text("b", "2"), text("a", "3")] }],
  [
    "keys that JavaScript treats as its own",
    { attributes: [text("1", "a"), text("__proto__", "b"), text("0", "")] },
  ],
  [
    "events and links",
    {
      events: [
        { timeUnixNano: "1769860830123456789", name: "exception", attributes: [text("exception.type", "E")] },
        { timeUnixNano: "18446744073709551615", attributes: [], droppedAttributesCount: 2 },
        { timeUnixNano: "0", name: "", attributes: [{ key: "n", value: { intValue: "1" } }] },
      ],
      links: [
        { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7", attributes: [], flags: 1 },
        {
          traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
          spanId: "00f067aa0ba902b8",
          traceState: "a=b",
          attributes: [text("k", "v")],
        },
      ],
    },
  ],
])("a span comes back as it was: %s", async (name, members) => {
  const trace = traceOf({ ...bare, ...members });
  expect(await read(await written(`${name}.parquet`, [trace]))).toEqual([trace]);
});

test("what spans share comes back in its groups", async () => {
  const trace = {
    resourceSpans: [
      {
        ...{
          schemaUrl: "https://a",
          resource: { attributes: [text("service.name", "a")], droppedAttributesCount: 1 },
        },
        scopeSpans: [
          {
            scope: { name: "lib", version: "1", attributes: [text("x", "y")] },
            schemaUrl: "https://b",
            spans: [bare, bare],
          },
        ],
      },
      { resource: { attributes: [] }, scopeSpans: [{ scope: { attributes: [] }, spans: [bare] }] },
    ],
  };
  expect(await read(await written("groups.parquet", [trace]))).toEqual([trace]);
});

test("many traces are parted into row groups and messages, and an empty export is a file", async () => {
  const spans = Array.from({ length: 25_001 }, (_, n) => ({
    ...bare,
    spanId: n.toString(16).padStart(16, "0"),
  }));
  const other = { ...bare, traceId: "00000000000000000000000000000001" };
  const path = await written("many.parquet", [traceOf(...spans), traceOf(other)]);
  const { row_groups: groups } = await parquetMetadataAsync(await asyncBufferFromFile(path));
  expect(groups.map(({ num_rows: rows }) => Number(rows))).toEqual([20_000, 5_002]);
  const messages = (await read(path)) as ReturnType<typeof traceOf>[];
  expect(messages.map((message) => message.resourceSpans[0]?.scopeSpans[0]?.spans.length)).toEqual([
    ...Array.from({ length: 12 }, () => 2_000),
    ...[1_001, 1],
  ]);
  expect(await read(await written("none.parquet", []))).toEqual([]);
}, 60_000);

test("long texts make smaller row groups", async () => {
  const long = { ...bare, attributes: [text("body", "x".repeat(1_000_000))] };
  const path = await written("long.parquet", [traceOf(...Array.from({ length: 40 }, () => long))]);
  const { row_groups: groups } = await parquetMetadataAsync(await asyncBufferFromFile(path));
  expect(groups.length).toBeGreaterThan(1);
});

test("a file that is cut, damaged or of somebody else is refused by name", async () => {
  const path = await written("whole.parquet", [traceOf(bare)]);
  const cut = join(folder, "cut.parquet");
  writeFileSync(cut, readFileSync(path));
  truncateSync(cut, statSync(path).size - 9);
  await expect(read(cut)).rejects.toThrow(/cut\.parquet/);
  writeFileSync(cut, "PAR1");
  await expect(read(cut)).rejects.toThrow(/cut\.parquet is cut/);
  const bytes = readFileSync(path);
  for (let at = 4; at < bytes.length; at += 97) {
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] ?? 0) ^ 0x55;
    writeFileSync(cut, damaged);
    // A value may be another one now; anything else is an error that names the file.
    await read(cut).catch((error: Error) => expect(error.message).toContain("cut.parquet"));
  }
});
