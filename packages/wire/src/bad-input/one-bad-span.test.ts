// One bad span must affect only that span, with every decoder. docs/faults.md has the table.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type ProtoField, protoMessage } from "../testing/proto-fields.ts";
import {
  badIds as ids,
  otlp,
  otlpJson,
  otlpPieces,
  postSpans,
  takes,
  thriftBatch,
  zipkinJson,
  zipkinProto,
  zipkinProtoIds,
  zipkinThrift,
} from "../testing/three-spans.ts";

type DecoderName = keyof typeof takes;
/**
 * The expected result for the second of three spans. A plain text is the reason why the format cannot have such bytes.
 * - `"�"` accepted with U+FFFD
 * - `"warned"` accepted with a part dropped or cut, and a warning
 * - `"taken"` accepted unchanged
 * - `"rejected"` only this span is rejected
 */
type Cell = readonly ["�" | "warned" | "taken" | "rejected", message: Buffer] | string;
type Row = Readonly<Record<keyof typeof columns, Cell>>;

const columns = {
  utf8: "text that is no UTF-8",
  deep: "a value nested too deep",
  large: "a span with no room left",
  id: "a trace or span id that is empty or of a wrong length",
  parent: "a parent id of a wrong length",
  time: "a time that is none",
  type: "a value of a wrong type",
  part: "an optional part of a wrong type",
  cut: "broken inside",
} as const;

const named: ProtoField = [5, "bytes", "bad"];
const big = "x".repeat(5_000);
const maxRowsBytes = 4_000;
const shortSpanId: ProtoField[] = [
  [1, "bytes", Buffer.alloc(16, 1)],
  [2, "bytes", Buffer.alloc(7, 1)],
];
const nestedArrays = (): Uint8Array => {
  let value: Uint8Array = protoMessage([1, "bytes", "x"]);
  for (let level = 0; level < 150; level++) {
    value = protoMessage([5, "bytes", [[1, "bytes", value]]]);
  }
  return value;
};
const nestedJson = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const nestedOtlpJson = (levels: number) =>
  `${'{"arrayValue":{"values":['.repeat(levels)}{"intValue":1}${"]}}".repeat(levels)}`;

/** Replaces the "@" of "b@d" by a byte that is not valid UTF-8. */
function withBadByte(message: Buffer): Buffer {
  const bytes = Buffer.from(message);
  bytes[bytes.indexOf("b@d") + 1] = 0xff;
  return bytes;
}

const noNumbers = "times are integers of 64 bits";
const noParts = "the format has no such value";
const noIds = "ids are integers of 64 bits, and 0 is one";
const inPackets = "a packet has 65,000 bytes";
const fieldsOfAnotherType = "the column before says it: a field of another type is an unknown one";
const resyncs = "a struct of Thrift that is broken inside has no end: the message is none";

/**
 * Binary protocol: the name's field header is 7 bytes before the name. With an unknown field id the name is skipped.
 */
const withoutName = (message: Buffer, nameAt: number) => {
  const bytes = Buffer.from(message);
  bytes.writeInt16BE(99, nameAt - 6);
  return bytes;
};
/** Compact protocol: a changed id delta also changes all later ids. */
const withoutCompactName = (message: Buffer, nameAt: number) => {
  const bytes = Buffer.from(message);
  bytes[nameAt - 2] = 0x98;
  return bytes;
};
const badName = (message: Buffer, nameAt: number) => {
  const bytes = Buffer.from(message);
  bytes[nameAt + 1] = 0xff;
  return bytes;
};
/** Inserts an unknown field with nested structs before the name's header. */
const withDeepField = (message: Buffer, nameAt: number) => {
  const at = nameAt - 7;
  const deep = Buffer.concat([Buffer.alloc(300, Buffer.of(12, 0, 99)), Buffer.alloc(100)]);
  return Buffer.concat([message.subarray(0, at), deep, message.subarray(at)]);
};
/** The same for the compact protocol: the field has a larger id than all others, so its type needs the long form. */
const withDeepCompactField = (message: Buffer, nameAt: number) => {
  const at = nameAt - 2;
  // Field 4 again before the name's header, so that the header's delta still leads to id 5.
  const deep = Buffer.concat([
    Buffer.of(0x0c, 50 * 2),
    Buffer.alloc(99, 0x1c),
    Buffer.alloc(100),
    Buffer.of(0x06, 4 * 2, 0),
  ]);
  return Buffer.concat([message.subarray(0, at), deep, message.subarray(at)]);
};
/** Changes the name's header to another field, which is not a text. */
const asOtherField = (id: number) => (message: Buffer, nameAt: number) => {
  const bytes = Buffer.from(message);
  bytes.writeInt16BE(id, nameAt - 6);
  return bytes;
};
const asCompactParent = (message: Buffer, nameAt: number) => {
  const bytes = Buffer.from(message);
  // The delta now leads from id 1 to id 4.
  bytes[nameAt - 2] = 0x38;
  return bytes;
};

