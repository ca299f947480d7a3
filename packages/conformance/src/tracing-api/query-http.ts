import { eventually, expectEqual, expectIncludes } from "../expect.ts";
import type { Suite } from "../suite.ts";
import { ask, askData, askTraces } from "./ask.ts";
import { type SampleTrace, sampleTrace, visibleWithinMs } from "./sample-trace.ts";

async function send(otlpHttp: string, sample: SampleTrace): Promise<void> {
  const answer = await ask(`${otlpHttp}/v1/traces`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(sample.otlpJson),
  });
  expectEqual(answer.status, 200, `POST /v1/traces (${answer.text})`);
}

async function stored(addresses: { otlpHttp: string; query: string }): Promise<SampleTrace> {
  const sample = sampleTrace();
  await send(addresses.otlpHttp, sample);
  await eventually(async () => {
    const [trace] = await askTraces(`${addresses.query}/api/traces/${sample.traceId}`);
    expectEqual(trace?.spans.length, 2, "spans of the trace");
  }, visibleWithinMs);
  return sample;
}

function searches(sample: SampleTrace): [parameters: Record<string, string>, found: boolean][] {
  const { service } = sample;
  return [
    [{ service }, true],
    [{ service, operation: "SELECT orders" }, true],
    [{ service, operation: "select orders" }, false],
    [{ service, tags: '{"http.response.status_code":"503"}' }, true],
    [{ service, tag: "queue.load:72.5" }, true],
    [{ service, tags: '{"error":"true"}' }, true],
    [{ service, tags: '{"span.kind":"server"}' }, true],
    [{ service, tags: '{"service.version":"1.2.3"}' }, true],
    [{ service, tags: '{"exception.message":"out of stock"}' }, true],
    [{ service, tags: '{"db.system.name":"postgresql","http.request.method":"GET"}' }, false],
    [{ service, minDuration: "200ms" }, true],
    [{ service, minDuration: "251ms" }, false],
    [{ service, maxDuration: "50ms" }, true],
    [{ service, maxDuration: "49ms" }, false],
    [{ service, operation: "SELECT orders", minDuration: "100ms" }, false],
    [
      { service, start: String((Date.now() - 60_000) * 1000), end: String((Date.now() + 60_000) * 1000) },
      true,
    ],
    [{ service, start: "0", end: "1000000" }, false],
  ];
}

