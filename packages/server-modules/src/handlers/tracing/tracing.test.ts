import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { createInterface } from "node:readline";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { ask } from "server-core/testing/ask";
import { EventQueue } from "server-core/testing/event-queue";
import { GrpcCollector } from "server-core/testing/grpc-collector";
import { type ReceivedSpan, readSpans } from "server-core/testing/otlp-request";
import { rawRequest } from "server-core/testing/raw-request";
import { deadAddress, UpstreamServer } from "server-core/testing/upstream-server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RunningServer, respond, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";

const spans = new EventQueue<ReceivedSpan>();
let collector: UpstreamServer;
let running: RunningServer;

beforeEach(async () => {
  collector = await UpstreamServer.start(async (request, response) => {
    const body = await buffer(request);
    for (const span of readSpans(request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body)) {
      spans.push(span);
    }
    response.writeHead(200, { "Content-Type": "application/x-protobuf" }).end();
  });
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://${collector.address}`;
  process.env.OTEL_BSP_SCHEDULE_DELAY = "1";
  process.env.OTEL_RESOURCE_ATTRIBUTES = "deployment.environment.name=test";
  running = await RunningServer.start();
});

afterEach(async () => {
  await running.close();
  await collector.kill();
  for (const name of Object.keys(process.env).filter((each) => each.startsWith("OTEL_"))) {
    delete process.env[name];
  }
});

async function load(...handle: unknown[]): Promise<void> {
  expect(await running.admin("POST", "/load", siteConfig({ handle }))).toMatchObject({ status: 200 });
}

const tracing = { handler: "tracing" };
const proxyTo = (dial: string) => ({ handler: "reverse_proxy", upstreams: [{ dial }] });
const traceId = "0af7651916cd43dd8448eb211c80319c";
const clientSpanId = "b7ad6b7169203331";

test("a request becomes a SERVER span with its attributes", async () => {
  await load(
    {
      ...tracing,
      span: "{http.request.method} {http.request.uri.path}",
      span_attributes: { "app.x": "{http.vars.x}" },
    },
    { handler: "vars", x: "set later" },
    { handler: "static_response", body: "{http.vars.trace_id}" },
  );
  const { text } = await ask(`${running.site}/a%20b?q=1`, {
    headers: { Host: "site.example:81", "User-Agent": "ua" },
  });
  const span = await spans.next();
  expect(span).toMatchObject({
    name: "GET /a b",
    kind: "SERVER",
    traceId: text,
    parentSpanId: "",
    status: "UNSET",
    service: "server",
    resource: { "deployment.environment.name": "test" },
    attributes: {
      "http.request.method": "GET",
      "url.path": "/a%20b",
      "url.query": "q=1",
      "url.scheme": "http",
      "server.address": "site.example",
      "server.port": 81,
      "client.address": "127.0.0.1",
      "network.protocol.version": "1.1",
      "user_agent.original": "ua",
      "http.response.status_code": 200,
      "app.x": "set later",
    },
  });
});

test("the request's line in the access log names its span", async () => {
  const lines = new EventQueue<Record<string, unknown>>();
  const sink = createServer((socket) => {
    createInterface(socket).on("line", (line) => lines.push(JSON.parse(line)));
  }).listen(0, "127.0.0.1");
  await once(sink, "listening");
  const config = siteConfig({ handle: [tracing, { handler: "static_response" }] }) as {
    apps: { http: { servers: Record<string, object> } };
    logging?: unknown;
  };
  for (const server of Object.values(config.apps.http.servers)) {
    Object.assign(server, { logs: {} });
  }
  config.logging = {
    logs: {
      sink: {
        writer: { output: "net", address: `127.0.0.1:${(sink.address() as AddressInfo).port}` },
        include: ["http.log.access"],
      },
    },
  };
  expect(await running.admin("POST", "/load", config)).toMatchObject({ status: 200 });
  await ask(running.site, { headers: { traceparent: `00-${traceId}-${clientSpanId}-01` } });
  const [line, span] = [await lines.next(), await spans.next()];
  expect(line).toMatchObject({ msg: "handled request", traceID: traceId, spanID: span.spanId });
  sink.close();
});

test("takes the client's trace, and gives the upstream its own CLIENT span", async () => {
  const contexts = new EventQueue<[unknown, unknown]>();
  const upstream = await UpstreamServer.start((request, response) => {
    contexts.push([request.headers.traceparent, request.headers.tracestate]);
    response.writeHead(404).end();
  });
  await load(tracing, proxyTo(upstream.address));
  await ask(`${running.site}/p`, {
    headers: { traceparent: `00-${traceId}-${clientSpanId}-01`, tracestate: "v=1" },
  });
  const client = await spans.next();
  const server = await spans.next();
  expect(client).toMatchObject({
    kind: "CLIENT",
    name: "GET",
    traceId,
    parentSpanId: server.spanId,
    status: "ERROR",
  });
  expect(client.attributes).toMatchObject({
    "url.full": `http://${upstream.address}/p`,
    "server.port": upstream.port,
    "http.response.status_code": 404,
    "error.type": "404",
  });
  expect(server).toMatchObject({
    kind: "SERVER",
    name: "GET",
    traceId,
    parentSpanId: clientSpanId,
    status: "UNSET",
  });
  expect(await contexts.next()).toEqual([`00-${traceId}-${client.spanId}-01`, "v=1"]);
  await upstream.kill();
});

