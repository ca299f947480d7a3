// A field or a list with a wire type other than the declared one may affect only that field or span, in each protocol.
import { describe, expect, test } from "vitest";
import { AgentPacketReader } from "../agent/agent-packet-reader.ts";
import { EmitBatchArguments, EmitZipkinBatchArguments } from "../gen/thrift/agent.ts";
import { TagType } from "../gen/thrift/tracing.ts";
import { readSpanRows } from "../rows/read-span-rows.ts";
import { ZipkinV1ThriftTranscoder } from "../zipkin/zipkin-v1-thrift-transcoder.ts";
import { binaryTypeOf } from "./binary-types.ts";
import { messageTypes } from "./message-envelope.ts";
import { ThriftBatchTranscoder } from "./thrift-batch-transcoder.ts";
import { type ThriftStruct, type ThriftType, thriftTypes } from "./thrift-descriptors.ts";

type Protocol = "binary" | "compact";
/** A value with the type number for its header. */
interface Value {
  readonly type: ThriftType;
  readonly bytes: (protocol: Protocol) => Buffer;
}
interface Field extends Value {
  readonly id: number;
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) {
    bytes.push((rest % 128) + 128);
  }
  return Buffer.of(...bytes, rest);
}

const big = (width: 2 | 4 | 6, value: number) => {
  const bytes = Buffer.alloc(width);
  bytes.writeIntBE(value, 0, width);
  return bytes;
};

const either = (type: ThriftType, binary: Buffer, compact: Buffer): Value => ({
  type,
  bytes: (protocol) => (protocol === "binary" ? binary : compact),
});
const int = (type: ThriftType, value: number, binary: Buffer) => either(type, binary, varint(value * 2));
const i16 = (value: number) => int(thriftTypes.i16, value, big(2, value));
const i32 = (value: number) => int(thriftTypes.i32, value, big(4, value));
const i64 = (value: number) => int(thriftTypes.i64, value, Buffer.concat([Buffer.alloc(2), big(6, value)]));
const text = (value: string) => {
  const content = Buffer.from(value);
  const [binary, compact] = [big(4, content.length), varint(content.length)];
  return either(thriftTypes.string, Buffer.concat([binary, content]), Buffer.concat([compact, content]));
};
const bool: Value = either(thriftTypes.bool, Buffer.of(1), Buffer.of(1));

function struct(...fields: readonly Field[]): Value {
  return {
    type: thriftTypes.struct,
    bytes: (protocol) =>
      Buffer.concat([
        ...fields.flatMap(({ id, type, bytes }) =>
          protocol === "binary"
            ? [Buffer.of(binaryTypeOf(type), 0, id), bytes(protocol)]
            : // A bool has its value in its header.
              [
                Buffer.concat([Buffer.of(type), varint(id * 2)]),
                type === thriftTypes.bool ? Buffer.alloc(0) : bytes(protocol),
              ],
        ),
        Buffer.of(0),
      ]),
  };
}

/** @param named element type for the header */
function list(values: readonly Value[], named = values[0]?.type ?? thriftTypes.struct): Value {
  return {
    type: thriftTypes.list,
    bytes: (protocol) =>
      Buffer.concat([
        protocol === "binary"
          ? Buffer.concat([Buffer.of(binaryTypeOf(named)), big(4, values.length)])
          : Buffer.of(values.length * 16 + named),
        ...values.map(({ bytes }) => bytes(protocol)),
      ]),
  };
}

const ofEachType: Readonly<Record<keyof typeof thriftTypes, Value>> = {
  bool,
  byte: either(thriftTypes.byte, Buffer.of(7), Buffer.of(7)),
  i16: i16(7),
  i32: i32(7),
  i64: i64(7),
  double: either(thriftTypes.double, Buffer.alloc(8, 1), Buffer.alloc(8, 1)),
  string: text("other"),
  list: list([i32(7), i32(8)]),
  set: { ...list([text("x")]), type: thriftTypes.set },
  map: either(thriftTypes.map, Buffer.of(8, 2, 0, 0, 0, 1, 0, 0, 0, 7, 1), Buffer.of(1, 0x51, 14, 1)),
  struct: struct({ id: 99, ...i32(7) }),
  uuid: either(thriftTypes.uuid, Buffer.alloc(16, 1), Buffer.alloc(16, 1)),
};

/** Values for every field of a struct; `change` may give another one for the field with this label. */
type Change = (label: string) => Value | undefined;
const lists = new Map<string, readonly Value[]>();

function whole(declared: ThriftStruct, name: string, change: Change): Value {
  const fields = Object.values(declared.fields).map((field): Field => {
    const { id, label, type } = field;
    if (field.struct !== undefined && type === thriftTypes.list) {
      lists.set(label, [whole(field.struct, name, () => undefined)]);
    }
    const other = change(label);
    if (other !== undefined) {
      return { id, ...other };
    }
    if (field.struct === undefined) {
      const isName = label === "Span.operationName" || label === "Span.name";
      const plain = label === "Tag.vType" ? i32(TagType.LONG) : plainOf(type, isName ? name : "shop");
      return { id, ...plain };
    }
    const inner = whole(field.struct, name, change);
    return { id, ...(type === thriftTypes.list ? list([inner]) : inner) };
  });
  return struct(...fields);
}

