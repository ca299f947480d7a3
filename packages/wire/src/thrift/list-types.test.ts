import { describe, expect, test } from "vitest";
import { AgentPacketReader } from "../agent/agent-packet-reader.ts";
import { readSpanRows } from "../rows/read-span-rows.ts";
import { ThriftBatchTranscoder } from "./thrift-batch-transcoder.ts";

const stop = Buffer.of(0);
const binaryStop = 0;
const unknownField = 99;

function int(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function long(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value));
  return bytes;
}

function text(value: string): Buffer {
  return Buffer.concat([int(value.length), Buffer.from(value)]);
}

function field(type: number, id: number, value: Buffer): Buffer {
  return Buffer.concat([Buffer.of(type, 0, id), value]);
}

function list(type: number, ...elements: Buffer[]): Buffer {
  return Buffer.concat([Buffer.of(type), int(elements.length), ...elements]);
}

function span(name: string, ...more: Buffer[]): Buffer {
  const ids = [1, 2, 3, 4].map((id) => field(10, id, long(id)));
  return Buffer.concat([
    ...ids,
    field(11, 5, text(name)),
    field(8, 7, int(1)),
    field(10, 8, long(1_700_000_000_000_000)),
    field(10, 9, long(5)),
    ...more,
    stop,
  ]);
}

function batch(typeOfSpans: number, ...spans: Buffer[]): Buffer {
  const process = Buffer.concat([field(11, 1, text("shop")), stop]);
  return Buffer.concat([field(12, 1, process), field(15, 2, list(typeOfSpans, ...spans)), stop]);
}

const tag = Buffer.concat([field(11, 1, text("k")), field(8, 2, int(0)), field(11, 3, text("v")), stop]);

/** `emitBatch` in the old form of the binary protocol. */
function packet(message: Buffer): Buffer {
  return Buffer.concat([text("emitBatch"), Buffer.of(4), int(0), field(12, 1, message), stop]);
}

/**
 * The same messages were sent to Jaeger. It stores the expected values, but refuses the whole message when
 * tags are texts.
 */
describe("types of the elements of a Thrift list", () => {
  test.each<[name: string, message: Buffer, stored: readonly string[]]>([
    [
      "an empty unknown list of STOP",
      batch(12, span("a"), span("b", field(15, unknownField, list(binaryStop)))),
      ["a", "b"],
    ],
    [
      "an empty unknown list of type 99",
      batch(12, span("a"), span("b", field(15, unknownField, list(99)))),
      ["a", "b"],
    ],
    [
      "an empty unknown set of VOID",
      batch(12, span("a"), span("b", field(14, unknownField, list(1)))),
      ["a", "b"],
    ],
    [
      "an empty unknown map of STOP",
      batch(12, span("b", field(13, unknownField, Buffer.concat([Buffer.of(0, 0), int(0)]))), span("c")),
      ["b", "c"],
    ],
    ["spans as STOP", batch(binaryStop, span("a"), span("c")), ["a", "c"]],
    ["spans as type 99", batch(99, span("a"), span("c")), ["a", "c"]],
    ["no spans as STOP", batch(binaryStop), []],
    ["tags as STOP", batch(12, span("a", field(15, 10, list(binaryStop, tag))), span("c")), ["a", "c"]],
    [
      "tags that are texts",
      batch(12, span("a"), span("b", field(15, 10, list(11, text("x")))), span("c")),
      ["a", "b", "c"],
    ],
  ])("%s", (_name, message, stored) => {
    const { rows } = new ThriftBatchTranscoder().transcode(message);
    expect(readSpanRows(rows.bytes).map((row) => row.name)).toEqual(stored);
    const [read] = new AgentPacketReader("binary").read(packet(message));
    expect(read?.spanCount).toBe(stored.length);
  });

  test.each([0, 1, 99])(
    "an unknown list with elements of type %i has no known end: nothing is stored",
    (type) => {
      const message = batch(12, span("a"), span("b", field(15, unknownField, list(type, Buffer.of(1)))));
      expect(() => new ThriftBatchTranscoder().transcode(message)).toThrow(`Unknown data type ${type}`);
      expect(() => new AgentPacketReader("binary").read(packet(message))).toThrow("unknown type");
    },
  );

  test("the same lists in the compact protocol", () => {
    const compact = new AgentPacketReader("compact");
    // Fields 1 to 4 (i64), 5 (string), 7 (i32), 8 and 9 (i64), then the fields of `more`.
    const compactSpan = (...more: number[]) => [
      22,
      2,
      22,
      4,
      22,
      6,
      22,
      8,
      24,
      1,
      97,
      37,
      2,
      22,
      2,
      22,
      10,
      ...more,
      0,
    ];
    const send = (spansHeader: number, spans: number[]) =>
      compact.read(
        Buffer.from([
          ...[0x82, 0x81, 0, 9, ...Buffer.from("emitBatch"), 28],
          ...[28, 24, 1, 115, 0, 25, spansHeader, ...spans, 0, 0],
        ]),
      )[0]?.spanCount;
    expect(send(0x2c, [...compactSpan(), ...compactSpan()])).toBe(2);
    expect(send(0x20, [...compactSpan(), ...compactSpan()]), "spans as STOP").toBe(2);
    expect(send(0x00, []), "no spans as STOP").toBe(0);
    expect(send(0x2c, [...compactSpan(), ...compactSpan(0xa9, 0x00)]), "an empty unknown list of STOP").toBe(
      2,
    );
    expect(
      send(0x2c, [...compactSpan(), ...compactSpan(0x19, 0x10, 24, 1, 107, 21, 0, 24, 1, 118, 0)]),
      "tags",
    ).toBe(2);
    expect(() => send(0x2c, [...compactSpan(), ...compactSpan(0xa9, 0x10, 1)])).toThrow("unknown type 0");
  });
});
