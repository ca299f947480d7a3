import { type CorpusIds, type CorpusMessage, corpusIds, corpusSeconds } from "./corpus-message.ts";
import { protobufMessage } from "./protobuf-message.ts";

const types = { string: 0, bool: 1, int64: 2, float64: 3, binary: 4 } as const;
const text = (key: string, vStr: string) => ({ key, vType: types.string, vStr });
const whole = (key: string, vInt64: string) => ({ key, vType: types.int64, vInt64 });

const at = (micros: number) => ({
  seconds: corpusSeconds + Math.floor(micros / 1_000_000),
  nanos: (((micros % 1_000_000) + 1_000_000) % 1_000_000) * 1000,
});

const everyType = [
  text("text", "grüße 🦊 \u0000 <&>"),
  text("empty", ""),
  { key: "yes", vType: types.bool, vBool: true },
  { key: "no", vType: types.bool },
  whole("int", "42"),
  whole("int past safe", "9007199254740993"),
  whole("int min", "-9223372036854775808"),
  { key: "double", vType: types.float64, vFloat64: 72.5 },
  { key: "double large", vType: types.float64, vFloat64: 1e21 },
  { key: "binary", vType: types.binary, vBinary: "AP+A" },
  { key: "binary empty", vType: types.binary },
  // The type decides which value counts.
  { key: "several", vType: types.int64, vStr: "text", vInt64: "7", vBool: true },
  text("", "empty key"),
];

interface Request {
  readonly name: string;
  readonly batch: object;
  readonly traceIds: readonly string[];
}

function requests(prefix: string, ids: CorpusIds): Request[] {
  const id = (serial: number, index: number) => ids.span(serial * 256 + index);
  const usual = { operationName: "work", flags: 1, startTime: at(0), duration: { nanos: 1_500_000 } };
  const one = (
    serial: number,
    name: string,
    spans: readonly object[],
    process: object | undefined = { serviceName: `${prefix} ${name}` },
  ): Request => ({
    name,
    traceIds: [ids.trace(serial)],
    batch: {
      ...(process !== undefined && { process }),
      spans: spans.map((span, index) => ({
        traceId: ids.trace(serial),
        spanId: id(serial, index),
        ...usual,
        ...span,
      })),
    },
  });
  const to = (refType: 0 | 1, serial: number, index: number) => ({
    refType,
    traceId: ids.trace(serial),
    spanId: id(serial, index),
  });
  const process = { serviceName: `${prefix} every type`, tags: everyType };

  return [
    one(
      1,
      "every type",
      [{ tags: everyType, logs: [{ timestamp: at(5), fields: everyType }, { timestamp: at(1) }, {}] }],
      process,
    ),
    one(2, "references", [
      { operationName: "root" },
      { references: [to(0, 2, 0)] },
      { references: [to(1, 2, 0)] },
      { references: [to(1, 2, 1), to(0, 2, 0)] },
      { references: [to(0, 1, 0), to(1, 1, 0)] },
      { references: [to(0, 2, 0), to(0, 2, 1)] },
      { references: [{ refType: 0, traceId: "0".repeat(32), spanId: id(2, 0) }] },
    ]),
    one(3, "flags", [
      { flags: 0 },
      { flags: 1 },
      { flags: 2 },
      { flags: 3 },
      { flags: 8 },
      { flags: 4_294_967_295 },
    ]),
    one(4, "own process", [
      { process: { serviceName: `${prefix} own process`, tags: [text("b", "2"), text("a", "1")] } },
      { process: { serviceName: `${prefix} other process` }, processId: "p7" },
      {},
    ]),
    one(5, "warnings", [{ warnings: ["clock was wrong", "a second one"] }]),
    one(6, "times", [
      { operationName: "nanoseconds", startTime: { seconds: corpusSeconds, nanos: 123_456_789 } },
      { operationName: "no start", startTime: {} },
      { operationName: "no length", duration: {} },
      { operationName: "negative", duration: { nanos: -10_000 } },
      { operationName: "long", duration: { seconds: 90_000, nanos: 1 } },
    ]),
    one(7, "tags of the adjusters", [
      {
        tags: [
          text("telemetry.sdk.language", "go"),
          whole("peer.ipv4", "167772161"),
          whole("ip", "3232235777"),
          text("span.kind", "server"),
          { key: "error", vType: types.bool, vBool: true },
        ],
        logs: [
          {
            timestamp: at(1),
            fields: [text("b", "1"), text("event", "e"), text("a", "2"), text("event", "d")],
          },
        ],
      },
    ]),
    one(8, "duplicate tags", [{ tags: [text("k", "2"), text("k", "1"), whole("k", "1"), text("k", "1")] }]),
    one(9, "empty names", [{ operationName: "" }], { serviceName: "" }),
    {
      ...one(10, "no process", [{}], {}),
      batch: { spans: [{ traceId: ids.trace(10), spanId: id(10, 0), ...usual }] },
    },
    {
      name: "short trace id",
      traceIds: [ids.shortTrace(11)],
      batch: {
        process: { serviceName: `${prefix} short trace id` },
        // Eight bytes count as the low half of the trace id.
        spans: [
          { traceId: ids.shortTrace(11), spanId: id(11, 0), ...usual },
          { traceId: ids.shortTrace(11).padStart(32, "0"), spanId: id(11, 1), ...usual },
        ],
      },
    },
    one(12, "shared span ids", [
      { spanId: id(12, 0), tags: [text("span.kind", "client")] },
      { spanId: id(12, 0), tags: [text("span.kind", "server")], startTime: at(10) },
      { references: [to(0, 12, 0)], startTime: at(20) },
    ]),
    one(13, "tag of an unknown type", [{ tags: [{ key: "k", vType: 9, vStr: "x" }] }]),
    { name: "no spans", traceIds: [], batch: { process: { serviceName: `${prefix} no spans` } } },
  ];
}

