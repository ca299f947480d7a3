import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createLogger, parseHostPort, Tracer, useTracer } from "lifecycle";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { UiPage } from "../http/ui-page.ts";
import { openHttpServer } from "../server/http-server.ts";
import { sampleStore } from "../service/sample-store.ts";
import { sampleService, sampleSettings } from "../testing/sample-service.ts";

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
const traceId = "0af7651916cd43dd8448eb211c80319c";
const parent = `00-${traceId}-b7ad6b7169203331-01`;

const sent = z.object({
  resourceSpans: z.tuple([
    z.object({
      scopeSpans: z.tuple([
        z.object({
          spans: z.array(
            z.object({
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().optional(),
              name: z.string(),
              kind: z.number(),
              attributes: z.array(z.object({ key: z.string(), value: z.unknown() })),
            }),
          ),
        }),
      ]),
    }),
  ]),
});

function spansOf(body: Buffer | undefined) {
  return sent.parse(JSON.parse(String(body))).resourceSpans[0].scopeSpans[0].spans;
}

async function open(status: number) {
  const taken: { path: string | undefined; key: unknown; body: Buffer }[] = [];
  const collector = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk);
    }
    taken.push({ path: request.url, key: request.headers["x-key"], body: Buffer.concat(chunks) });
    response.writeHead(status).end();
  }).listen(0, "127.0.0.1");
  await once(collector, "listening");
  onTestFinished(() => {
    collector.closeAllConnections();
    collector.close();
  });
  const tracer = new Tracer({
    name: "tracing-query",
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/`,
      OTEL_EXPORTER_OTLP_HEADERS: "x-key=a%20b",
    },
    log,
  });
  useTracer(tracer);
  onTestFinished(() => useTracer(undefined));
  const server = await openHttpServer({
    ...sampleSettings(),
    address: parseHostPort("127.0.0.1:0")!,
    tls: undefined,
    service: sampleService((await sampleStore([])).reader),
    page: await UiPage.open({ folder: "/nowhere", configFile: "" }, log),
    uiFolder: "/nowhere",
    basePath: "",
    log,
  });
  onTestFinished(() => server.stop(AbortSignal.abort()));
  return { base: `http://127.0.0.1:${server.port}`, tracer, taken };
}

test("requests are spans of their caller's trace, and say which", async () => {
  const { base, tracer, taken } = await open(200);
  const found = await fetch(`${base}/api/services`, { headers: { traceparent: parent } });
  expect(found.headers.get("traceresponse")).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
  const missing = await fetch(`${base}/api/traces/dead`);
  const unsampled = await fetch(`${base}/api/v3/services`, {
    headers: { traceparent: parent.replace(/1$/, "0") },
  });
  expect(unsampled.headers.get("traceresponse")).toBeNull(); // As in the public model.
  expect((await fetch(`${base}/search`)).headers.get("traceresponse")).toBeNull();
  await tracer.close();
  expect(taken.map(({ path, key }) => [path, key])).toEqual([["/v1/traces", "a b"]]);
  const spans = spansOf(taken[0]?.body);
  expect(spans.map(({ name, parentSpanId, kind }) => [name, parentSpanId, kind])).toEqual([
    ["get_services", spans[1]?.spanId, 1],
    ["GET /api/services", "b7ad6b7169203331", 2],
    ["get_trace", spans[3]?.spanId, 1],
    ["GET /api/traces/:traceId", undefined, 2],
  ]);
  expect(spans[1]?.traceId).toBe(traceId);
  expect(missing.headers.get("traceresponse")).toBe(`00-${spans[3]?.traceId}-${spans[3]?.spanId}-01`);
  expect(spans[3]?.attributes).toContainEqual({
    key: "http.response.status_code",
    value: { intValue: "404" },
  });
});

test("a collector that refuses holds up nothing", async () => {
  const { base, tracer, taken } = await open(503);
  expect((await fetch(`${base}/api/services`)).status).toBe(200);
  await tracer.close();
  expect(taken).toHaveLength(1);
});
