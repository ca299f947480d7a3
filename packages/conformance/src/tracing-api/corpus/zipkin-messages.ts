import { gzipSync } from "node:zlib";
import { type CorpusIds, type CorpusMessage, corpusIds, corpusSeconds } from "./corpus-message.ts";
import { protobufMessage } from "./protobuf-message.ts";
import { emitZipkinBatch, type ThriftValues, zipkinThriftList } from "./thrift-message.ts";

const micros = corpusSeconds * 1_000_000;

interface ZipkinCase {
  readonly name: string;
  readonly spans: readonly Readonly<Record<string, unknown>>[];
  readonly traceIds: readonly string[];
}

function v2Cases(prefix: string, ids: CorpusIds): ZipkinCase[] {
  const id = (serial: number, index: number) => ids.span(serial * 256 + index);
  const one = (serial: number, name: string, spans: readonly object[]): ZipkinCase => ({
    name,
    traceIds: [ids.trace(serial)],
    spans: spans.map((span, index) => ({
      traceId: ids.trace(serial),
      id: id(serial, index),
      name: "work",
      timestamp: micros,
      duration: 1500,
      localEndpoint: { serviceName: `${prefix} ${name}` },
      ...span,
    })),
  });
  return [
    one(1, "everything", [
      {
        kind: "SERVER",
        parentId: id(1, 9),
        localEndpoint: { serviceName: `${prefix} everything`, port: 8080 },
        remoteEndpoint: { serviceName: "browser", port: 51_234 },
        annotations: [
          { timestamp: micros + 10, value: "cache miss 🦊" },
          { timestamp: micros + 5, value: 'name|{"a":"1"}|0' },
          { timestamp: micros + 7, value: "" },
        ],
        tags: { "http.path": "/grüße", "http.status_code": "503", empty: "", number: "42", yes: "true" },
        debug: true,
        shared: true,
      },
    ]),
    one(2, "kinds", [
      ...["CLIENT", "SERVER", "PRODUCER", "CONSUMER"].map((kind) => ({ kind, name: kind })),
      { name: "none" },
      { name: "internal by tag", tags: { "span.kind": "internal" } },
    ]),
    one(3, "errors", [
      { tags: { error: "true" } },
      { tags: { error: "no stock" } },
      { tags: { error: "" } },
      { tags: { error: "false" } },
      { tags: { "otel.status_code": "ERROR", "otel.status_description": "bad" } },
      { tags: { "otel.status_code": "STATUS_CODE_OK" } },
    ]),
    one(4, "resources and scopes", [
      { tags: { "host.name": "h", "service.version": "1", "telemetry.sdk.name": "x", other: "o" } },
      { tags: { "host.name": "lost", "otel.library.name": "lib", "otel.library.version": "2" } },
      { localEndpoint: { serviceName: `${prefix} resources second` }, tags: { "k8s.pod.name": "p" } },
    ]),
    one(5, "little", [
      { name: undefined, timestamp: undefined, duration: undefined, localEndpoint: undefined },
      { duration: undefined },
      { localEndpoint: {} },
      { name: "" },
      { parentId: id(5, 4), spanId: undefined },
    ]),
    {
      name: "short trace id",
      traceIds: [ids.shortTrace(6)],
      spans: [
        {
          traceId: ids.shortTrace(6),
          id: id(6, 0),
          name: "work",
          timestamp: micros,
          duration: 1,
          localEndpoint: { serviceName: `${prefix} short trace id` },
        },
      ],
    },
    one(7, "shared span ids", [
      { id: id(7, 0), kind: "CLIENT" },
      { id: id(7, 0), kind: "SERVER", shared: true, timestamp: micros + 10 },
      { parentId: id(7, 0), timestamp: micros + 20 },
    ]),
    { name: "no spans", traceIds: [], spans: [] },
  ];
}

const post = (path: string, type: string, more: Readonly<Record<string, string>> = {}) =>
  ({ over: "http", door: "zipkin", path, headers: { "content-type": type, ...more } }) as const;

