// Files that Tempo's API, Grafana's buttons and Zipkin's UI write, as `POST /api/transform` reads them.
import { expect, test } from "vitest";
import { transformEndpoint } from "../transform-endpoint.ts";

const traceId = "2f1dd400d27b399a2f1dd400d27b399a";
const spanId = "352bff9a74ca9ad2";
const parentId = "6b221d5bc9e6496c";

const base64 = (hex: string) => Buffer.from(hex, "hex").toString("base64");

async function tracesOf(file: unknown): Promise<unknown[]> {
  const body = async () => Buffer.from(typeof file === "string" ? file : JSON.stringify(file));
  const pieces = await transformEndpoint({ body } as never);
  const text = [...(pieces as Iterable<string | Uint8Array>)].map((piece) => Buffer.from(piece as string));
  return (JSON.parse(Buffer.concat(text).toString()) as { data: unknown[] }).data;
}

const resource = { attributes: [{ key: "service.name", value: { stringValue: "shop" } }] };

/** As Tempo writes it: protobuf's JSON. */
const ofTempo = {
  resource,
  scopeSpans: [
    {
      scope: { name: "lib" },
      spans: [
        {
          traceId: base64(traceId),
          spanId: base64(spanId),
          parentSpanId: base64(parentId),
          name: "GET /",
          kind: "SPAN_KIND_SERVER",
          startTimeUnixNano: "1784721600000000000",
          endTimeUnixNano: "1784721600001500000",
          attributes: [{ key: "n", value: { intValue: "7" } }],
          links: [{ traceId: base64(traceId), spanId: base64(parentId) }],
          status: { code: "STATUS_CODE_ERROR", message: "broken" },
        },
      ],
    },
  ],
};

/** As Grafana's button writes it: hex ids, times and numbers as JavaScript has them. */
const ofGrafana = {
  resource: { ...resource, droppedAttributesCount: 0 },
  instrumentationLibrarySpans: [
    {
      instrumentationLibrary: { name: "lib", version: "" },
      spans: [
        {
          traceId,
          spanId,
          parentSpanId: parentId,
          traceState: "",
          name: "GET /",
          kind: "SPAN_KIND_SERVER",
          startTimeUnixNano: 1784721600000 * 1_000_000,
          endTimeUnixNano: (1784721600000 + 1.5) * 1_000_000,
          attributes: [{ key: "n", value: { intValue: 7 } }],
          droppedAttributesCount: 0,
          status: { code: 2, message: "broken" },
        },
      ],
    },
  ],
};

const columns: [string, unknown][] = [
  ["traceID", traceId],
  ["spanID", spanId],
  ["parentSpanID", parentId],
  ["operationName", "GET /"],
  ["serviceName", "shop"],
  ["kind", "server"],
  ["statusCode", 2],
  ["statusMessage", "broken"],
  ["serviceTags", [{ key: "service.name", value: "shop" }]],
  ["startTime", 1784721600000],
  ["duration", 1.5],
  ["logs", [{ timestamp: 1784721600001, name: "retry", fields: [{ key: "after", value: 0.25 }] }]],
  ["references", [{ traceID: traceId, spanID: parentId, tags: [] }]],
  ["tags", [{ key: "n", value: 7 }]],
];
const asText = (value: unknown) => (typeof value === "object" ? JSON.stringify(value) : value);
const frame = {
  schema: { refId: "A", fields: columns.map(([name]) => ({ name, type: "other" })) },
  data: { values: columns.map(([, value]) => [value]) },
};
const frameOfPanel = { fields: columns.map(([name, value]) => ({ name, values: [asText(value)] })) };

const isShown = [
  {
    traceID: traceId,
    spans: [
      {
        spanID: spanId,
        operationName: "GET /",
        startTime: 1784721600000000,
        duration: 1500,
        references: expect.arrayContaining([expect.objectContaining({ spanID: parentId })]),
        tags: expect.arrayContaining([
          { key: "n", type: "int64", value: 7 },
          { key: "span.kind", type: "string", value: "server" },
          { key: "error", type: "bool", value: true },
        ]),
      },
    ],
    processes: { p1: { serviceName: "shop" } },
  },
];

