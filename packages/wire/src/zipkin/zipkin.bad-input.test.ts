import { describe, expect, test } from "vitest";
import type { WireErrorCode } from "../errors.ts";
import { ListOfSpans } from "../gen/zipkin/proto3/zipkin.ts";
import { readSpanRows } from "../rows/read-span-rows.ts";
import type { ProtoField } from "../testing/proto-fields.ts";
import { protoMessage } from "../testing/proto-fields.ts";
import { ZipkinV1JsonTranscoder } from "./zipkin-v1-json-transcoder.ts";
import { ZipkinV2JsonTranscoder } from "./zipkin-v2-json-transcoder.ts";
import { ZipkinV2ProtoTranscoder } from "./zipkin-v2-proto-transcoder.ts";

const v2Json = new ZipkinV2JsonTranscoder();
const v2Proto = new ZipkinV2ProtoTranscoder();
const v1Json = new ZipkinV1JsonTranscoder();

const good = '{"traceId":"00000000000000a1","id":"00000000000000b1","timestamp":1}';
const alone = (member: string) => `[{"traceId":"a1","id":"b1",${member}}]`;
const withMember = (member: string) => `[${good},{"traceId":"a1","id":"b1",${member}}]`;

type Row = [what: string, message: string | Uint8Array, code: WireErrorCode, text: string];

const v2JsonRows: Row[] = [
  ["an empty body", "", "WIRE_TRUNCATED", "unexpected end of JSON input"],
  ["a body cut in a string", `[{"traceId":"a`, "WIRE_TRUNCATED", "unexpected end of JSON input"],
  ["a body cut behind a span", `[${good}`, "WIRE_TRUNCATED", "unexpected end of JSON input"],
  ["no JSON", "<xml>", "WIRE_MALFORMED", 'invalid JSON: unexpected "<" at byte 0'],
  ["a comma too many", `[${good},]`, "WIRE_MALFORMED", 'invalid JSON: unexpected "]" at byte 70'],
  ["more behind the list", "[] []", "WIRE_MALFORMED", 'invalid JSON: unexpected "[" at byte 3'],
  ["an object", "{}", "WIRE_MALFORMED", "json: cannot unmarshal object into spans of type array"],
  ["a text", '"x"', "WIRE_MALFORMED", "json: cannot unmarshal string into spans of type array"],
  [
    "a number as a span",
    "[1]",
    "WIRE_MALFORMED",
    "json: cannot unmarshal number 1 into a span of type object",
  ],
  ["lists without end", "[".repeat(100_000), "WIRE_TOO_DEEP", "JSON is nested deeper than 10000"],
  [
    "objects without end",
    alone(`"x":${'{"a":'.repeat(100_000)}`),
    "WIRE_TOO_DEEP",
    "JSON is nested deeper than 10000",
  ],
  [
    "three million values",
    `[${"0,".repeat(3_000_000)}0]`,
    "WIRE_TOO_LARGE",
    "JSON has more values than the limit of 2000000",
  ],
  ["no span id", '[{"traceId":"a1"}]', "WIRE_BAD_ID", "valid span id required"],
  ["no trace id", '[{"id":"b1"}]', "WIRE_BAD_ID", "valid traceId required"],
  ["a trace id of zeros", '[{"traceId":"0000","id":"b1"}]', "WIRE_BAD_ID", "valid traceId required"],
  [
    "a number as an id",
    '[{"traceId":1,"id":"b1"}]',
    "WIRE_MALFORMED",
    "json: cannot unmarshal number 1 into traceId of type string",
  ],
  [
    "an id that is not hex",
    '[{"traceId":"0x12","id":"b1"}]',
    "WIRE_BAD_ID",
    'strconv.ParseUint: parsing "0x12": invalid syntax',
  ],
  [
    "a trace id of 33 digits",
    `[{"traceId":"${"1".repeat(33)}","id":"b1"}]`,
    "WIRE_BAD_ID",
    `strconv.ParseUint: parsing "${"1".repeat(33)}": value out of range`,
  ],
  [
    "a very long id",
    `[{"traceId":"${"g".repeat(1000)}","id":"b1"}]`,
    "WIRE_BAD_ID",
    `strconv.ParseUint: parsing "${"g".repeat(100)}…": invalid syntax`,
  ],
  [
    "a name that is a number",
    alone('"name":3'),
    "WIRE_MALFORMED",
    "json: cannot unmarshal number 3 into name of type string",
  ],
  [
    "a negative time",
    alone('"timestamp":-1'),
    "WIRE_MALFORMED",
    "json: cannot unmarshal number -1 into timestamp of type uint64",
  ],
  [
    "a time past 64 bits",
    alone('"timestamp":18446744073709551616'),
    "WIRE_MALFORMED",
    "json: cannot unmarshal number 18446744073709551616 into timestamp of type uint64",
  ],
  [
    "a time of a million digits",
    alone(`"timestamp":${"9".repeat(1_000_000)}`),
    "WIRE_MALFORMED",
    `json: cannot unmarshal number ${"9".repeat(100)}… into timestamp of type uint64`,
  ],
  [
    "a text as a time",
    alone('"timestamp":"now"'),
    "WIRE_MALFORMED",
    "json: cannot unmarshal string into timestamp of type uint64",
  ],
];