function plainOf(type: ThriftType, name: string): Value {
  const [known] = Object.values(ofEachType).filter((value) => value.type === type);
  return type === thriftTypes.string ? text(name) : (known as Value);
}

interface Door {
  readonly protocol: Protocol;
  readonly send: (message: Buffer) => number;
}

const envelope = (protocol: Protocol, method: string, message: Buffer) =>
  Buffer.concat([
    protocol === "binary"
      ? Buffer.concat([Buffer.of(0x80, 1, 0, messageTypes.oneway), text(method).bytes("binary"), big(4, 0)])
      : Buffer.concat([Buffer.of(0x82, 0x81, 0), text(method).bytes("compact")]),
    message,
  ]);

const agent = (protocol: Protocol, method: string): Door => {
  const reader = new AgentPacketReader(protocol);
  return {
    protocol,
    send: (message) =>
      reader
        .read(envelope(protocol, method, message))
        .map((batch) => batch.spanCount)
        .reduce((sum, count) => sum + count, 0),
  };
};
const http = new ThriftBatchTranscoder();
const zipkinHttp = new ZipkinV1ThriftTranscoder();
const countOf = (rows: Uint8Array) => readSpanRows(rows).length;

/** A batch with three spans. The change is made in the second span, and in the parts that all spans share. */
function jaegerBatch(change: Change): Value {
  const batchStruct = EmitBatchArguments.fields.batch.struct;
  const spans = ["one", "bad", "two"].map((name) =>
    whole(batchStruct.fields.spans.struct, name, name === "bad" ? change : () => undefined),
  );
  return whole(batchStruct, "", (label) =>
    label === "Batch.spans" ? (change(label) ?? list(spans)) : change(label),
  );
}

function zipkinSpans(change: Change): Value {
  const spanStruct = EmitZipkinBatchArguments.fields.spans.struct;
  return list(
    ["one", "bad", "two"].map((name) => whole(spanStruct, name, name === "bad" ? change : () => undefined)),
  );
}

type Sent = (change: Change, protocol: Protocol) => Buffer;
const jaegerSent: Sent = (change, protocol) => jaegerBatch(change).bytes(protocol);
const jaegerArguments: Sent = (change, protocol) => struct({ id: 1, ...jaegerBatch(change) }).bytes(protocol);
const zipkinArguments: Sent = (change, protocol) => struct({ id: 1, ...zipkinSpans(change) }).bytes(protocol);

const doors: Readonly<Record<string, readonly [Door, Sent]>> = {
  "Thrift over HTTP": [
    { protocol: "binary", send: (message) => countOf(http.transcode(message).rows.bytes) },
    jaegerSent,
  ],
  "agent, binary": [agent("binary", "emitBatch"), jaegerArguments],
  "agent, compact": [agent("compact", "emitBatch"), jaegerArguments],
  "Zipkin over HTTP": [
    { protocol: "binary", send: (message) => countOf(zipkinHttp.transcode(message).rows.bytes) },
    (change, protocol) => zipkinSpans(change).bytes(protocol),
  ],
  "agent, Zipkin in binary": [agent("binary", "emitZipkinBatch"), zipkinArguments],
  "agent, Zipkin in compact": [agent("compact", "emitZipkinBatch"), zipkinArguments],
};

function labelsOf(declared: ThriftStruct): { label: string; type: ThriftType }[] {
  return Object.values(declared.fields).flatMap((field) => [
    { label: field.label, type: field.type },
    ...(field.struct === undefined ? [] : labelsOf(field.struct)),
  ]);
}

describe.each(Object.entries(doors))("%s", (name, [{ protocol, send }, sent]) => {
  const isZipkin = name.includes("Zipkin");
  const all = labelsOf(
    isZipkin ? EmitZipkinBatchArguments.fields.spans.struct : EmitBatchArguments.fields.batch.struct,
  ).filter(({ label }) => label !== "Batch.spans");
  const spansSentWith = (label: string, value: Value) =>
    send(sent((changed) => (changed === label ? value : undefined), protocol));

  test("takes every field as declared", () => {
    expect(send(sent(() => undefined, protocol))).toBe(3);
  });

  test.each(Object.entries(ofEachType))("fields that are %s", (_, value) => {
    for (const { label } of all.filter((field) => field.type !== value.type)) {
      expect(spansSentWith(label, value), label).toBeGreaterThanOrEqual(2);
    }
    for (const { label } of all.filter((field) => field.type === thriftTypes.list)) {
      expect(spansSentWith(label, list([value, value])), `${label} is a list of it`).toBeGreaterThanOrEqual(
        2,
      );
    }
  });

  test.each(Object.entries(thriftTypes))("lists of structs that are named lists of %s", (_, type) => {
    for (const { label } of all.filter((field) => field.type === thriftTypes.list)) {
      const named = list(lists.get(label) ?? [], type);
      expect(spansSentWith(label, named), label).toBeGreaterThanOrEqual(2);
    }
  });
});

test.each(Object.entries(doors).filter(([name]) => !name.includes("Zipkin")))(
  "%s: something else in place of the spans is no message",
  (_name, [{ protocol, send }, sent]) => {
    for (const value of Object.values(ofEachType)) {
      const message = sent((label) => (label === "Batch.spans" ? value : undefined), protocol);
      expect(() => send(message)).toThrow();
    }
  },
);
