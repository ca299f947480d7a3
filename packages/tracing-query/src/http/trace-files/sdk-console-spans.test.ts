// Files of SDKs' console exporters, as `POST /api/transform` reads them (jaeger#6517).
import { expect, test } from "vitest";
import { transformEndpoint } from "../transform-endpoint.ts";

const traceId = "01944b70b37abc48df7d103455bc404f";
const spanId = "f875ae17bca0f574";
const parentId = "89f0d05cbed0be00";
const linkedId = "00f067aa0ba902b7";

async function answerTo(text: string): Promise<unknown> {
  const pieces = await transformEndpoint({ body: async () => Buffer.from(text) } as never);
  const bytes = [...(pieces as Iterable<string | Uint8Array>)].map((piece) => Buffer.from(piece as string));
  return JSON.parse(Buffer.concat(bytes).toString());
}

const ofPython = {
  name: "run",
  context: { trace_id: `0x${traceId}`, span_id: `0x${spanId}`, trace_state: "[]" },
  kind: "SpanKind.SERVER",
  parent_id: `0x${parentId}` as string | null,
  start_time: "2025-01-09T14:21:04.800962Z",
  end_time: "2025-01-09T14:21:04.802617Z",
  status: { status_code: "ERROR", description: "broken" },
  attributes: { "code.lineno": 249, ratio: 0.5, flags: [true] },
  events: [{ name: "retry", timestamp: "2025-01-09T14:21:04.801000Z", attributes: { after: 1 } }],
  links: [{ context: { trace_id: `0x${traceId}`, span_id: `0x${linkedId}` }, attributes: {} }],
  resource: { attributes: { "service.name": "shop" }, schema_url: "" } as object,
};

const pair = (Key: string, Type: string, Value: unknown) => ({ Key, Value: { Type, Value } });
const ofGo = {
  Name: "run",
  SpanContext: { TraceID: traceId, SpanID: spanId, TraceFlags: "01", TraceState: "", Remote: false },
  Parent: { TraceID: traceId, SpanID: parentId, TraceFlags: "01", TraceState: "", Remote: true },
  SpanKind: 2,
  StartTime: "2025-01-09T15:21:04.800962001+01:00",
  EndTime: "2025-01-09T15:21:04.802617001+01:00",
  Attributes: [pair("code.lineno", "INT64", 249), pair("ratio", "FLOAT64", 0.5)],
  Events: [{ Name: "retry", Attributes: [pair("after", "INT64", 1)], Time: "2025-01-09T15:21:04.801+01:00" }],
  Links: [{ SpanContext: { TraceID: traceId, SpanID: linkedId }, Attributes: null }],
  Status: { Code: "Error", Description: "broken" },
  Resource: [pair("service.name", "STRING", "shop")],
  InstrumentationLibrary: { Name: "lib", Version: "1", SchemaURL: "" },
};

const ofJava = {
  resource: { attributes: [{ key: "service.name", value: { stringValue: "shop" } }] },
  scopeSpans: [
    {
      scope: { name: "lib" },
      spans: [
        {
          ...{ traceId, spanId, parentSpanId: parentId, name: "run", kind: 2 },
          ...{ startTimeUnixNano: "1736432464800962000", endTimeUnixNano: "1736432464802617000" },
          attributes: [
            { key: "code.lineno", value: { intValue: "249" } },
            { key: "ratio", value: { doubleValue: 0.5 } },
          ],
          events: [
            {
              name: "retry",
              timeUnixNano: "1736432464801000000",
              attributes: [{ key: "after", value: { intValue: "1" } }],
            },
          ],
          links: [{ traceId, spanId: linkedId }],
          status: { code: 2, message: "broken" },
        },
      ],
    },
  ],
};

const pretty = (value: unknown) => `${JSON.stringify(value, undefined, 4)}\n`;
const another = { ...ofPython, context: { ...ofPython.context, span_id: `0x${parentId}` }, parent_id: null };
const link = { refType: "FOLLOWS_FROM", traceID: traceId, spanID: linkedId };

test.each<[name: string, text: string]>([
  ["Python's spans, one after the other", pretty(ofPython)],
  ["Python's spans as lines", `${JSON.stringify(ofPython)}\r\n`],
  ["a list of Python's spans", JSON.stringify([ofPython])],
  ["Python's older form of a resource", pretty({ ...ofPython, resource: { "service.name": "shop" } })],
  ["Go's spans", pretty(ofGo)],
  ["Java's lines", `${JSON.stringify(ofJava)}\n`],
  ["a text with a byte order mark", `\ufeff${JSON.stringify(ofJava)}`],
])("%s", async (_, text) => {
  expect(await answerTo(text)).toMatchObject({
    errors: null,
    data: [
      {
        traceID: traceId,
        spans: [
          {
            ...{ spanID: spanId, operationName: "run", startTime: 1736432464800962, duration: 1655 },
            references: [{ refType: "CHILD_OF", traceID: traceId, spanID: parentId }, link],
            tags: expect.arrayContaining([
              { key: "code.lineno", type: "int64", value: 249 },
              { key: "ratio", type: "float64", value: 0.5 },
              { key: "span.kind", type: "string", value: "server" },
              { key: "error", type: "bool", value: true },
              { key: "otel.status_description", type: "string", value: "broken" },
            ]),
            logs: [
              {
                timestamp: 1736432464801000,
                fields: expect.arrayContaining([{ key: "after", type: "int64", value: 1 }]),
              },
            ],
          },
        ],
        processes: { p1: { serviceName: "shop" } },
      },
    ],
  });
});

test("spans of one trace, in documents of their own, are one trace; a root has no parent", async () => {
  expect(await answerTo(pretty(ofPython) + pretty(another))).toMatchObject({
    data: [
      { spans: expect.arrayContaining([expect.objectContaining({ spanID: parentId, references: [link] })]) },
    ],
  });
});

test("a root of Go has no parent", async () => {
  const Parent = { TraceID: "0".repeat(32), SpanID: "0".repeat(16) };
  expect(await answerTo(pretty({ ...ofGo, Parent, Links: null }))).toMatchObject({
    data: [{ spans: [{ spanID: spanId, references: [] }] }],
  });
});

test("a time that is none costs no other span", async () => {
  const bad = { ...another, start_time: "yesterday", end_time: null };
  const answer = (await answerTo(pretty(ofPython) + pretty(bad))) as { data: { spans: unknown[] }[] };
  expect(answer.data.flatMap(({ spans }) => spans)).toContainEqual(
    expect.objectContaining({ spanID: spanId }),
  );
});
