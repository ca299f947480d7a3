// Tests every kind of bad bytes with every decoder of spans. docs/faults.md has the table.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { WireError, type WireErrorCode } from "../errors.ts";
import { type DecoderName, decoders, type Read } from "../testing/all-decoders.ts";
import { ids, type ProtoField, protoMessage, requestOf } from "../testing/proto-fields.ts";

/**
 * The expected result, and the bytes of a message with a single span. The result is an error code, or one of these:
 * "�": accepted, bad bytes are replaced. "cut": accepted without the parts that are too deep. "rejected": the answer
 * reports the rejected span. A plain text is the reason why the format cannot have such bytes.
 */
type Cell = readonly [code: WireErrorCode | "�" | "cut" | "rejected", message: Buffer] | string;

interface BadInput {
  readonly nested: Cell;
  readonly type: Cell;
  readonly varint: Cell;
  readonly length: Cell;
  readonly utf8: Cell;
  readonly id: Cell;
  /** Error for a message that is cut at any position. */
  readonly cut: WireErrorCode;
}

const long = Buffer.alloc(11, 0xff);
const many = (count: number, ...bytes: number[]) => Buffer.alloc(count * bytes.length, Buffer.from(bytes));
const proto = (...fields: ProtoField[]) => Buffer.from(protoMessage(...fields));
/** A message in which one byte of a text is not valid UTF-8. */
function withoutUtf8(name: DecoderName): Buffer {
  const message = decoders[name].good("get @");
  message[message.lastIndexOf("@")] = 0xff;
  return message;
}
const groups = "no type of it holds itself, and groups are refused";
const noVarints = "it has none";
const noLengths = "it has none";
const i64 = "ids are integers of 64 bits";

/** A span of api_v2 with these fields. */
const batchOf = (...span: ProtoField[]) => proto([1, "bytes", [[1, "bytes", span]]]);
const writeOf = (...span: ProtoField[]) => proto([1, "bytes", span]);
const lie = Buffer.of(0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f);
const shortId: ProtoField[] = [
  [1, "bytes", Buffer.alloc(15, 1)],
  [2, "bytes", Buffer.alloc(8, 1)],
];
const otherType: ProtoField[] = [...ids, [5, "varint", 1]];

const nestedArrays = (): Uint8Array => {
  let value: Uint8Array = Buffer.alloc(0);
  for (let level = 0; level < 1_000; level++) {
    value = protoMessage([5, "bytes", [[1, "bytes", value]]]);
  }
  return value;
};

const otlpJson = (members: string) =>
  Buffer.from(`{"resourceSpans":[{"scopeSpans":[{"spans":[{${members}}]}]}]}`);
const jsonIds = `"traceId":"${"01".repeat(16)}","spanId":"${"01".repeat(8)}"`;
const zipkinJson = (members: string) =>
  Buffer.from(`[{"traceId":"00000000000000a1","id":"00000000000000b1",${members}}]`);

const zipkinJsonInput = (name: "Zipkin v1 JSON" | "Zipkin v2 JSON"): BadInput => ({
  cut: "WIRE_TRUNCATED",
  nested: ["WIRE_TOO_DEEP", many(100_000, 0x5b)],
  type: ["WIRE_MALFORMED", zipkinJson('"name":[]')],
  varint: ["WIRE_MALFORMED", zipkinJson(`"timestamp":${"9".repeat(1_000)}`)],
  length: noLengths,
  utf8: ["�", withoutUtf8(name)],
  id: ["WIRE_BAD_ID", Buffer.from(`[{"traceId":"${"1".repeat(33)}","id":"00000000000000b1"}]`)],
});

/** Packets for the agent: `body` follows the message's header in place of the valid arguments. */
function packets(
  name: DecoderName,
  method: string,
  bodies: Readonly<Record<"nested" | "type" | "length", Buffer>>,
  varint?: Buffer,
): BadInput {
  const good = decoders[name].good();
  const headBytes = good.indexOf(method) + method.length + (name.endsWith("binary") ? 4 : 0);
  const packet = (body: Buffer) => Buffer.concat([good.subarray(0, headBytes), body]);
  return {
    cut: "WIRE_TRUNCATED",
    nested: ["WIRE_TOO_DEEP", packet(bodies.nested)],
    type: ["WIRE_MALFORMED", packet(bodies.type)],
    varint: varint === undefined ? noVarints : ["WIRE_MALFORMED", packet(varint)],
    length: ["WIRE_TRUNCATED", packet(bodies.length)],
    utf8: ["�", withoutUtf8(name)],
    id: i64,
  };
}