/** A span written by hand: its fields are in reverse order, it has no flags, and it has unknown fields. */
function byHand(traceId: string, spanId: string, service: string): Uint8Array {
  const field = (tag: string, content: string) =>
    `${tag}${(content.length / 2).toString(16).padStart(2, "0")}${content}`;
  const ascii = (value: string) => Buffer.from(value).toString("hex");
  const unknown = `d03e01${field("da3e", "00ff")}`;
  const tag = field("42", field("1a", ascii("v")) + field("0a", ascii("k")));
  // 1795030400 as a varint.
  const seconds = "0880fbf7d706";
  const span =
    tag +
    unknown +
    field("32", seconds) +
    field("1a", ascii("by hand")) +
    field("12", spanId) +
    field("0a", traceId);
  const process = field("0a", ascii(service));
  return Buffer.from(field("0a", field("12", process) + field("0a", span)), "hex");
}

function messages(prefix: string, packageName: string, ids: CorpusIds): CorpusMessage[] {
  const delivery = {
    over: "grpc",
    door: "collectorGrpc",
    path: `/${packageName}.CollectorService/PostSpans`,
  } as const;
  return [
    ...requests(prefix, ids).map(({ name, batch, traceIds }) => ({
      name: `PostSpans of ${packageName}: ${name}`,
      delivery,
      body: protobufMessage("tracing.api_v2.PostSpansRequest", { batch }),
      traceIds,
    })),
    {
      name: `PostSpans of ${packageName}: by hand`,
      delivery,
      body: byHand(ids.trace(0xff), ids.span(0xff00), `${prefix} by hand`),
      traceIds: [ids.trace(0xff)],
    },
    { name: `PostSpans of ${packageName}: no batch`, delivery, body: new Uint8Array(), traceIds: [] },
  ];
}

/** Messages for `CollectorService.PostSpans` on port 14250, under the public package name and under the neutral one. */
export const postSpansMessages: readonly CorpusMessage[] = [
  ...messages("post-spans", "jaeger.api_v2", corpusIds("04")),
  ...messages("post-spans-neutral", "tracing.api_v2", corpusIds("05")),
];