const oneBadSpan: Readonly<Record<DecoderName, Row>> = {
  "OTLP protobuf": {
    utf8: ["�", withBadByte(otlp(...ids, [5, "bytes", "b@d"]))],
    deep: ["warned", otlp(...ids, named, [9, "bytes", [[2, "bytes", nestedArrays()]]])],
    large: ["rejected", otlp(...ids, [5, "bytes", big])],
    id: ["rejected", otlp(...shortSpanId, named)],
    parent: ["warned", otlp(...ids, named, [4, "bytes", Buffer.alloc(3, 1)])],
    time: noNumbers,
    type: ["rejected", otlp(...ids, named, [6, "bytes", "2"])],
    part: ["rejected", otlp(...ids, named, [15, "varint", 1])],
    cut: ["rejected", otlpPieces(protoMessage(...ids, named).subarray(0, -1))],
  },
  "OTLP JSON": {
    utf8: ["�", withBadByte(otlpJson('"traceState":"b@d"'))],
    deep: ["warned", otlpJson(`"attributes":[{"key":"k","value":${nestedOtlpJson(150)}}]`)],
    large: ["rejected", otlpJson(`"traceState":"${big}"`)],
    id: ["rejected", otlpJson("", '"traceId":"0102","spanId":"0102030405060708"')],
    parent: ["warned", otlpJson('"parentSpanId":"0102"')],
    time: ["rejected", otlpJson('"startTimeUnixNano":"yesterday"')],
    type: ["rejected", otlpJson('"kind":[]')],
    part: ["warned", otlpJson('"status":[]')],
    cut: noParts,
  },
  PostSpans: {
    utf8: ["�", withBadByte(postSpans(...ids, [3, "bytes", "b@d"]))],
    deep: noParts,
    large: ["rejected", postSpans(...ids, [3, "bytes", big])],
    id: ["rejected", postSpans(...shortSpanId, [3, "bytes", "bad"])],
    parent: [
      "warned",
      postSpans(
        ...ids,
        [3, "bytes", "bad"],
        [
          4,
          "bytes",
          [
            [1, "bytes", Buffer.alloc(16, 1)],
            [2, "bytes", Buffer.alloc(3, 1)],
          ],
        ],
      ),
    ],
    time: noNumbers,
    type: ["rejected", postSpans(...ids, [3, "bytes", "bad"], [5, "bytes", "2"])],
    part: ["rejected", postSpans(...ids, [3, "bytes", "bad"], [8, "varint", 1])],
    cut: ["rejected", postSpans(...ids, [8, "bytes", Buffer.of(0x0a, 9)])],
  },
  "Thrift over HTTP": {
    utf8: ["�", thriftBatch("http", badName)],
    deep: ["rejected", thriftBatch("http", withDeepField)],
    large: ["rejected", thriftBatch("http", (message, at) => withLongName(message, at))],
    id: noIds,
    parent: noIds,
    time: noNumbers,
    type: ["rejected", thriftBatch("http", withoutName)],
    part: fieldsOfAnotherType,
    cut: resyncs,
  },
  "agent, compact": {
    utf8: ["�", thriftBatch("compact", badName)],
    deep: ["rejected", thriftBatch("compact", withDeepCompactField)],
    large: inPackets,
    id: noIds,
    parent: noIds,
    time: noNumbers,
    type: ["rejected", thriftBatch("compact", withoutCompactName)],
    part: fieldsOfAnotherType,
    cut: resyncs,
  },
  "agent, binary": {
    utf8: ["�", thriftBatch("binary", badName)],
    deep: ["rejected", thriftBatch("binary", withDeepField)],
    large: inPackets,
    id: noIds,
    parent: noIds,
    time: noNumbers,
    type: ["rejected", thriftBatch("binary", withoutName)],
    part: fieldsOfAnotherType,
    cut: resyncs,
  },
  "agent, Zipkin in compact": {
    utf8: ["�", zipkinThrift("compact", {}, badName)],
    deep: noParts,
    large: inPackets,
    id: noIds,
    parent: noIds,
    time: noNumbers,
    type: ["rejected", zipkinThrift("compact", { traceId: 1n }, asCompactParent)],
    part: fieldsOfAnotherType,
    cut: resyncs,
  },
  "agent, Zipkin in binary": {
    utf8: ["�", zipkinThrift("binary", {}, badName)],
    deep: ["rejected", zipkinThrift("binary", {}, withDeepField)],
    large: inPackets,
    id: noIds,
    parent: noIds,
    time: noNumbers,
    type: ["taken", zipkinThrift("binary", {}, asOtherField(5))],
    part: fieldsOfAnotherType,
    cut: resyncs,
  },
  "Zipkin v1 JSON": {
    utf8: ["�", withBadByte(zipkinJson('"annotations":[{"timestamp":1,"value":"b@d"}]'))],
    deep: ["taken", zipkinJson(`"unknown":${nestedJson(200)}`)],
    large: ["rejected", zipkinJson(`"annotations":[{"timestamp":1,"value":"${big}"}]`)],
    id: ["rejected", zipkinJson("", '"traceId":"1","id":"00000000000000b1"')],
    parent: ["warned", zipkinJson('"parentId":"xyz"')],
    time: ["rejected", zipkinJson('"timestamp":"yesterday"')],
    type: ["rejected", zipkinJson('"timestamp":{}')],
    part: ["warned", zipkinJson('"annotations":{}')],
    cut: noParts,
  },
  "Zipkin v1 Thrift": {
    utf8: ["�", zipkinThrift("http", {}, badName)],
    deep: ["rejected", zipkinThrift("http", {}, withDeepField)],
    large: [
      "rejected",
      zipkinThrift("http", { annotations: [{ timestamp: 1n, value: big, host: undefined }] }),
    ],
    id: ["rejected", zipkinThrift("http", { id: 0n })],
    parent: noIds,
    time: noNumbers,
    type: ["taken", zipkinThrift("http", {}, asOtherField(5))],
    part: fieldsOfAnotherType,
    cut: resyncs,
  },
  "Zipkin v2 JSON": {
    utf8: ["�", withBadByte(zipkinJson('"tags":{"k":"b@d"}'))],
    deep: ["taken", zipkinJson(`"unknown":${nestedJson(200)}`)],
    large: ["rejected", zipkinJson(`"tags":{"k":"${big}"}`)],
    id: ["rejected", zipkinJson("", `"traceId":"${"1".repeat(33)}","id":"b1"`)],
    parent: ["warned", zipkinJson('"parentId":"xyz"')],
    time: ["rejected", zipkinJson('"timestamp":"yesterday"')],
    type: ["rejected", zipkinJson('"kind":[]')],
    part: ["warned", zipkinJson('"tags":["a"]')],
    cut: noParts,
  },
  "Zipkin v2 protobuf": {
    utf8: ["�", withBadByte(zipkinProto(...zipkinProtoIds, [5, "bytes", "b@d"]))],
    deep: noParts,
    large: ["rejected", zipkinProto(...zipkinProtoIds, [5, "bytes", big])],
    id: ["rejected", zipkinProto([1, "bytes", Buffer.alloc(15, 1)], [3, "bytes", Buffer.alloc(8, 1)], named)],
    parent: ["warned", zipkinProto(...zipkinProtoIds, named, [2, "bytes", Buffer.alloc(3, 1)])],
    time: noNumbers,
    type: ["rejected", zipkinProto(...zipkinProtoIds, named, [6, "bytes", "2"])],
    part: ["rejected", zipkinProto(...zipkinProtoIds, named, [8, "varint", 1])],
    cut: ["rejected", zipkinProto(...zipkinProtoIds, [8, "bytes", Buffer.of(0x0a, 9)])],
  },
};