/** The query service's HTTP API, fed over OTLP/HTTP. Source: observations of release 1.62 of the public model. */
export const queryHttp: Suite = {
  name: "tracing-api/query-http",
  needs: ["otlpHttp", "query"],
  cases: [
    {
      name: "a trace comes back with every attribute and its type",
      async run(addresses) {
        const sample = await stored(addresses);
        const [trace] = await askTraces(`${addresses.query}/api/traces/${sample.traceId}`);
        const root = trace?.spans.find((span) => span.spanID === sample.rootSpanId);
        const tags = new Map(root?.tags.map((tag) => [tag.key, [tag.type, tag.value]]));
        for (const [key, expected] of Object.entries({
          "http.request.method": ["string", "GET"],
          "http.response.status_code": ["int64", 503],
          "queue.load": ["float64", 72.5],
          "cache.hit": ["bool", true],
          big: ["int64", "9007199254740993"],
          digest: ["binary", "AQID"],
          items: ["string", '["x",1]'],
          "span.kind": ["string", "server"],
          error: ["bool", true],
          "otel.status_code": ["string", "ERROR"],
          "otel.status_description": ["string", "stock"],
          "otel.scope.name": ["string", "conformance"],
          "w3c.tracestate": ["string", "vendor=1"],
        })) {
          expectEqual(tags.get(key), expected, `tag ${key}`);
        }
        expectEqual(root?.duration, 250_000, "duration in microseconds");
        expectEqual(
          root?.logs[0]?.fields.map(({ key, value }) => [key, value]),
          [
            ["event", "exception"],
            ["exception.message", "out of stock"],
          ],
          "fields of the log",
        );
        expectEqual(
          root?.references.map(({ refType, spanID }) => [refType, spanID]),
          [["FOLLOWS_FROM", "b7ad6b7169203331"]],
          "references of the root",
        );
        const child = trace?.spans.find((span) => span.spanID === sample.childSpanId);
        expectEqual(
          child?.references[0],
          { refType: "CHILD_OF", traceID: sample.traceId, spanID: sample.rootSpanId },
          "parent",
        );
        expectEqual(
          Object.values(trace?.processes ?? {}).map((process) => process.serviceName),
          [sample.service],
          "processes",
        );
      },
    },
    {
      name: "services and operations are listed",
      async run(addresses) {
        const { service } = await stored(addresses);
        await eventually(async () => {
          const names = (await askData(`${addresses.query}/api/services`)) as string[];
          if (!names.includes(service)) {
            throw new Error(`${service} is not among ${names.length} services`);
          }
        }, visibleWithinMs);
        const byService = (await askData(
          `${addresses.query}/api/services/${service}/operations`,
        )) as string[];
        expectEqual(byService.toSorted(), ["GET /orders", "SELECT orders"], "operations");
        const kinds = (await askData(
          `${addresses.query}/api/operations?service=${service}&spanKind=client`,
        )) as unknown[];
        expectEqual(kinds, [{ name: "SELECT orders", spanKind: "client" }], "operations of kind client");
      },
    },
    {
      name: "search finds a trace by each condition, and only when one span meets all of them",
      async run(addresses) {
        const sample = await stored(addresses);
        for (const [parameters, found] of searches(sample)) {
          const traces = await askTraces(`${addresses.query}/api/traces?${new URLSearchParams(parameters)}`);
          expectEqual(
            traces.map((trace) => trace.traceID),
            found ? [sample.traceId] : [],
            `search ${JSON.stringify(parameters)}`,
          );
          if (found) {
            expectEqual(traces[0]?.spans.length, 2, "whole traces are returned");
          }
        }
      },
    },
    {
      name: "limit keeps the newest traces",
      async run(addresses) {
        const older = sampleTrace();
        const newer = structuredClone(sampleTrace().otlpJson) as typeof older.otlpJson;
        const text = JSON.stringify(newer).replaceAll(/conformance-[0-9a-f]{12}/g, older.service);
        const newerId = /"traceId":"([0-9a-f]{32})"/.exec(text)?.[1];
        const later = text.replaceAll(
          /"(start|end)TimeUnixNano":"(\d+)"/g,
          (_, which, nanos) => `"${which}TimeUnixNano":"${BigInt(nanos) + 300_000_000n}"`,
        );
        await send(addresses.otlpHttp, older);
        await send(addresses.otlpHttp, { ...older, otlpJson: JSON.parse(later) });
        await eventually(async () => {
          const all = await askTraces(`${addresses.query}/api/traces?service=${older.service}`);
          expectEqual(all.length, 2, "both traces");
        }, visibleWithinMs);
        const one = await askTraces(`${addresses.query}/api/traces?service=${older.service}&limit=1`);
        expectEqual(
          one.map((trace) => trace.traceID),
          [newerId],
          "the newest one",
        );
      },
    },
    {
      name: "repeated traceID parameters name traces; missing ones are listed as errors",
      async run(addresses) {
        const { traceId } = await stored(addresses);
        const answer = await ask(`${addresses.query}/api/traces?traceID=${traceId}&traceID=dead`);
        expectEqual(answer.status, 200, "status");
        const body = JSON.parse(answer.text) as { data: { traceID: string }[]; errors: unknown };
        expectEqual(
          body.data.map((trace) => trace.traceID),
          [traceId],
          "found",
        );
        expectEqual(body.errors, [{ msg: "trace not found", traceID: "000000000000dead" }], "errors");
      },
    },
    ...(
      [
        ["/api/traces", 400, "parameter 'service' is required"],
        [
          "/api/traces?service=x&start=a",
          400,
          "unable to parse param 'start': strconv.ParseInt: parsing \\\"a\\\": invalid syntax",
        ],
        ["/api/traces?service=x&tag=a", 400, "malformed 'tag' parameter, expecting key:value, received: a"],
        ["/api/traces?service=x&tags=a", 400, "malformed 'tags' parameter, cannot unmarshal JSON: "],
        [
          "/api/traces?service=x&minDuration=3",
          400,
          "unable to parse param 'minDuration': time: missing unit in duration",
        ],
        [
          "/api/traces?service=x&minDuration=3s&maxDuration=1s",
          400,
          "'maxDuration' should be greater than 'minDuration'",
        ],
        ["/api/traces/zz", 400, 'strconv.ParseUint: parsing \\"zz\\": invalid syntax'],
        ["/api/traces/00000000000000000000000000000abc", 404, "trace not found"],
        ["/api/operations", 400, "parameter 'service' is required"],
      ] as const
    ).map(([path, status, text]) => ({
      name: `GET ${path} answers ${status}`,
      async run({ query }: { query: string }) {
        const answer = await ask(query + path);
        expectEqual(answer.status, status, "status");
        expectIncludes(answer.text, text, "text");
        expectIncludes(answer.contentType, "text/plain", "content type");
      },
    })),
    {
      name: "an unknown path gives the page of the UI",
      async run({ query }) {
        const answer = await ask(`${query}/search`);
        expectEqual(answer.status, 200, "status");
        expectIncludes(answer.contentType, "text/html", "content type");
      },
    },
  ],
};
