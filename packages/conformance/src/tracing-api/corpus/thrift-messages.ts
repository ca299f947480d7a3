import { type CorpusIds, type CorpusMessage, corpusIds, corpusSeconds } from "./corpus-message.ts";
import { type Encoding, emitBatch, type ThriftValues, thriftBatch } from "./thrift-message.ts";

const types = { string: 0, double: 1, bool: 2, long: 3, binary: 4 } as const;
const text = (key: string, vStr: string) => ({ key, vType: types.string, vStr });
const long = (key: string, vLong: bigint) => ({ key, vType: types.long, vLong });
const at = (micros: number) => BigInt(corpusSeconds) * 1_000_000n + BigInt(micros);

const everyType = [
  text("text", "grüße 🦊 \u0000 <&>"),
  text("empty", ""),
  { key: "yes", vType: types.bool, vBool: true },
  { key: "no", vType: types.bool, vBool: false },
  long("long", 42n),
  long("long past safe", 9_007_199_254_740_993n),
  long("long min", -(2n ** 63n)),
  { key: "double", vType: types.double, vDouble: 72.5 },
  { key: "double small", vType: types.double, vDouble: 1e-7 },
  { key: "binary", vType: types.binary, vBinary: Buffer.of(0, 255, 128) },
  { key: "binary empty", vType: types.binary, vBinary: Buffer.alloc(0) },
  { key: "several", vType: types.long, vStr: "text", vLong: 7n, vBool: true },
  text("", "empty key"),
];

interface Batch {
  readonly name: string;
  readonly batch: ThriftValues;
  readonly traceIds: readonly string[];
}

function batches(prefix: string, ids: CorpusIds): Batch[] {
  const id = (serial: number, index: number) => ids.span(serial * 256 + index);
  const halves = (serial: number) => ({
    traceIdLow: ids.trace(serial).slice(16),
    traceIdHigh: ids.trace(serial).slice(0, 16),
  });
  const usual = { parentSpanId: 0, operationName: "work", flags: 1, startTime: at(0), duration: 1500 };
  const one = (
    serial: number,
    name: string,
    spans: readonly object[],
    more: object = { process: { serviceName: `${prefix} ${name}` } },
  ): Batch => ({
    name,
    traceIds: [ids.trace(serial)],
    batch: {
      ...more,
      spans: spans.map((span, index) => ({
        ...halves(serial),
        spanId: id(serial, index),
        ...usual,
        ...span,
      })),
    },
  });
  const to = (refType: number, serial: number, index: number) => ({
    refType,
    ...halves(serial),
    spanId: id(serial, index),
  });

  return [
    one(1, "every type", [{ tags: everyType, logs: [{ timestamp: at(5), fields: everyType }] }], {
      process: { serviceName: `${prefix} every type`, tags: everyType },
      seqNo: 3n,
      stats: { fullQueueDroppedSpans: 1, tooLargeDroppedSpans: 2, failedToEmitSpans: 3 },
    }),
    one(2, "references", [
      { operationName: "root", flags: 3 },
      { parentSpanId: id(2, 0) },
      { parentSpanId: id(2, 0), references: [to(0, 2, 0)] },
      { parentSpanId: id(2, 0), references: [to(1, 2, 0), to(0, 1, 0)] },
      { references: [to(1, 2, 1)] },
      { references: [{ refType: 0, traceIdLow: 0, traceIdHigh: 0, spanId: id(2, 1) }] },
    ]),
    {
      name: "short trace id",
      traceIds: [ids.shortTrace(3)],
      batch: {
        process: { serviceName: `${prefix} short trace id` },
        spans: [{ ...usual, traceIdLow: ids.shortTrace(3), traceIdHigh: 0, spanId: -1 }],
      },
    },
    one(4, "times", [
      { operationName: "no start", startTime: 0 },
      { operationName: "no length", duration: 0 },
      { operationName: "negative", duration: -10 },
      { operationName: "long", duration: 90_000_000_000n },
    ]),
    one(5, "empty names", [{ operationName: "", flags: 0 }], { process: { serviceName: "" } }),
    one(6, "tag of an unknown type", [{ tags: [{ key: "k", vType: 9, vStr: "x" }] }]),
    one(7, "duplicate tags", [{ tags: [text("k", "2"), text("k", "1"), long("k", 1n), text("k", "1")] }]),
    one(
      8,
      "tags of a client",
      [
        { operationName: "call", spanId: id(8, 0), tags: [text("span.kind", "client")] },
        {
          operationName: "serve",
          spanId: id(8, 0),
          startTime: at(100),
          tags: [text("span.kind", "server"), long("peer.ipv4", 167_772_161n), text("sampler.type", "const")],
        },
      ],
      {
        process: {
          serviceName: `${prefix} tags of a client`,
          tags: [
            text("jaeger.version", "Node-3"),
            text("hostname", "h"),
            text("ip", "10.0.0.1"),
            text("a", "b"),
          ],
        },
      },
    ),
    {
      name: "no spans",
      traceIds: [],
      batch: { process: { serviceName: `${prefix} no spans` }, spans: [] },
    },
  ];
}

const overHttp = {
  over: "http",
  door: "collectorHttp",
  path: "/api/traces?format=jaeger.thrift",
  headers: { "content-type": "application/vnd.apache.thrift.binary" },
} as const;