const compact = {
  nested: many(20_000, 0x9c),
  type: Buffer.of(0x15, 2, 0),
};
const binary = {
  nested: many(20_000, 12, 0, 99),
  type: Buffer.of(8, 0, 1, 0, 0, 0, 1, 0),
};

const badInput: Readonly<Record<DecoderName, BadInput>> = {
  "OTLP protobuf": {
    cut: "WIRE_TRUNCATED",
    nested: ["cut", Buffer.from(requestOf(...ids, [9, "bytes", [[2, "bytes", nestedArrays()]]]))],
    type: ["WIRE_MALFORMED", Buffer.from(requestOf(...otherType))],
    varint: ["WIRE_MALFORMED", Buffer.concat([Buffer.of(0x10), long])],
    length: ["WIRE_TRUNCATED", lie],
    utf8: ["�", withoutUtf8("OTLP protobuf")],
    id: ["rejected", Buffer.from(requestOf(...shortId))],
  },
  "OTLP JSON": {
    cut: "WIRE_MALFORMED",
    nested: ["WIRE_TOO_DEEP", many(100_000, 0x5b)],
    type: ["WIRE_MALFORMED", otlpJson(`${jsonIds},"name":[]`)],
    varint: ["WIRE_MALFORMED", otlpJson(`${jsonIds},"startTimeUnixNano":${"9".repeat(1_000)}`)],
    length: noLengths,
    utf8: ["�", withoutUtf8("OTLP JSON")],
    id: ["rejected", otlpJson('"traceId":"0102"')],
  },
  PostSpans: {
    cut: "WIRE_TRUNCATED",
    nested: groups,
    type: ["WIRE_MALFORMED", batchOf(...ids, [3, "varint", 1])],
    varint: ["WIRE_MALFORMED", Buffer.concat([Buffer.of(0x10), long])],
    length: ["WIRE_TRUNCATED", lie],
    utf8: ["�", withoutUtf8("PostSpans")],
    id: ["WIRE_BAD_ID", batchOf(...shortId)],
  },
  WriteSpan: {
    cut: "WIRE_MALFORMED",
    nested: groups,
    type: ["WIRE_MALFORMED", writeOf(...ids, [3, "varint", 1])],
    varint: ["WIRE_MALFORMED", Buffer.concat([Buffer.of(0x10), long])],
    length: ["WIRE_MALFORMED", lie],
    utf8: ["�", withoutUtf8("WriteSpan")],
    id: ["WIRE_BAD_ID", writeOf(...shortId)],
  },
  "Thrift over HTTP": {
    cut: "WIRE_TRUNCATED",
    nested: ["WIRE_TOO_DEEP", binary.nested],
    type: ["WIRE_MALFORMED", binary.type],
    varint: noVarints,
    length: ["WIRE_TRUNCATED", Buffer.from("0f00020c7fffffff00", "hex")],
    utf8: ["�", withoutUtf8("Thrift over HTTP")],
    id: i64,
  },
  "agent, compact": packets(
    "agent, compact",
    "emitBatch",
    { ...compact, length: Buffer.of(0x1c, 0x29, 0xfc, 255, 255, 255, 255, 7) },
    Buffer.concat([Buffer.of(0x1c, 0x29, 0x1c, 0x16), long]),
  ),
  "agent, binary": packets("agent, binary", "emitBatch", {
    ...binary,
    length: Buffer.of(12, 0, 1, 15, 0, 2, 12, 0x7f, 255, 255, 255),
  }),
  "agent, Zipkin in compact": packets(
    "agent, Zipkin in compact",
    "emitZipkinBatch",
    { ...compact, length: Buffer.of(0x19, 0xfc, 255, 255, 255, 255, 7) },
    Buffer.concat([Buffer.of(0x19, 0x1c, 0x16), long]),
  ),
  "agent, Zipkin in binary": packets("agent, Zipkin in binary", "emitZipkinBatch", {
    ...binary,
    length: Buffer.of(15, 0, 1, 12, 0x7f, 255, 255, 255),
  }),
  "Zipkin v1 JSON": zipkinJsonInput("Zipkin v1 JSON"),
  "Zipkin v1 Thrift": {
    cut: "WIRE_TRUNCATED",
    nested: ["WIRE_TOO_DEEP", Buffer.concat([Buffer.of(12, 0, 0, 0, 1), binary.nested])],
    type: ["WIRE_BAD_ID", Buffer.concat([Buffer.of(12, 0, 0, 0, 1), binary.type])],
    varint: noVarints,
    length: ["WIRE_TRUNCATED", Buffer.of(12, 0x7f, 255, 255, 255)],
    utf8: ["�", withoutUtf8("Zipkin v1 Thrift")],
    id: i64,
  },
  "Zipkin v2 JSON": zipkinJsonInput("Zipkin v2 JSON"),
  "Zipkin v2 protobuf": {
    cut: "WIRE_TRUNCATED",
    nested: groups,
    type: ["WIRE_MALFORMED", proto([1, "bytes", [[5, "varint", 1]]])],
    varint: ["WIRE_MALFORMED", Buffer.concat([Buffer.of(0x10), long])],
    length: ["WIRE_TRUNCATED", lie],
    utf8: ["�", withoutUtf8("Zipkin v2 protobuf")],
    id: ["WIRE_BAD_ID", proto([1, "bytes", [[1, "bytes", Buffer.alloc(15, 1)]]])],
  },
};