function withLongName(message: Buffer, nameAt: number): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(big.length);
  return Buffer.concat([
    message.subarray(0, nameAt - 4),
    length,
    Buffer.from(big),
    message.subarray(nameAt + 3),
  ]);
}

describe.each(Object.entries(oneBadSpan) as [DecoderName, Row][])("%s", (name, row) => {
  test.each(Object.entries(columns))("%s", (column) => {
    const cell = row[column as keyof typeof columns];
    if (typeof cell === "string") {
      return expect(cell).not.toBe("");
    }
    const [fate, message] = cell;
    const take = takes[name](column === "large" ? maxRowsBytes : undefined);
    const { spans, rejected, why } = take(message);
    const names = spans.map((span) => span.name);
    expect(names.filter((text) => text === "one" || text === "two")).toEqual(["one", "two"]);
    if (fate === "rejected") {
      expect([spans.length, rejected]).toEqual([2, 1]);
      expect(why).toMatch(/^1 span rejected: span ".*" at .*spans\[1\]: ./);
    } else {
      expect([spans.length, rejected, why]).toEqual([3, 0, ""]);
      const bad = spans.find((span) => span.name !== "one" && span.name !== "two");
      if (fate === "�") {
        expect(bad?.text).toContain("b�d");
      }
      expect(bad?.warnings ?? []).toHaveLength(fate === "warned" ? 1 : 0);
    }
    // The bad message must not influence the next message.
    expect(take(message).spans).toEqual(spans);
  });
});

test("docs/faults.md has the table", () => {
  const words = {
    "�": "kept, with �",
    warned: "kept, with a warning",
    taken: "kept",
    rejected: "rejected alone",
  };
  const shown = (cell: Cell): string => (typeof cell === "string" ? "–" : words[cell[0]]);
  const rows = (Object.entries(oneBadSpan) as [DecoderName, Row][]).map(
    ([name, row]) =>
      `| ${[name, ...Object.keys(columns).map((column) => shown(row[column as keyof Row]))].join(" | ")} |`,
  );
  const head = ["Decoder", ...Object.values(columns)];
  const table = [`| ${head.join(" | ")} |`, `|${"---|".repeat(head.length)}`, ...rows].join("\n");
  const page = readFileSync(new URL("../../../../docs/faults.md", import.meta.url), "utf8");
  expect(page).toContain(table);
});