describe("Zipkin v2 JSON", () => {
  test.each(v2JsonRows)("refuses %s", (_, message, code, text) => {
    expect(() => v2Json.transcode(Buffer.from(message))).toThrow(
      expect.objectContaining({ code, message: text }),
    );
    // The previous message must not influence this one.
    expect(readSpanRows(v2Json.transcode(Buffer.from(`[${good}]`)).rows.bytes)).toHaveLength(1);
  });

  test.each([
    ["a parent id too long", `"parentId":"${"2".repeat(17)}"`, /^parentId was dropped: strconv.ParseUint/],
    ["an address that is none", '"remoteEndpoint":{"ipv4":"1.2.3"}', /^remoteEndpoint.ipv4 was dropped/],
    ["a negative duration", '"duration":-1431', /^duration was dropped: json: cannot unmarshal number -1431/],
    ["a duration that is a text", '"duration":""', /^duration was dropped/],
    ["a port too high", '"remoteEndpoint":{"port":65536}', /^remoteEndpoint.port was dropped/],
    ["an annotation that is a text", '"annotations":["x"]', /^an annotation was dropped/],
    ["an annotation without a time", '"annotations":[{"value":"x"}]', /^an annotation was dropped/],
    ["an endpoint that is a text", '"localEndpoint":"shop"', /^localEndpoint was dropped: json: cannot/],
    ["annotations that are an object", '"annotations":{"a":1}', /^annotations was dropped: json: cannot/],
    ["tags that are a list", '"tags":["a"]', /^tags was dropped: json: cannot unmarshal array into tags/],
  ])("keeps a span without %s, and says so", (_, member, warning) => {
    const { rows } = v2Json.transcode(Buffer.from(alone(`"timestamp":1,${member}`)));
    expect(readSpanRows(rows.bytes)[0]).toMatchObject({
      parentSpanId: "",
      events: [],
      attributes: [],
      warnings: [expect.stringMatching(warning)],
    });
  });

  test.each([
    ["nanoseconds", "1700000000123456789", 2n ** 63n - 1n],
    ["the first microsecond after it", "9223372036854776", 2n ** 63n - 1n],
    ["the last microsecond before it", "9223372036854775", 9223372036854775000n],
  ])("sets a time after 2262 to its end, and says so: %s", (_, micros, start) => {
    const late = `"timestamp":${micros},"annotations":[{"timestamp":${micros},"value":"x"}]`;
    const [span] = readSpanRows(v2Json.transcode(Buffer.from(alone(late))).rows.bytes);
    expect(span).toMatchObject({
      startTimeUnixNano: start,
      events: [{ timeUnixNano: start }],
      warnings: start === 2n ** 63n - 1n ? [expect.stringContaining("1677 to 2262")] : [],
    });
  });

  test("takes an empty list for an empty object, as PHP writes it", () => {
    const { rows } = v2Json.transcode(
      Buffer.from(alone('"timestamp":1,"tags":[],"localEndpoint":[],"remoteEndpoint":[ ]')),
    );
    expect(readSpanRows(rows.bytes)[0]).toMatchObject({ attributes: [], warnings: [] });
  });

  test("takes tags that are lists or objects for the text of their JSON", () => {
    const tags = String.raw`{"a":["x]","y\"]",[ ]],"b":{"c":{"d":"}\\"}},"e":[]}`;
    const { rows } = v2Json.transcode(Buffer.from(alone(`"timestamp":1,"tags":${tags}`)));
    expect(readSpanRows(rows.bytes)[0]).toMatchObject({
      attributes: [
        { key: "a", value: { type: "string", value: String.raw`["x]","y\"]",[ ]]` } },
        { key: "b", value: { type: "string", value: String.raw`{"c":{"d":"}\\"}}` } },
        { key: "e", value: { type: "string", value: "[]" } },
      ],
      warnings: [],
    });
  });

  test("takes tags that are numbers or bools for texts", () => {
    const { rows } = v2Json.transcode(
      Buffer.from(alone('"timestamp":1,"tags":{"a":1.50,"b":true,"c":null}')),
    );
    expect(readSpanRows(rows.bytes)[0]).toMatchObject({
      attributes: [
        { key: "a", value: { type: "string", value: "1.50" } },
        { key: "b", value: { type: "string", value: "true" } },
        { key: "c", value: { type: "string", value: "" } },
      ],
      warnings: [],
    });
  });

  test.each([
    ["a number", "1700000000123456", 1700000000123456000n],
    ["a text", '"1700000000123456"', 1700000000123456000n],
    ["an exponent", "17e14", 1700000000000000000n],
    ["an exponent with a fraction, as of Envoy", "1.58266276796031e+15", 1582662767960310000n],
    ["a fraction of a microsecond", "1700000000123456.75", 1700000000123456000n],
    ["more than 2^53", "9007199254740993", 9007199254740993000n],
    ["more than 2^53 in a text", '"9007199254740993"', 9007199254740993000n],
    ["all 64 bits, modulo 2^64 in nanoseconds", "18446744073709551615", -1000n],
  ])("reads a time given as %s", (_, json, nanos) => {
    const { rows } = v2Json.transcode(Buffer.from(withMember(`"timestamp":${json}`)));
    expect(readSpanRows(rows.bytes)[1]?.startTimeUnixNano).toBe(nanos);
  });

  test("takes annotations for texts after a thousand that look encoded and are not, in one message", () => {
    const encoded = JSON.stringify({ timestamp: 1, value: "event|{}|0" });
    const unreadable = JSON.stringify({ timestamp: 1, value: "event|{x}|0" });
    const spanWith = (count: number) =>
      `{"traceId":"a1","id":"b1","annotations":[${Array(count).fill(unreadable).join(",")},${encoded}]}`;
    const namesOf = (message: string) =>
      readSpanRows(v2Json.transcode(Buffer.from(message)).rows.bytes).map(
        ({ events }) => events.at(-1)?.name,
      );
    expect(namesOf(`[${spanWith(1000)}]`)).toEqual(["event"]);
    expect(namesOf(`[${spanWith(1001)},${spanWith(1)}]`)).toEqual(["event|{}|0", "event|{}|0"]);
    expect(namesOf(`[${spanWith(1)}]`)).toEqual(["event"]);
  });

  test("keeps to the limit on rows", () => {
    const small = new ZipkinV2JsonTranscoder({ maxRowsBytes: 1000 });
    const message = Buffer.from(`[${Array(20).fill(good).join(",")}]`);
    const { rows, rejectedSpans } = small.transcode(message);
    expect(rows.count).toBeGreaterThan(5);
    expect(rows.count + rejectedSpans).toBe(20);
    expect(rows.plainBytes).toBeLessThan(1100);
  });

  test("writes the tenant into each row, and leaves other messages' tenants alone", () => {
    const message = Buffer.from(`[${good}]`);
    const own = Buffer.from(v2Json.transcode(message, "acme").rows.bytes);
    expect(own.subarray(0, 5).toString("latin1")).toBe("\x04acme");
    expect(v2Json.transcode(message).rows.bytes[0]).toBe(0);
  });
});

