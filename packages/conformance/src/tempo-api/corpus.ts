/**
 * Times of the corpus are relative to this moment, which is a whole minute in the past, because both sides align the
 * steps of metrics.
 */
export interface Corpus {
  readonly baseUnixNano: bigint;
  /** Bodies of OTLP exports in JSON. */
  readonly exports: readonly unknown[];
  readonly traceIds: readonly string[];
}

type Value =
  | string
  | number
  | bigint
  | boolean
  | readonly Value[]
  | Uint8Array
  | { readonly [key: string]: Value };
type Attributes = Readonly<Record<string, Value>>;

/** A number with a fraction becomes a double, a bigint an integer. */
function anyValue(value: Value): object {
  if (typeof value === "string") {
    return { stringValue: value };
  }
  if (typeof value === "bigint") {
    return { intValue: String(value) };
  }
  if (typeof value === "number") {
    return { doubleValue: value };
  }
  if (typeof value === "boolean") {
    return { boolValue: value };
  }
  if (value instanceof Uint8Array) {
    return { bytesValue: Buffer.from(value).toString("base64") };
  }
  if (Array.isArray(value)) {
    return { arrayValue: { values: value.map(anyValue) } };
  }
  return { kvlistValue: { values: keyValues(value as Attributes) } };
}

function keyValues(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

interface SampleSpan {
  readonly id: number;
  readonly parent?: number;
  readonly name: string;
  /** OTLP's number: 0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind?: number;
  /** Milliseconds from the start of the trace. */
  readonly at: number;
  readonly ms: number;
  readonly status?: { readonly code?: number; readonly message?: string };
  readonly attributes?: Attributes;
  readonly events?: readonly {
    readonly name: string;
    readonly atMs: number;
    readonly attributes?: Attributes;
  }[];
  readonly links?: readonly {
    readonly traceId: string;
    readonly spanId: string;
    readonly attributes?: Attributes;
  }[];
  readonly traceState?: string;
}

interface SampleResource {
  readonly attributes: Attributes;
  readonly scope?: { readonly name: string; readonly version?: string; readonly attributes?: Attributes };
  readonly spans: readonly SampleSpan[];
}

interface SampleTrace {
  readonly traceId: string;
  /** Seconds from the base of the corpus. */
  readonly at: number;
  readonly resources: readonly SampleResource[];
}

/** No id begins with zeros, because Tempo omits leading zeros in some places. */
const hex16 = (id: number) => `5${id.toString(16).padStart(15, "0")}`;

const shop = { "service.name": "shop", "service.version": "1.2", "cloud.zone": "eu-1", replica: 3n };
const payment = { "service.name": "payment", "service.version": "2.0", "cloud.zone": "eu-2" };
const worker = { "service.name": "worker", "deployment.environment": "dev" };
const http = { name: "lib.http", version: "1.0.0", attributes: { "lib.flavour": "fast" } };

const error = { code: 2, message: "card refused" };

/** A trace with every kind of span, an error with its event, links, a scope with attributes, and four levels. */
const checkout: SampleTrace = {
  traceId: "f102030405060708090a0b0c0d0e0f10",
  at: 5,
  resources: [
    {
      attributes: shop,
      scope: http,
      spans: [
        {
          ...{ id: 0xa1, name: "POST /checkout", kind: 2, at: 0, ms: 900 },
          status: { code: 2 },
          attributes: {
            "http.method": "POST",
            "http.status_code": 500n,
            "http.route": "/checkout",
            load: 0.75,
          },
          traceState: "vendor=1",
        },
        {
          ...{ id: 0xa2, parent: 0xa1, name: "validate", kind: 1, at: 10, ms: 50 },
          status: { code: 1 },
          attributes: { items: 3n, retried: false, load: 1.5 },
        },
        {
          ...{ id: 0xa3, parent: 0xa1, name: "POST /charge", kind: 3, at: 70, ms: 700 },
          ...{ status: error },
          attributes: {
            "http.method": "POST",
            "http.status_code": 402n,
            "peer.service": "payment",
            retried: true,
          },
          links: [
            {
              traceId: "f102030405060708090a0b0c0d0e0f20",
              spanId: hex16(0xb1),
              attributes: { "link.reason": "follows" },
            },
          ],
        },
      ],
    },
    {
      attributes: payment,
      scope: { name: "lib.grpc" },
      spans: [
        {
          ...{ id: 0xa4, parent: 0xa3, name: "charge", kind: 2, at: 100, ms: 600 },
          ...{ status: error },
          attributes: { amount: 12.5, currency: "EUR", attempts: 2n },
          events: [
            {
              name: "exception",
              atMs: 120,
              attributes: { "exception.type": "Refused", "exception.escaped": true },
            },
            { name: "retry", atMs: 200, attributes: { attempt: 2n } },
          ],
        },
        {
          ...{ id: 0xa5, parent: 0xa4, name: "SELECT cards", kind: 3, at: 150, ms: 20 },
          attributes: { "db.system": "postgresql", rows: 1n },
        },
        {
          ...{ id: 0xa6, parent: 0xa4, name: "SELECT limits", kind: 3, at: 180, ms: 40 },
          attributes: { "db.system": "postgresql", rows: 40n },
        },
      ],
    },
  ],
};

/** A trace through a queue, with producer and consumer; two spans of one parent are in another service. */
const order: SampleTrace = {
  traceId: "f102030405060708090a0b0c0d0e0f20",
  at: 31,
  resources: [
    {
      attributes: shop,
      spans: [
        {
          id: 0xb1,
          name: "GET /orders",
          kind: 2,
          at: 0,
          ms: 120,
          attributes: { "http.method": "GET", "http.status_code": 200n },
        },
        {
          id: 0xb2,
          parent: 0xb1,
          name: "publish",
          kind: 4,
          at: 20,
          ms: 10,
          attributes: { "queue.name": "orders" },
        },
      ],
    },
    {
      attributes: worker,
      spans: [
        {
          id: 0xb3,
          parent: 0xb2,
          name: "consume",
          kind: 5,
          at: 40,
          ms: 400,
          attributes: { "queue.name": "orders", attempt: 1n },
        },
        {
          id: 0xb4,
          parent: 0xb2,
          name: "consume",
          kind: 5,
          at: 60,
          ms: 30,
          attributes: { "queue.name": "orders", attempt: 2n },
        },
      ],
    },
  ],
};

/** A trace whose root and one other parent were not received. */
const orphans: SampleTrace = {
  traceId: "f102030405060708090a0b0c0d0e0f30",
  at: 47,
  resources: [
    {
      attributes: payment,
      spans: [
        { id: 0xc2, parent: 0xc1, name: "refund", kind: 2, at: 0, ms: 80, attributes: { amount: 5.0001 } },
        { id: 0xc3, parent: 0xc2, name: "SELECT cards", kind: 3, at: 10, ms: 15 },
        { id: 0xc5, parent: 0xc4, name: "notify", at: 100, ms: 1, status: { code: 2, message: "" } },
      ],
    },
  ],
};

/** A trace with two roots, and with spans that lack a service, a duration or a name. */
const roots: SampleTrace = {
  traceId: "d1d2d3d4d5d6d7d8a1a2a3a4a5a6a7a8",
  at: 61,
  resources: [
    { attributes: worker, spans: [{ id: 0xd1, name: "tick", kind: 1, at: 0, ms: 5 }] },
    {
      attributes: { host: "h1" },
      spans: [
        {
          id: 0xd2,
          name: "tock",
          at: 2,
          ms: 0,
          attributes: { "": "nameless", "a b": "space", 'quo"te': "q", ümlaut: "ü" },
        },
        { id: 0xd3, parent: 0xd2, name: "", at: 3, ms: 1 },
      ],
    },
  ],
};

/**
 * A trace with every type of value; one name has values of several types, and is used by the span and by the resource.
 */
const types: SampleTrace = {
  traceId: "f102030405060708090a0b0c0d0e0f50",
  at: 75,
  resources: [
    {
      attributes: { "service.name": "types", both: "resource", "only.resource": 1n, flags: [true, false] },
      spans: [
        {
          ...{ id: 0xe1, name: "scalars", kind: 1, at: 0, ms: 10 },
          attributes: {
            ...{ text: "x", empty: "", int: 7n, negative: -7n, big: 9_007_199_254_740_993n, double: 7.5 },
            ...{ whole: 7, small: 1e-9, large: 1e21, yes: true, no: false, both: "span", mixed: "7" },
          },
        },
        {
          ...{ id: 0xe2, parent: 0xe1, name: "lists", kind: 1, at: 1, ms: 2 },
          attributes: {
            ...{ texts: ["x", "y"], ints: [1n, 2n, 3n], doubles: [0.5, 2.5], bools: [true, false], none: [] },
            ...{ mixedList: ["x", 1n], map: { a: 1n, b: "x" }, bytes: new Uint8Array([1, 2, 3]), mixed: 7n },
          },
        },
        {
          ...{ id: 0xe3, parent: 0xe1, name: "mixed", kind: 1, at: 2, ms: 2 },
          attributes: { mixed: 7.5, text: "X", int: 8n, line: "a\nb" },
        },
        {
          id: 0xe4,
          parent: 0xe1,
          name: "mixed",
          kind: 1,
          at: 3,
          ms: 2,
          attributes: { mixed: true, int: 9n },
        },
      ],
    },
  ],
};

/** A trace with a chain of ten spans, each the child of the one before; every third span has one more child. */
const chain: SampleTrace = {
  traceId: "f102030405060708090a0b0c0d0e0f60",
  at: 90,
  resources: [
    {
      attributes: { ...shop, "service.version": "1.3" },
      spans: Array.from({ length: 10 }, (_, depth) => ({
        ...{ id: 0x100 + depth, name: `level ${depth}`, kind: 1, at: depth, ms: 200 - 10 * depth },
        ...(depth === 0 ? {} : { parent: 0xff + depth }),
        attributes: { depth: BigInt(depth) },
      })),
    },
    {
      attributes: worker,
      spans: [0, 3, 6, 9].map((depth) => ({
        ...{ id: 0x200 + depth, parent: 0x100 + depth, name: "leaf", kind: 3, at: 15 + depth, ms: 3 + depth },
        attributes: { depth: BigInt(depth), load: depth / 2 },
        status: { code: depth === 6 ? 2 : 0 },
      })),
    },
  ],
};

const traces = [checkout, order, orphans, roots, types, chain];

function spanJson(traceId: string, traceAt: bigint, span: SampleSpan): object {
  const at = (ms: number) => String(traceAt + BigInt(ms) * 1_000_000n);
  return {
    ...{ traceId, spanId: hex16(span.id), name: span.name },
    ...(span.parent === undefined ? {} : { parentSpanId: hex16(span.parent) }),
    ...(span.kind === undefined ? {} : { kind: span.kind }),
    ...{ startTimeUnixNano: at(span.at), endTimeUnixNano: at(span.at + span.ms) },
    attributes: keyValues(span.attributes ?? {}),
    events: (span.events ?? []).map(({ name, atMs, attributes = {} }) => ({
      ...{ name, timeUnixNano: at(atMs), attributes: keyValues(attributes) },
    })),
    links: (span.links ?? []).map(({ attributes = {}, ...link }) => ({
      ...link,
      attributes: keyValues(attributes),
    })),
    ...(span.status === undefined ? {} : { status: span.status }),
    ...(span.traceState === undefined ? {} : { traceState: span.traceState }),
  };
}

/** The corpus with times relative to a moment. */
export function corpusAt(baseUnixNano: bigint): Corpus {
  return {
    baseUnixNano,
    traceIds: traces.map(({ traceId }) => traceId),
    exports: traces.map(({ traceId, at, resources }) => ({
      resourceSpans: resources.map(({ attributes, scope, spans }) => ({
        resource: { attributes: keyValues(attributes) },
        scopeSpans: [
          {
            ...(scope === undefined
              ? {}
              : { scope: { ...scope, attributes: keyValues(scope.attributes ?? {}) } }),
            spans: spans.map((span) => spanJson(traceId, baseUnixNano + BigInt(at) * 1_000_000_000n, span)),
          },
        ],
      })),
    })),
  };
}
