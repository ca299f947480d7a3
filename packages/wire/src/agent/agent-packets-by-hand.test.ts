// Packets written by hand from the specification, without our writer.
import { describe, expect, test } from "vitest";
import { Process } from "../gen/tracing/api_v2/model.ts";
import type { ThriftProtocol } from "../thrift/message-envelope.ts";
import { AgentPacketReader } from "./agent-packet-reader.ts";

type Part = string | number[];

/** Makes a packet: a string gives its bytes, a number gives one byte. */
const packet = (...parts: Part[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))));

const compactHeader = (type: number, name: string): Part[] => [
  [0x82, (type << 5) | 1, 0x05, name.length],
  name,
];
const strictHeader = (type: number, name: string): Part[] => [
  [0x80, 1, 0, type, 0, 0, 0, name.length],
  name,
  [0, 0, 0, 5],
];
const oldHeader = (type: number, name: string): Part[] => [[0, 0, 0, name.length], name, [type, 0, 0, 0, 5]];

// { 1: batch { 1: process { 1: "a" }, 2: [] } }
const compactBody: Part[] = [[0x1c, 0x1c, 0x18, 1], "a", [0, 0x19, 0x0c, 0, 0]];
const binaryBody: Part[] = [
  [12, 0, 1, 12, 0, 1, 11, 0, 1, 0, 0, 0, 1],
  "a",
  [0, 15, 0, 2, 12, 0, 0, 0, 0, 0, 0],
];
/** The same body with an unknown field, id 9, before the name of the process. */
const compactWithUnknown = (...unknown: Part[]): Part[] => [
  [0x1c, 0x1c],
  ...unknown,
  [0x08, 2, 1],
  "a",
  [0, 0x19, 0x0c, 0, 0],
];
const binaryWithUnknown = (...unknown: Part[]): Part[] => [
  [12, 0, 1, 12, 0, 1],
  ...unknown,
  [11, 0, 1, 0, 0, 0, 1],
  "a",
  [0, 15, 0, 2, 12, 0, 0, 0, 0, 0, 0],
];
const nested = (levels: number, open: number[]): number[] =>
  Array.from({ length: levels }, () => open).flat();