function v2Json(): CorpusMessage[] {
  const ids = corpusIds("0a");
  const gzipped = corpusIds("0b");
  return [
    ...v2Cases("zipkin-json", ids).map(({ name, spans, traceIds }) => ({
      name: `Zipkin v2 JSON: ${name}`,
      delivery: post("/api/v2/spans", "application/json"),
      body: Buffer.from(JSON.stringify(spans)),
      traceIds,
    })),
    ...v2Cases("zipkin-gzip", gzipped)
      .slice(0, 1)
      .map(({ name, spans, traceIds }) => ({
        name: `Zipkin v2 JSON, gzip: ${name}`,
        delivery: post("/api/v2/spans", "application/json", { "content-encoding": "gzip" }),
        body: gzipSync(JSON.stringify(spans)),
        traceIds,
      })),
  ];
}

/** Addresses, which are bytes in protobuf. */
const ipv4 = Buffer.of(192, 0, 2, 1);
const ipv6 = Buffer.from("20010db8000000000000000000000001", "hex");

function v2Protobuf(): CorpusMessage[] {
  const ids = corpusIds("0c");
  const cases = v2Cases("zipkin-proto", ids);
  const addresses: ZipkinCase = {
    name: "addresses",
    traceIds: [ids.trace(9)],
    spans: [
      {
        traceId: ids.trace(9),
        id: ids.span(9),
        name: "work",
        timestamp: micros,
        duration: 1,
        localEndpoint: { serviceName: "zipkin-proto addresses", ipv4, ipv6 },
        remoteEndpoint: { ipv4 },
      },
    ],
  };
  const delivery = post("/api/v2/spans", "application/x-protobuf");
  return [...cases, addresses].map(({ name, spans, traceIds }) => ({
    name: `Zipkin v2 protobuf: ${name}`,
    delivery,
    body: protobufMessage("zipkin.proto3.ListOfSpans", { spans }),
    traceIds,
  }));
}

function v1Json(): CorpusMessage[] {
  const ids = corpusIds("0d");
  const id = (serial: number, index: number) => ids.span(serial * 256 + index);
  const host = { serviceName: "zipkin-v1 everything", ipv4: "192.0.2.1", port: 80 };
  const delivery = post("/api/v1/spans", "application/json");
  const one = (serial: number, name: string, spans: readonly object[]): CorpusMessage => ({
    name: `Zipkin v1 JSON: ${name}`,
    delivery,
    traceIds: [ids.trace(serial)],
    body: Buffer.from(
      JSON.stringify(
        spans.map((span, index) => ({
          traceId: ids.trace(serial),
          id: id(serial, index),
          name: "work",
          ...span,
        })),
      ),
    ),
  });
  const endpoint = { serviceName: "zipkin-v1 statuses" };
  return [
    one(1, "everything", [
      {
        parentId: id(1, 9),
        timestamp: micros,
        duration: 1500,
        debug: true,
        annotations: [
          { timestamp: micros, value: "sr", endpoint: host },
          { timestamp: micros + 700, value: "cache miss", endpoint: host },
          { timestamp: micros + 1500, value: "ss", endpoint: host },
        ],
        binaryAnnotations: [
          { key: "http.path", value: "/x", endpoint: host },
          { key: "lc", value: "component", endpoint: host },
          { key: "sa", value: "true", endpoint: { serviceName: "other", ipv4: "198.51.100.7", port: 1 } },
        ],
      },
      {
        annotations: [
          { timestamp: micros + 3, value: "cs", endpoint: host },
          { timestamp: micros + 9, value: "cr", endpoint: host },
        ],
      },
    ]),
    one(2, "statuses", [
      { timestamp: micros, binaryAnnotations: [{ key: "error", value: "no stock", endpoint }] },
      { timestamp: micros, binaryAnnotations: [{ key: "http.status_code", value: "404", endpoint }] },
      { timestamp: micros, binaryAnnotations: [{ key: "http.status_code", value: "200", endpoint }] },
      { timestamp: micros },
    ]),
  ];
}