/** A batch written by hand, with fields that the IDL does not have; readers must skip each of them. */
function byHand(ids: CorpusIds, service: string): { body: Buffer; traceId: string } {
  const traceId = ids.trace(0xff);
  const string = (value: string) =>
    `${value.length.toString(16).padStart(8, "0")}${Buffer.from(value).toString("hex")}`;
  const unknownMap = `0d0063${"0b"}${"08"}00000001${string("k")}00000005`;
  const unknownBool = "02006401";
  const process = `0c0001${unknownMap}0b0001${string(service)}00`;
  const start = at(0).toString(16).padStart(16, "0");
  const span = [
    // The fields in reverse order: duration, start, flags, name, ids.
    "0a000900000000000005dc",
    `0a0008${start}`,
    "08000700000001",
    unknownBool,
    `0b0005${string("by hand")}`,
    "0a00040000000000000000",
    `0a0003${ids.span(0xff00)}`,
    `0a0002${traceId.slice(0, 16)}`,
    `0a0001${traceId.slice(16)}`,
    "00",
  ].join("");
  return { body: Buffer.from(`${process}0f00020c00000001${span}00`, "hex"), traceId };
}

function httpMessages(): CorpusMessage[] {
  const ids = corpusIds("06");
  const { body, traceId } = byHand(ids, "thrift-http by hand");
  return [
    ...batches("thrift-http", ids).map(({ name, batch, traceIds }) => ({
      name: `Thrift over HTTP: ${name}`,
      delivery: overHttp,
      body: thriftBatch(batch),
      traceIds,
    })),
    { name: "Thrift over HTTP: by hand", delivery: overHttp, body, traceIds: [traceId] },
    {
      name: "Thrift over HTTP: the other type",
      delivery: {
        ...overHttp,
        path: "/api/traces",
        headers: { "content-type": "application/x-thrift; charset=utf-8" },
      },
      body: thriftBatch({
        process: { serviceName: "thrift-http the other type" },
        spans: [
          {
            traceIdLow: ids.trace(16).slice(16),
            traceIdHigh: ids.trace(16).slice(0, 16),
            spanId: ids.span(16),
            parentSpanId: 0,
            operationName: "work",
            flags: 0,
            startTime: at(0),
            duration: 1,
          },
        ],
      }),
      traceIds: [ids.trace(16)],
    },
  ];
}

function packets(
  title: string,
  prefix: string,
  door: "agentCompact" | "agentBinary",
  encoding: Encoding,
  ids: CorpusIds,
): CorpusMessage[] {
  const call = 1;
  return batches(prefix, ids).map(({ name, batch, traceIds }, index) => ({
    name: `${title}: ${name}`,
    delivery: { over: "udp", door },
    // Some clients send CALL, as if they expected an answer.
    body: emitBatch(batch, encoding, index % 2 === 1 ? call : undefined),
    traceIds,
  }));
}

/** Makes the compact form of the batch `byHand`. */
function compactByHand(ids: CorpusIds, service: string): CorpusMessage {
  const traceId = ids.trace(0xff);
  const varint = (value: bigint) => {
    const bytes: number[] = [];
    let rest = BigInt.asUintN(64, value);
    for (; rest > 0x7fn; rest >>= 7n) {
      bytes.push(Number(rest & 0x7fn) | 0x80);
    }
    return Buffer.from([...bytes, Number(rest)]).toString("hex");
  };
  const zigzag = (hex: string) => {
    const value = BigInt.asIntN(64, BigInt(`0x${hex}`));
    return varint((value << 1n) ^ (value >> 63n));
  };
  const string = (value: string) =>
    `${value.length.toString(16).padStart(2, "0")}${Buffer.from(value).toString("hex")}`;
  const span = [
    `16${zigzag(traceId.slice(16))}`,
    `16${zigzag(traceId.slice(0, 16))}`,
    `16${zigzag(ids.span(0xff00))}`,
    "1600",
    `18${string("by hand")}`,
    // Fields after field 6: flags.
    "2502",
    `16${zigzag(at(0).toString(16))}`,
    // The long form of a field header: the type, then the id as a zigzag varint.
    `0612${zigzag("5dc")}`,
    // Unknown fields 30 and 31: true, and a list of two bytes.
    "013c",
    "19230708",
    "00",
  ].join("");
  const batch = `1c18${string(service)}00191c${span}00`;
  return {
    name: "compact through the agent: by hand",
    delivery: { over: "udp", door: "agentCompact" },
    body: Buffer.from(`828101${string("emitBatch")}1c${batch}00`, "hex"),
    traceIds: [traceId],
  };
}

/** Messages for the ports 14268, 6831 and 6832. */
export const thriftMessages: readonly CorpusMessage[] = [
  ...httpMessages(),
  ...packets("compact through the agent", "compact", "agentCompact", "compact", corpusIds("07")),
  compactByHand(corpusIds("07"), "compact by hand"),
  ...packets("binary through the agent", "binary", "agentBinary", "strict binary", corpusIds("08")),
  ...packets("old binary through the agent", "old-binary", "agentBinary", "old binary", corpusIds("09")),
];