describe("AgentPacketReader", () => {
  test.each<[string, ThriftProtocol, Part[]]>([
    ["compact CALL", "compact", [...compactHeader(1, "emitBatch"), ...compactBody]],
    ["compact ONEWAY", "compact", [...compactHeader(4, "emitBatch"), ...compactBody]],
    ["strict binary CALL", "binary", [...strictHeader(1, "emitBatch"), ...binaryBody]],
    ["strict binary ONEWAY", "binary", [...strictHeader(4, "emitBatch"), ...binaryBody]],
    ["old binary CALL", "binary", [...oldHeader(1, "emitBatch"), ...binaryBody]],
    ["old binary ONEWAY", "binary", [...oldHeader(4, "emitBatch"), ...binaryBody]],
    [
      "compact with a map, a set, a list of bools, numbers and a struct it does not know",
      "compact",
      [
        ...compactHeader(4, "emitBatch"),
        ...compactWithUnknown(
          [0x0b, 18, 1, 0x85, 1],
          "k",
          [2], // 9: map<string, i32>
          [0x1a, 0x23, 7, 8], // 10: set<byte>
          [0x19, 0x21, 1, 2], // 11: list<bool>
          [0x14, 1, 0x15, 1, 0x16, 1, 0x13, 1, 0x11, 0x12], // 12..17: i16, i32, i64, byte, true, false
          [0x17, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f], // 18: double
          [0x1c, 0x11, 0], // 19: struct
          [0x1b, 0], // 20: empty map
        ),
      ],
    ],
    [
      "binary with a map, a set, a list and a struct it does not know",
      "binary",
      [
        ...strictHeader(4, "emitBatch"),
        ...binaryWithUnknown(
          [13, 0, 9, 11, 8, 0, 0, 0, 1, 0, 0, 0, 1],
          "k",
          [0, 0, 0, 2],
          [14, 0, 10, 3, 0, 0, 0, 2, 7, 8],
          [15, 0, 11, 11, 0, 0, 0, 1, 0, 0, 0, 0],
          [12, 0, 12, 2, 0, 1, 1, 0],
          [15, 0, 13, 0, 0, 0, 0, 0],
        ),
      ],
    ],
  ])("reads %s", (_, protocol, parts) => {
    const [batch] = new AgentPacketReader(protocol).read(packet(...parts));
    expect(batch && Process.decode(batch.process)).toEqual({ serviceName: "a", tags: [] });
    expect(batch?.spans).toHaveLength(0);
  });

  test.each<[string, ThriftProtocol, Part[], string, string]>([
    ["nothing", "compact", [], "WIRE_TRUNCATED", "1 bytes wanted at offset 0, 0 left"],
    ["nothing", "binary", [], "WIRE_TRUNCATED", "4 bytes wanted at offset 0, 0 left"],
    [
      "binary on the compact port",
      "compact",
      strictHeader(4, "emitBatch"),
      "WIRE_MALFORMED",
      "first byte 0x80 is not compact Thrift's 0x82",
    ],
    [
      "compact on the binary port",
      "binary",
      compactHeader(4, "emitBatch"),
      "WIRE_MALFORMED",
      "binary version 0x8281 is not 0x8001",
    ],
    [
      "an id's varint without end",
      "compact",
      [...compactHeader(4, "emitBatch"), [0x1c, 0x29, 0x1c, 0x16], nested(11, [255])],
      "WIRE_MALFORMED",
      "varint before offset 27 is longer than 10 bytes",
    ],
    ["another compact version", "compact", [[0x82, 0x82]], "WIRE_MALFORMED", "compact version 2 is not 1"],
    [
      "a REPLY",
      "compact",
      [...compactHeader(2, "emitBatch"), ...compactBody],
      "WIRE_MALFORMED",
      "message type 2 is neither CALL nor ONEWAY",
    ],
    ["another method", "binary", strictHeader(1, "rm"), "WIRE_MALFORMED", 'unknown method "rm"'],
    [
      "no batch",
      "compact",
      [...compactHeader(4, "emitBatch"), [0]],
      "WIRE_MALFORMED",
      "emitBatch.batch is required and missing",
    ],
    [
      "no batch",
      "binary",
      [...strictHeader(4, "emitBatch"), [0]],
      "WIRE_MALFORMED",
      "emitBatch.batch is required and missing",
    ],
    [
      "a batch of the wrong type",
      "compact",
      [...compactHeader(4, "emitBatch"), [0x15, 2, 0]],
      "WIRE_MALFORMED",
      "emitBatch.batch is required and missing",
    ],
    [
      "a list of the wrong type",
      "compact",
      [...compactHeader(4, "emitBatch"), [0x1c, 0x29, 0x15, 2]],
      "WIRE_MALFORMED",
      "Batch.spans is a list of i32, not of struct",
    ],
    [
      "a varint without end",
      "compact",
      [[0x82, 0x81, 255, 255, 255, 255, 255, 255]],
      "WIRE_MALFORMED",
      "varint before offset 7 is longer than 5 bytes",
    ],
    [
      "a name over the end",
      "binary",
      [[0x80, 1, 0, 4, 0x7f, 255, 255, 255]],
      "WIRE_TRUNCATED",
      "2147483647 bytes wanted at offset 8, 0 left",
    ],
    [
      "a name of negative length",
      "binary",
      [[0x80, 1, 0, 4, 255, 255, 255, 255]],
      "WIRE_MALFORMED",
      "length -1 before offset 8 is negative",
    ],
    [
      "a list that promises too much",
      "compact",
      [...compactHeader(4, "emitBatch"), [0x1c, 0x29, 0xfc, 255, 255, 255, 255, 7]],
      "WIRE_TRUNCATED",
      "2147483647 bytes wanted at offset 21, 0 left",
    ],
    [
      "a map that promises too much",
      "compact",
      [...compactHeader(4, "emitBatch"), [0x9b, 255, 255, 255, 255, 7, 0x11]],
      "WIRE_TRUNCATED",
      "4294967294 bytes wanted at offset 20, 0 left",
    ],
    [
      "a list that promises too much",
      "binary",
      [...strictHeader(4, "emitBatch"), [15, 0, 9, 12, 0x7f, 255, 255, 255]],
      "WIRE_TRUNCATED",
      "2147483647 bytes wanted at offset 29, 0 left",
    ],
    [
      "a list of nothing, two billion times",
      "binary",
      [...strictHeader(4, "emitBatch"), [15, 0, 9, 1, 0x7f, 255, 255, 255]],
      "WIRE_TRUNCATED",
      "2147483647 bytes wanted at offset 29, 0 left",
    ],
    [
      "a negative count",
      "binary",
      [...strictHeader(4, "emitBatch"), [15, 0, 9, 12, 255, 255, 255, 255]],
      "WIRE_MALFORMED",
      "count -1 before offset 29 is negative",
    ],
    [
      "an unknown field that would lead back to itself",
      "binary",
      [...strictHeader(4, "emitBatch"), [11, 0, 9, 255, 255, 255, 249]],
      "WIRE_MALFORMED",
      "length -7 before offset 28 is negative",
    ],
    [
      "an unknown type",
      "compact",
      [...compactHeader(4, "emitBatch"), [0x9e]],
      "WIRE_MALFORMED",
      "unknown type 14 before offset 14",
    ],
    [
      "structs without end",
      "compact",
      [...compactHeader(4, "emitBatch"), nested(20_000, [0x9c])],
      "WIRE_TOO_DEEP",
      "values are nested deeper than 64",
    ],
    [
      "lists without end",
      "compact",
      [...compactHeader(4, "emitBatch"), [0x99], nested(20_000, [0x19])],
      "WIRE_TOO_DEEP",
      "values are nested deeper than 64",
    ],
    [
      "structs without end",
      "binary",
      [...strictHeader(4, "emitBatch"), nested(20_000, [12, 0, 9])],
      "WIRE_TOO_DEEP",
      "values are nested deeper than 64",
    ],
    [
      "lists without end",
      "binary",
      [...strictHeader(4, "emitBatch"), [15, 0, 9], nested(10_000, [15, 0, 0, 0, 1])],
      "WIRE_TOO_DEEP",
      "values are nested deeper than 64",
    ],
    [
      "maps without end",
      "binary",
      [...strictHeader(4, "emitBatch"), [13, 0, 9], nested(8_000, [13, 3, 0, 0, 0, 1])],
      "WIRE_TOO_DEEP",
      "values are nested deeper than 64",
    ],
  ])("refuses %s (%s)", (_, protocol, parts, code, message) => {
    expect(() => new AgentPacketReader(protocol).read(packet(...parts))).toThrow(
      expect.objectContaining({ code, message }),
    );
  });
});