const ids: ProtoField[] = [
  [1, "bytes", Buffer.alloc(16, 1)],
  [3, "bytes", Buffer.alloc(8, 1)],
];
const listOf = (...span: ProtoField[]) => protoMessage([1, "bytes", span]);
const goodProto = listOf(...ids);

const protoRows: Row[] = [
  [
    "a message cut off",
    goodProto.subarray(0, 20),
    "WIRE_TRUNCATED",
    "field of 28 bytes at byte 1 goes past its end at 20",
  ],
  [
    "a length that lies",
    Buffer.of(0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f),
    "WIRE_TRUNCATED",
    "field of 4294967295 bytes at byte 1 goes past its end at 6",
  ],
  [
    "a length past its message inside",
    listOf([1, "bytes", Buffer.alloc(16, 1)]).fill(0x7f, 3, 4),
    "WIRE_TRUNCATED",
    "field of 127 bytes at byte 3 goes past its end at 20",
  ],
  ["a group", Buffer.of(0x13), "WIRE_MALFORMED", "wire type 3 before byte 1 is not accepted"],
  [
    "a varint without end",
    Buffer.alloc(20, 0xff),
    "WIRE_MALFORMED",
    "varint before byte 10 has over 10 bytes",
  ],
  [
    "text that is no message",
    Buffer.from("hello"),
    "WIRE_MALFORMED",
    "wire type 4 before byte 3 is not accepted",
  ],
  [
    "no trace id",
    listOf([3, "bytes", Buffer.alloc(8, 1)]),
    "WIRE_BAD_ID",
    "invalid TraceID: has length 0 yet wanted length 16",
  ],
  [
    "a trace id of 15 bytes",
    listOf([1, "bytes", Buffer.alloc(15, 1)]),
    "WIRE_BAD_ID",
    "invalid TraceID: has length 15 yet wanted length 16",
  ],
  [
    "a trace id of zeros",
    listOf([1, "bytes", Buffer.alloc(16)], [3, "bytes", Buffer.alloc(8, 1)]),
    "WIRE_BAD_ID",
    "valid traceId required",
  ],
  ["no span id", listOf([1, "bytes", Buffer.alloc(16, 1)]), "WIRE_BAD_ID", "expected a non-nil SpanID"],
  [
    "a span id of zeros",
    listOf([1, "bytes", Buffer.alloc(16, 1)], [3, "bytes", Buffer.alloc(8)]),
    "WIRE_BAD_ID",
    "valid span id required",
  ],
  [
    "a span id of 7 bytes",
    listOf([3, "bytes", Buffer.alloc(7, 1)]),
    "WIRE_BAD_ID",
    "invalid SpanID: has length 7 yet wanted length 8",
  ],
];