test.each<[name: string, file: unknown]>([
  ["Tempo's trace", { batches: [ofTempo] }],
  ["Tempo's trace of version 2", { trace: { resourceSpans: [ofTempo] }, metrics: {}, status: "COMPLETE" }],
  ["OTLP with ids in base64", { resourceSpans: [ofTempo] }],
  ["an answer of the query API v3", { result: { resourceSpans: [ofTempo] } }],
  [
    "Tempo's traces as lines",
    [{ batches: [ofTempo] }, ""].map((line) => line && JSON.stringify(line)).join("\n"),
  ],
  ["Grafana's download", { batches: [ofGrafana] }],
  ["data frames of Grafana's inspector", [frame]],
  ["one data frame", frame],
  ["the answer to a query of Grafana", { results: { A: { status: 200, frames: [frame] } } }],
  ["a query in Grafana's inspector", { request: {}, response: { results: { A: { frames: [frame] } } } }],
  ["a panel's data in Grafana's inspector", { state: "Done", series: [frameOfPanel] }],
])("%s", async (_, file) => {
  expect(await tracesOf(file)).toMatchObject(isShown);
});

test("a data frame keeps events and their attributes", async () => {
  expect(await tracesOf(frameOfPanel)).toMatchObject([
    {
      spans: [
        {
          logs: [
            {
              timestamp: 1784721600001000,
              fields: expect.arrayContaining([{ key: "after", type: "float64", value: 0.25 }]),
            },
          ],
        },
      ],
    },
  ]);
});

test("a short trace id of a data frame is the low half", async () => {
  const short = { fields: [...frameOfPanel.fields.slice(1), { name: "traceID", values: [spanId] }] };
  expect(await tracesOf(short)).toMatchObject([{ traceID: spanId }]);
});

test("spans of Zipkin", async () => {
  const file = [
    { traceId, id: spanId, name: "get", timestamp: 1784721600000000, duration: 1500, tags: { a: "b" } },
  ];
  expect(await tracesOf(file)).toMatchObject([
    { traceID: traceId, spans: [{ operationName: "get", duration: 1500 }] },
  ]);
});

test.each<[name: string, file: unknown]>([
  ["something else", { hello: "world" }],
  ["a frame without spans", { fields: [{ name: "Time", values: [1] }] }],
  ["batches that are none", { batches: 5 }],
])("no traces in %s", async (_, file) => {
  const found = await tracesOf(file).catch((error: Error) => error.message);
  expect(found).toEqual(expect.toBeOneOf([[], expect.stringMatching(/^cannot unmarshal OTLP : /)]));
});

test.each([
  ["traces in traces", '{"trace":', "1", "}"],
  ["answers in answers", '{"response":', "1", "}"],
  ["lists in lists", "[", "", "]"],
])("%s, far too deep, get an error of the file", async (_, open, inside, close) => {
  const file = open.repeat(200_000) + inside + close.repeat(200_000);
  await expect(tracesOf(file)).rejects.toThrow(/^cannot unmarshal OTLP : /);
});

test("a value of a data frame that is far too deep costs that value alone", async () => {
  const deep = JSON.parse(`${"[".repeat(1_000)}1${"]".repeat(1_000)}`);
  const column = {
    name: "tags",
    values: [
      [
        { key: "deep", value: deep },
        { key: "plain", value: "b" },
      ],
    ],
  };
  const fields = [...frameOfPanel.fields.filter(({ name }) => name !== "tags"), column];
  expect(await tracesOf({ fields })).toMatchObject([
    { spans: [{ tags: expect.arrayContaining([expect.objectContaining({ key: "plain", value: "b" })]) }] },
  ]);
});