const columns = {
  nested: "nested 1,000 deep and more",
  type: "a value of a wrong type",
  varint: "a varint of 11 bytes, a number of 1,000 digits",
  length: "a length that lies",
  utf8: "text that is no UTF-8",
  id: "an id of a wrong length",
} as const;

function outcomeOf(read: Read, message: Uint8Array): string {
  try {
    return read(message).toString();
  } catch (error) {
    if (error instanceof WireError) {
      return error.code;
    }
    throw error;
  }
}

describe.each(Object.keys(badInput) as DecoderName[])("%s", (name) => {
  const { open, good } = decoders[name];
  const input = badInput[name];

  test.each(Object.entries(columns))("%s", (column) => {
    const cell = input[column as keyof typeof columns];
    if (typeof cell === "string") {
      return expect(cell).not.toBe("");
    }
    const [code, message] = cell;
    const read = open();
    if (code === "�") {
      expect(outcomeOf(read, message)).toContain("get �");
    } else if (code === "cut") {
      expect(outcomeOf(read, message)).toContain("were cut");
    } else if (code === "rejected") {
      expect(outcomeOf(read, message)).toBe("");
    } else {
      expect(outcomeOf(read, message)).toBe(code);
    }
    // The bad message must not influence the next message.
    expect(read(good())).toEqual(open()(good()));
  });

  test("cut anywhere", () => {
    const read = open();
    const message = good();
    // For protobuf and Thrift, zero bytes are an empty or an absent message, so the loop starts with 1.
    for (let end = 1; end < message.length; end++) {
      expect([end, outcomeOf(read, message.subarray(0, end))]).toEqual([end, input.cut]);
    }
    expect(read(message)).toEqual(open()(message));
  });

  test("over its limit", () => {
    const message = good("x".repeat(2_000));
    expect(outcomeOf(open(1_000), message)).toBe("WIRE_TOO_LARGE");
    expect(outcomeOf(open(), message)).toContain("x".repeat(2_000));
  });
});

test("docs/faults.md has the table", () => {
  const shown = (cell: Cell): string => (typeof cell === "string" ? "–" : plain(cell[0]));
  const rows = (Object.entries(badInput) as [DecoderName, BadInput][]).map(([name, input]) => [
    name,
    plain(input.cut),
    "too large",
    ...(Object.keys(columns) as (keyof typeof columns)[]).map((column) => shown(input[column])),
  ]);
  const heads = ["Decoder", "cut anywhere", "over its limit", ...Object.values(columns)];
  const docs = readFileSync(new URL("../../../../docs/faults.md", import.meta.url), "utf8").split("\n");
  for (const cells of [heads, ...rows]) {
    expect(docs).toContain(`| ${cells.join(" | ")} |`);
  }
});

/** The code in the form that the docs use. */
function plain(code: string): string {
  if (code === "�") {
    return "taken, with �";
  }
  if (code === "cut") {
    return "taken, cut";
  }
  if (code === "rejected") {
    return "rejected alone";
  }
  return code.replace("WIRE_", "").toLowerCase().replaceAll("_", " ");
}