describe("Zipkin v2 protobuf", () => {
  test.each(protoRows)("refuses %s", (_, message, code, text) => {
    expect(() => v2Proto.transcode(message as Uint8Array)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(text) }),
    );
    expect(v2Proto.transcode(goodProto).rows.count).toBe(1);
  });

  test.each<[what: string, field: ProtoField]>([
    ["a parent id of 16 bytes", [2, "bytes", Buffer.alloc(16, 1)]],
    ["an address of 17 bytes", [8, "bytes", [[3, "bytes", Buffer.alloc(17)]]]],
  ])("keeps a span without %s, and says so", (_, field) => {
    const [span] = readSpanRows(v2Proto.transcode(listOf(...ids, field)).rows.bytes);
    expect(span).toMatchObject({
      parentSpanId: "",
      warnings: [expect.stringContaining("was dropped: it has")],
    });
  });

  test("puts U+FFFD in place of bytes that are not UTF-8, in every text of a span", () => {
    const bad = Buffer.of(0x61, 0xff, 0x62);
    const entry: ProtoField[] = [
      [1, "bytes", bad],
      [2, "bytes", bad],
    ];
    const message = listOf(
      ...ids,
      [5, "bytes", bad],
      [8, "bytes", [[1, "bytes", bad]]],
      [
        10,
        "bytes",
        [
          [1, "fixed64", 1],
          [2, "bytes", bad],
        ],
      ],
      [11, "bytes", entry],
      [11, "bytes", entry],
    );
    expect(readSpanRows(v2Proto.transcode(message).rows.bytes)[0]).toMatchObject({
      name: "a\ufffdb",
      resource: { serviceName: "a\ufffdb" },
      events: [{ name: "a\ufffdb" }],
      attributes: [{ key: "a\ufffdb", value: { type: "string", value: "a\ufffdb" } }],
    });
  });

  test("reads a trace id of 8 bytes as the low half", () => {
    const { rows } = v2Proto.transcode(
      listOf([1, "bytes", Buffer.alloc(8, 2)], [3, "bytes", Buffer.alloc(8, 1)]),
    );
    expect(readSpanRows(rows.bytes)[0]?.traceId).toBe("00000000000000000202020202020202");
  });

  test("passes over fields that it does not know", () => {
    const { rows } = v2Proto.transcode(
      Buffer.concat([protoMessage([9, "varint", 1]), listOf(...ids, [99, "fixed64", 1])]),
    );
    expect(readSpanRows(rows.bytes)[0]?.name).toBe("");
  });

  test("merges an endpoint that comes in two parts, takes the last of other fields, and the last of equal tags", () => {
    const message = listOf(
      ...ids,
      [5, "bytes", "a"],
      [5, "bytes", "b"],
      [8, "bytes", [[1, "bytes", "shop"]]],
      [8, "bytes", [[4, "varint", 80]]],
      [
        11,
        "bytes",
        [
          [1, "bytes", "k"],
          [2, "bytes", "1"],
        ],
      ],
      [
        11,
        "bytes",
        [
          [2, "bytes", "2"],
          [1, "bytes", "k"],
        ],
      ],
    );
    expect(ListOfSpans.decode(message).spans[0]).toMatchObject({ name: "b", tags: { k: "2" } });
    expect(readSpanRows(v2Proto.transcode(message).rows.bytes)[0]).toMatchObject({
      name: "b",
      resource: { serviceName: "shop" },
      attributes: [
        { key: "k", value: { type: "string", value: "2" } },
        { key: "net.host.port", value: { type: "int", value: 80n } },
      ],
    });
  });
});

