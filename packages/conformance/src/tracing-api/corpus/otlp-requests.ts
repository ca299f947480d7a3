import { type CorpusIds, corpusSeconds } from "./corpus-message.ts";

/** One request in the form of OTLP JSON, and the ids of its traces. */
export interface OtlpRequest {
  readonly name: string;
  readonly request: object;
  readonly traceIds: readonly string[];
  /** The only encoding that can express this request; absent when both can. */
  readonly only?: "json" | "protobuf";
}

const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
const serviceOf = (name: string, ...more: object[]) => ({
  attributes: [text("service.name", name), ...more],
});

/** Nanoseconds since 1970, `micros` after the corpus' time. */
const at = (micros: number, nanos = 0) =>
  String(BigInt(corpusSeconds) * 1_000_000_000n + BigInt(micros) * 1000n + BigInt(nanos));

/** Fields of a span that a case does not override. */
const usual = { name: "work", startTimeUnixNano: at(0), endTimeUnixNano: at(1500) };

const everyType = [
  text("text", 'grüße 🦊 \u0000 \u001f \u2028 <&>"\\ مرحبا'),
  text("empty", ""),
  { key: "yes", value: { boolValue: true } },
  { key: "no", value: { boolValue: false } },
  { key: "int", value: { intValue: "42" } },
  { key: "int zero", value: { intValue: "0" } },
  { key: "int safe", value: { intValue: "9007199254740991" } },
  { key: "int past safe", value: { intValue: "9007199254740992" } },
  { key: "int past -safe", value: { intValue: "-9007199254740993" } },
  { key: "int max", value: { intValue: "9223372036854775807" } },
  { key: "int min", value: { intValue: "-9223372036854775808" } },
  { key: "double", value: { doubleValue: 72.5 } },
  { key: "double whole", value: { doubleValue: 3 } },
  { key: "double large", value: { doubleValue: 1e21 } },
  { key: "double small", value: { doubleValue: 1e-7 } },
  { key: "double max", value: { doubleValue: 1.7976931348623157e308 } },
  { key: "double least", value: { doubleValue: 5e-324 } },
  { key: "double third", value: { doubleValue: 1 / 3 } },
  { key: "bytes", value: { bytesValue: "AP+A" } },
  { key: "bytes empty", value: { bytesValue: "" } },
  {
    key: "array",
    value: {
      arrayValue: {
        values: [
          { stringValue: "x<&>" },
          { intValue: "-1" },
          { boolValue: true },
          { doubleValue: 2.5 },
          { doubleValue: 3 },
          { bytesValue: "AQID" },
          { arrayValue: { values: [{ stringValue: "deep" }] } },
          {},
        ],
      },
    },
  },
  { key: "array empty", value: { arrayValue: { values: [] } } },
  {
    key: "map",
    value: {
      kvlistValue: {
        values: [
          text("z", "last"),
          { key: "a", value: { kvlistValue: { values: [text("b", "c")] } } },
          { key: "n", value: { intValue: "9007199254740993" } },
        ],
      },
    },
  },
  { key: "map empty", value: { kvlistValue: { values: [] } } },
  { key: "nothing", value: {} },
  text("", "empty key"),
];