const annotationTypes = { bool: 0, bytes: 1, i16: 2, i32: 3, i64: 4, double: 5, string: 6 } as const;

function doubleBytes(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes;
}

function thriftSpans(
  prefix: string,
  ids: CorpusIds,
): { name: string; traceId: string; spans: ThriftValues[] }[] {
  const host = { ipv4: 0x0a000001, port: 8080, service_name: `${prefix} everything` };
  const one = (serial: number, name: string, spans: readonly ThriftValues[]) => ({
    name,
    traceId: ids.trace(serial),
    spans: spans.map((span, index) => ({
      trace_id: ids.trace(serial).slice(16),
      trace_id_high: ids.trace(serial).slice(0, 16),
      name: "work",
      id: ids.span(serial * 256 + index),
      annotations: [],
      binary_annotations: [],
      ...span,
    })),
  });
  const note = (value: string, offset: number, at: object = host) => ({
    timestamp: micros + offset,
    value,
    host: at,
  });
  const tag = (key: string, type: keyof typeof annotationTypes, value: Buffer | string) => ({
    key,
    value: Buffer.from(value),
    annotation_type: annotationTypes[type],
    host,
  });
  return [
    one(1, "everything", [
      {
        parent_id: ids.span(1),
        timestamp: micros,
        duration: 1500,
        debug: true,
        annotations: [
          note("sr", 0),
          note("cache miss", 700),
          // Each object has only one member, because the public model returns several members in a random order.
          note('{"event":"e"}', 701),
          note('{"a":"b"}', 702),
          note("ss", 1500),
        ],
        binary_annotations: [
          tag("bool", "bool", Buffer.of(1)),
          tag("bytes", "bytes", Buffer.of(0, 255)),
          tag("i16", "i16", Buffer.of(255, 254)),
          tag("i32", "i32", Buffer.of(0, 0, 1, 0)),
          tag("i64", "i64", Buffer.of(0, 0, 0, 0, 0, 0, 0, 42)),
          tag("double", "double", doubleBytes(2.5)),
          tag("text", "string", "grüße"),
          tag("lc", "string", "component"),
          { ...tag("ca", "bool", Buffer.of(1)), host: { ipv4: 0x0a000002, port: 1, service_name: "caller" } },
        ],
      },
      { annotations: [note("cs", 10), note("cr", 30)] },
    ]),
    one(2, "errors", [
      {
        timestamp: micros,
        annotations: [note("cs", 0)],
        binary_annotations: [tag("error", "string", "no stock")],
      },
      {
        timestamp: micros,
        annotations: [note("cs", 0)],
        binary_annotations: [tag("error", "bool", Buffer.of(1))],
      },
      {
        timestamp: micros,
        annotations: [note("cs", 0)],
        binary_annotations: [tag("http.status_code", "string", "500")],
      },
    ]),
    one(3, "both sides", [{ annotations: [note("cs", 0), note("sr", 10), note("ss", 20), note("cr", 30)] }]),
    one(4, "no host", [{ timestamp: micros, duration: 5, annotations: [{ timestamp: micros, value: "x" }] }]),
  ];
}

/** Messages for port 9411, and for the agent's port 5775. */
export const zipkinMessages: readonly CorpusMessage[] = [
  ...v2Json(),
  ...v2Protobuf(),
  ...v1Json(),
  ...thriftSpans("zipkin-v1-thrift", corpusIds("0e")).map(({ name, traceId, spans }) => ({
    name: `Zipkin v1 Thrift: ${name}`,
    delivery: post("/api/v1/spans", "application/x-thrift"),
    body: zipkinThriftList(spans),
    traceIds: [traceId],
  })),
  ...thriftSpans("zipkin-agent", corpusIds("0f")).map(({ name, traceId, spans }) => ({
    name: `Zipkin compact through the agent: ${name}`,
    delivery: { over: "udp", door: "agentZipkin" } as const,
    body: emitZipkinBatch(spans, "compact"),
    // The agent refuses a packet with spans that have no service.
    traceIds: name === "no host" ? [] : [traceId],
  })),
];