const v1Id = '"traceId":"00000000000000a1","id":"00000000000000b1"';
const v1Rows: Row[] = [
  ["an empty body", "", "WIRE_TRUNCATED", "zipkinv1: unexpected end of JSON input"],
  ["an object", "{}", "WIRE_MALFORMED", "zipkinv1: json: cannot unmarshal object into spans of type array"],
  ["lists without end", "[".repeat(100_000), "WIRE_TOO_DEEP", "zipkinv1: JSON is nested deeper than 10000"],
  [
    "a trace id of 17 digits",
    `[{"traceId":"${"1".repeat(17)}"}]`,
    "WIRE_BAD_ID",
    "zipkinV1 span traceId: hex traceId span has wrong length (expected 16 or 32)",
  ],
  [
    "a trace id beyond ASCII",
    `[{"traceId":"${"ä".repeat(8)}"}]`,
    "WIRE_BAD_ID",
    "zipkinV1 span traceId: encoding/hex: invalid byte: U+00C3",
  ],
  [
    "a time past 64 bits",
    `[{${v1Id},"timestamp":9223372036854775808}]`,
    "WIRE_MALFORMED",
    "zipkinv1: json: cannot unmarshal number 9223372036854775808 into timestamp of type int64",
  ],
  [
    "a time after 2262",
    `[{${v1Id},"timestamp":1700000000123456789}]`,
    "WIRE_MALFORMED",
    "zipkinv1: a time of 1700000000123456789 µs is after the year 2262",
  ],
  [
    "a duration over 292 years",
    `[{${v1Id},"timestamp":1,"duration":9223372036854776}]`,
    "WIRE_MALFORMED",
    "zipkinv1: a duration of 9223372036854776 µs is over 292 years",
  ],
  [
    "a time that is an object",
    `[{${v1Id},"timestamp":{}}]`,
    "WIRE_MALFORMED",
    "zipkinv1: json: cannot unmarshal object into timestamp of type int64",
  ],
];