/** Requests that use all features of OTLP. @param prefix prefix of the names of services */
export function otlpRequests(prefix: string, ids: CorpusIds): OtlpRequest[] {
  const one = (serial: number, name: string, spans: readonly object[], resource?: object): OtlpRequest => ({
    name,
    traceIds: [ids.trace(serial)],
    request: {
      resourceSpans: [
        {
          resource: resource ?? serviceOf(`${prefix} ${name}`),
          scopeSpans: [
            {
              spans: spans.map((span, index) => ({
                traceId: ids.trace(serial),
                spanId: ids.span(serial * 256 + index),
                ...usual,
                ...span,
              })),
            },
          ],
        },
      ],
    },
  });
  const id = (serial: number, index: number) => ids.span(serial * 256 + index);

  return [
    one(1, "every type", [{ attributes: everyType }], serviceOf(`${prefix} every type`, ...everyType)),
    one(2, "kinds", [
      ...[0, 1, 2, 3, 4, 5].map((kind) => ({ kind, name: `kind ${kind}` })),
      { name: "own span.kind", kind: 2, attributes: [text("span.kind", "client")] },
    ]),
    one(3, "status", [
      { status: {} },
      { status: { code: 1 } },
      { status: { code: 2 } },
      { status: { code: 2, message: "stock <empty>" } },
      { status: { message: "unset" } },
      {
        status: { code: 2 },
        attributes: [text("error", "own"), { key: "error", value: { boolValue: false } }],
      },
    ]),
    one(4, "events", [
      {
        events: [
          {
            timeUnixNano: at(20, 7),
            name: "exception",
            attributes: [text("exception.type", "E"), { key: "attempt", value: { intValue: "2" } }],
          },
          { timeUnixNano: at(10), name: "", attributes: [text("note", "no name")] },
          { timeUnixNano: at(10), name: "named", attributes: [text("event", "own"), text("a", "b")] },
          { timeUnixNano: "0", name: "no time" },
          { timeUnixNano: at(-5_000_000), name: "before", droppedAttributesCount: 3 },
          { name: "every type", timeUnixNano: at(30), attributes: everyType },
        ],
        droppedEventsCount: 9,
      },
    ]),
    one(5, "links", [
      { name: "root", traceState: "vendor=1,other=x", flags: 257 },
      {
        parentSpanId: id(5, 0),
        links: [
          { traceId: ids.trace(1), spanId: id(1, 0), traceState: "a=b", attributes: [text("why", "retry")] },
          { traceId: ids.trace(2), spanId: id(2, 0), attributes: [text("opentracing.ref_type", "child_of")] },
          {
            traceId: ids.trace(5),
            spanId: id(5, 9),
            attributes: [text("opentracing.ref_type", "follows_from")],
          },
          { traceId: ids.trace(1), spanId: id(1, 0), droppedAttributesCount: 2, flags: 1 },
        ],
        droppedLinksCount: 4,
      },
      { parentSpanId: id(5, 0), links: [{ traceId: ids.trace(5), spanId: id(5, 0) }] },
    ]),
    {
      name: "scopes",
      traceIds: [ids.trace(6)],
      request: {
        resourceSpans: [
          {
            resource: { ...serviceOf(`${prefix} scopes`), droppedAttributesCount: 7 },
            schemaUrl: "https://opentelemetry.io/schemas/1.27.0",
            scopeSpans: [
              {
                scope: {
                  name: "lib",
                  version: "1.2.3",
                  attributes: [text("lang", "x")],
                  droppedAttributesCount: 1,
                },
                schemaUrl: "https://opentelemetry.io/schemas/1.26.0",
                spans: [{ traceId: ids.trace(6), spanId: id(6, 0), ...usual, droppedAttributesCount: 5 }],
              },
              {
                scope: { version: "without name" },
                spans: [
                  { traceId: ids.trace(6), spanId: id(6, 1), ...usual },
                  {
                    traceId: ids.trace(6),
                    spanId: id(6, 2),
                    ...usual,
                    attributes: [text("otel.scope.name", "own")],
                  },
                ],
              },
              { scope: { name: "no spans" } },
            ],
          },
          {
            resource: serviceOf(
              `${prefix} scopes`,
              text("telemetry.sdk.language", "nodejs"),
              text("ip", "10.0.0.1"),
            ),
            scopeSpans: [
              {
                spans: [
                  {
                    traceId: ids.trace(6),
                    spanId: id(6, 3),
                    parentSpanId: id(6, 0),
                    ...usual,
                    attributes: [
                      text("telemetry.sdk.name", "opentelemetry"),
                      { key: "peer.ipv4", value: { intValue: "167772161" } },
                      { key: "ip", value: { doubleValue: 3232235777 } },
                    ],
                  },
                ],
              },
            ],
          },
        ],
      },
    },
    one(7, "no attributes", [{ name: "no service at all" }], {}),
    one(8, "no service.name", [{}], { attributes: [text("host.name", "h")] }),
    one(9, "service.name of another type", [{}], {
      attributes: [{ key: "service.name", value: { intValue: "5" } }, text("host.name", "h")],
    }),
    one(10, "empty names", [{ name: "" }], serviceOf("")),
    one(11, "duplicates", [
      {
        attributes: [text("k", "2"), text("k", "1"), text("k", "1"), { key: "k", value: { intValue: "1" } }],
      },
    ]),
    {
      name: "short ids",
      traceIds: [ids.shortTrace(12)],
      request: {
        resourceSpans: [
          {
            resource: serviceOf(`${prefix} short ids`),
            scopeSpans: [
              {
                spans: [
                  { traceId: ids.shortTrace(12).padStart(32, "0"), spanId: "0000000000000001", ...usual },
                  {
                    traceId: ids.shortTrace(12).padStart(32, "0"),
                    spanId: "ffffffffffffffff",
                    parentSpanId: "0000000000000001",
                    ...usual,
                  },
                ],
              },
            ],
          },
        ],
      },
    },
    one(13, "times", [
      { name: "ends before it starts", startTimeUnixNano: at(1500), endTimeUnixNano: at(0) },
      { name: "no time", startTimeUnixNano: "0", endTimeUnixNano: "0" },
      { name: "no end", endTimeUnixNano: "0" },
      { name: "no length", endTimeUnixNano: at(0) },
      { name: "nanoseconds", startTimeUnixNano: at(0, 999), endTimeUnixNano: at(1, 998) },
      { name: "long", endTimeUnixNano: at(86_400_000_000_000) },
    ]),
    one(14, "parents", [
      { name: "root", kind: 2 },
      { name: "parent of another trace", parentSpanId: ids.span(1) },
      { name: "own parent", parentSpanId: id(14, 2) },
      { name: "child before parent", parentSpanId: id(14, 4), startTimeUnixNano: at(-200) },
      { name: "late parent", parentSpanId: id(14, 0), startTimeUnixNano: at(200) },
    ]),
    {
      name: "skewed clocks",
      traceIds: [ids.trace(15)],
      request: {
        resourceSpans: ["10.0.0.1", "10.0.0.2"].map((ip, index) => ({
          resource: serviceOf(`${prefix} skewed`, text("ip", ip)),
          scopeSpans: [
            {
              spans: [
                {
                  traceId: ids.trace(15),
                  spanId: id(15, index),
                  ...(index === 1 && { parentSpanId: id(15, 0) }),
                  name: `on host ${index}`,
                  kind: index === 0 ? 3 : 2,
                  startTimeUnixNano: at(index * 5_000_000),
                  endTimeUnixNano: at(index * 5_000_000 + 1000 - index * 100),
                },
              ],
            },
          ],
        })),
      },
    },
    one(16, "shared span ids", [
      { name: "call", kind: 3, spanId: id(16, 0) },
      { name: "serve", kind: 2, spanId: id(16, 0), startTimeUnixNano: at(100) },
      { name: "below", kind: 1, parentSpanId: id(16, 0), startTimeUnixNano: at(200) },
    ]),
    one(17, "the same span twice", [
      { spanId: id(17, 0), attributes: [text("a", "1")] },
      { spanId: id(17, 0), attributes: [text("a", "1")] },
    ]),
    one(
      18,
      "many spans",
      Array.from({ length: 23 }, (_, index) => ({
        name: `step ${index}`,
        ...(index > 0 && { parentSpanId: id(18, index >> 1) }),
        startTimeUnixNano: at(index * 10),
        endTimeUnixNano: at(index * 10 + 1000 * (index + 1)),
        attributes: [{ key: "step", value: { intValue: String(index) } }],
      })),
    ),
    one(19, "large values", [
      {
        name: "n".repeat(2000),
        attributes: [text("large", "0123456789abcdef".repeat(600)), text("k".repeat(300), "long key")],
      },
    ]),
    { name: "nothing", traceIds: [], request: {} },
    {
      name: "no spans",
      traceIds: [],
      request: { resourceSpans: [{ resource: serviceOf(`${prefix} no spans`) }] },
    },
    {
      ...one(20, "not numbers", [
        {
          attributes: [
            { key: "nan", value: { doubleValue: Number.NaN } },
            { key: "inf", value: { doubleValue: Number.POSITIVE_INFINITY } },
            { key: "-inf", value: { doubleValue: Number.NEGATIVE_INFINITY } },
            { key: "-0", value: { doubleValue: -0 } },
          ],
        },
      ]),
      only: "protobuf",
    },
    {
      ...one(21, "enums by name", [
        { kind: "SPAN_KIND_CONSUMER", status: { code: "STATUS_CODE_ERROR" }, unknown: { member: [1] } },
        {
          attributes: [
            { key: "number", value: { intValue: 7 } },
            { key: "text", value: { doubleValue: "2.5" } },
          ],
        },
      ]),
      only: "json",
    },
  ];
}