test("each try is a span, failures and retries are seen", async () => {
  const upstream = await UpstreamServer.start((_, response) => response.end());
  const upstreams = [{ dial: upstream.address }, { dial: await deadAddress() }];
  const policy = { selection_policy: { policy: "round_robin" } };
  await load(tracing, { handler: "reverse_proxy", upstreams, load_balancing: policy });
  expect((await ask(running.site)).status).toBe(200);
  const [failed, second, server] = [await spans.next(), await spans.next(), await spans.next()];
  expect([failed.status, failed.attributes["error.type"]]).toEqual(["ERROR", "PROXY_UPSTREAM"]);
  expect([second.status, second.attributes["http.response.status_code"]]).toEqual(["UNSET", 200]);
  expect([server.kind, server.status]).toEqual(["SERVER", "UNSET"]);
  await upstream.kill();
});

test("an answer of 502 is an error", async () => {
  await load(tracing, proxyTo(await deadAddress()));
  expect((await ask(running.site)).status).toBe(502);
  const [, server] = [await spans.next(), await spans.next()];
  expect(server).toMatchObject({
    status: "ERROR",
    attributes: { "http.response.status_code": 502, "error.type": "502" },
  });
});

test.each([
  "00-0-0-01",
  `00-${"0".repeat(32)}-${clientSpanId}-01`,
  `ff-${traceId}-${clientSpanId}-01`,
  "garbage",
])("a bad traceparent %j begins a new trace", async (traceparent) => {
  await load(tracing, { handler: "static_response" });
  await ask(running.site, { headers: { traceparent } });
  const span = await spans.next();
  expect(span.parentSpanId).toBe("");
  expect(span.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
  expect(span.traceId).not.toBe(traceId);
});

test("an unsampled trace stays unsampled, and goes on", async () => {
  const contexts = new EventQueue<unknown>();
  const upstream = await UpstreamServer.start((request, response) => {
    contexts.push(request.headers.traceparent);
    response.end();
  });
  await load(tracing, proxyTo(upstream.address));
  await ask(running.site, { headers: { traceparent: `00-${traceId}-${clientSpanId}-00` } });
  expect(await contexts.next()).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
  await ask(running.site, { headers: { "User-Agent": "second" } });
  await contexts.next();
  const [, server] = [await spans.next(), await spans.next()];
  expect(server.attributes["user_agent.original"]).toBe("second");
  await upstream.kill();
});

test("a tunnel's span ends with 101", async () => {
  const upstream = await UpstreamServer.start(() => {});
  upstream.server.on("upgrade", (_, socket) => {
    socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
  });
  await load(tracing, proxyTo(upstream.address));
  await rawRequest(running.site, "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
  const both = [await spans.next(), await spans.next()];
  expect(both.map((span) => span.attributes["http.response.status_code"])).toEqual([101, 101]);
  await upstream.kill();
});

test("over gRPC", async () => {
  const grpc = await GrpcCollector.start();
  process.env.OTEL_EXPORTER_OTLP_PROTOCOL = "grpc";
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${grpc.port}`;
  await load(tracing, { handler: "static_response", body: "{http.vars.trace_id}" });
  const { text } = await ask(running.site);
  const { path, message } = await grpc.exports.next();
  expect(path).toBe("/opentelemetry.proto.collector.trace.v1.TraceService/Export");
  expect(readSpans(message)).toMatchObject([{ traceId: text, kind: "SERVER", service: "server" }]);
  grpc.stop();
});

test("without a collector requests go on as before", async () => {
  await collector.kill();
  await load(tracing, { handler: "static_response", body: "fine" });
  for (let each = 0; each < 20; each++) {
    expect((await ask(running.site)).text).toBe("fine");
  }
});

test("the last spans leave when the last tracing handler goes", async () => {
  process.env.OTEL_BSP_SCHEDULE_DELAY = "600000";
  await load(tracing, { handler: "static_response" });
  await ask(running.site);
  await running.admin("POST", "/load", siteConfig(respond("no tracing")));
  expect((await spans.next()).kind).toBe("SERVER");
});

test.each([
  ["OTEL_BSP_MAX_QUEUE_SIZE", "many", "is not a positive whole number"],
  ["OTEL_TRACES_SAMPLER", "zz", "unknown sampler"],
  ["OTEL_EXPORTER_OTLP_PROTOCOL", "http/json", "OTLP protocol 'http/json' is not supported"],
])("refuses %s=%s at load", async (name, value, message) => {
  process.env[name] = value;
  const answer = await running.admin("POST", "/load", siteConfig({ handle: [tracing] }));
  expect([answer.status, answer.error]).toEqual([400, expect.stringContaining(message)]);
});