describe("Zipkin v1 JSON", () => {
  test.each(v1Rows)("refuses %s", (_, message, code, text) => {
    expect(() => v1Json.transcode(Buffer.from(message))).toThrow(
      expect.objectContaining({ code, message: text }),
    );
    expect(v1Json.transcode(Buffer.from(`[{${v1Id}}]`)).rows.count).toBe(1);
  });

  test("keeps a span without a port past 32 bits, and says so", () => {
    const annotation = '{"timestamp":1,"value":"sr","endpoint":{"serviceName":"shop","port":2147483648}}';
    const { rows } = v1Json.transcode(Buffer.from(`[{${v1Id},"annotations":[${annotation}]}]`));
    expect(readSpanRows(rows.bytes)[0]).toMatchObject({
      resource: { serviceName: "shop" },
      warnings: [expect.stringMatching(/^endpoint.port was dropped: /)],
    });
  });

  test("keeps a span without an annotation that cannot be read, and takes lists as values", () => {
    const members =
      '"annotations":[5,{"timestamp":7,"value":"x","endpoint":[]}],"binaryAnnotations":[{"key":"k","value":["a",1]}]';
    const { rows } = v1Json.transcode(Buffer.from(`[{${v1Id},"timestamp":1,${members}}]`));
    expect(readSpanRows(rows.bytes)[0]).toMatchObject({
      attributes: [{ key: "k", value: { type: "string", value: '["a",1]' } }],
      events: [{ name: "x" }],
      warnings: [expect.stringMatching(/^an element of annotations was dropped: json: cannot unmarshal/)],
    });
  });

  test("takes numbers as texts, and numbers, true and false as values", () => {
    const { rows } = v1Json.transcode(
      Buffer.from(
        `[{${v1Id},"timestamp":"9007199254740993","duration":"5","binaryAnnotations":[{"key":"t","value":true},{"key":"f","value":false},{"key":"i","value":-9223372036854775808},{"key":"d","value":1.5}]}]`,
      ),
    );
    expect(readSpanRows(rows.bytes)[0]).toMatchObject({
      startTimeUnixNano: 9007199254740993000n,
      durationNano: 5000n,
      attributes: [
        { key: "t", value: { type: "bool", value: true } },
        { key: "f", value: { type: "bool", value: false } },
        { key: "i", value: { type: "int", value: -(2n ** 63n) } },
        { key: "d", value: { type: "double", value: 1.5 } },
      ],
    });
  });

  test("gives a span without any time the present one and says so", () => {
    const transcoder = new ZipkinV1JsonTranscoder({ nowUnixNano: () => 5n });
    const { rows } = transcoder.transcode(
      Buffer.from(
        `[{${v1Id},"binaryAnnotations":[{"key":"otel.zipkin.absentField.startTime","value":"x"}]}]`,
      ),
    );
    expect(readSpanRows(rows.bytes)[0]).toMatchObject({
      startTimeUnixNano: 5n,
      durationNano: 0n,
      attributes: [{ key: "otel.zipkin.absentField.startTime", value: { type: "bool", value: true } }],
    });
  });
});
