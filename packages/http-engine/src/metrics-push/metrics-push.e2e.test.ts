import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { status } from "@grpc/grpc-js";
import { ask } from "server-core/testing/ask";
import { EventQueue } from "server-core/testing/event-queue";
import { GrpcCollector } from "server-core/testing/grpc-collector";
import { type ReceivedMetrics, readMetrics } from "server-core/testing/otlp-metrics-request";
import { UpstreamServer } from "server-core/testing/upstream-server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RunningServer, respond } from "../../../admin-server/src/testing/running-server.ts";

interface Push extends ReceivedMetrics {
  readonly path: string;
  readonly type: string | undefined;
  readonly key: unknown;
}

let pushes: EventQueue<Push>;
let pushCount = 0;
let collector: UpstreamServer;
let httpStatus = 200;
let running: RunningServer | undefined;

beforeEach(async () => {
  httpStatus = 200;
  pushes = new EventQueue();
  pushCount = 0;
  collector = await UpstreamServer.start(async (request, response) => {
    const body = await buffer(request);
    pushCount++;
    pushes.push({
      ...readMetrics(request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body),
      path: request.url ?? "",
      type: request.headers["content-type"],
      key: request.headers["x-key"],
    });
    response.writeHead(httpStatus, { "Content-Type": "application/x-protobuf" }).end();
  });
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://${collector.address}`;
  process.env.OTEL_EXPORTER_OTLP_METRICS_HEADERS = "x-key=k";
  process.env.OTEL_METRIC_EXPORT_INTERVAL = "20";
});

afterEach(async () => {
  await running?.close();
  running = undefined;
  await collector.kill();
  for (const name of Object.keys(process.env).filter((each) => each.startsWith("OTEL_"))) {
    delete process.env[name];
  }
});

const config = (otlp: boolean) => ({
  apps: {
    http: {
      metrics: { otlp },
      servers: { s: { listen: ["127.0.0.1:0"], routes: [respond("here")] } },
    },
  },
});

/** The first push from now on that satisfies the condition. */
async function pushWhere(matches: (push: Push) => boolean): Promise<Push> {
  for (;;) {
    const push = await pushes.next();
    if (matches(push)) {
      return push;
    }
  }
}

const requests = "caddy_http_requests_total";

test.each([0, 2])("metrics of all threads are pushed under both names (%i workers)", async (workers) => {
  process.env.OTEL_METRIC_EXPORT_INTERVAL = "50";
  running = await RunningServer.start(config(true), {}, workers);
  for (let count = 0; count < 5; count++) {
    expect((await ask(running.site)).text).toBe("here");
  }
  const push = await pushWhere(({ metrics }) =>
    (metrics.get(requests)?.points ?? []).some(({ value }) => value === 5),
  );
  expect(push).toMatchObject({ path: "/v1/metrics", type: "application/x-protobuf", key: "k" });
  expect(push.resource).toMatchObject({ "service.name": "server", "webengine.name": "server" });
  expect(push.metrics.get(requests)).toEqual(push.metrics.get("server_http_route_requests_total"));
  expect(push.metrics.get("server_config_last_reload_successful")).toMatchObject({ kind: "gauge" });
  const durations = push.metrics.get("caddy_http_request_duration_seconds");
  expect(durations).toMatchObject({ kind: "histogram", points: [{ count: 5 }] });
  const [point] = durations?.points ?? [];
  expect(point?.buckets).toHaveLength((point?.bounds?.length ?? 0) + 1);
  expect(point?.buckets?.reduce((sum, each) => sum + each, 0)).toBe(5);
});

test("over gRPC, once more after the collector was busy", async () => {
  const grpc = await GrpcCollector.start();
  grpc.refusals.push({ code: status.UNAVAILABLE, details: "busy" });
  process.env.OTEL_EXPORTER_OTLP_METRICS_PROTOCOL = "grpc";
  process.env.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT = `http://127.0.0.1:${grpc.port}`;
  process.env.OTEL_METRIC_EXPORT_INTERVAL = "3600000";
  running = await RunningServer.start(config(true), {}, 1);
  await ask(running.site);
  await running.close();
  running = undefined;
  const [first, again] = [await grpc.exports.next(), await grpc.exports.next()];
  expect(again.message).toEqual(first.message);
  expect(again.metadata.get("x-key")).toEqual(["k"]);
  const { resource, metrics } = readMetrics(again.message);
  expect(resource).toMatchObject({ "service.name": "server" });
  expect(metrics.get(requests)?.points).toMatchObject([{ value: 1 }]);
  grpc.stop();
});

test("a refused push is counted, and the next one brings everything", async () => {
  httpStatus = 400;
  running = await RunningServer.start(config(true));
  const failures = "server_metrics_push_failures_total";
  const counted = ({ metrics }: Push) => (metrics.get(failures)?.points[0]?.value ?? 0) >= 2;
  await pushWhere(counted);
  httpStatus = 200;
  const push = await pushWhere(counted);
  expect(push.metrics.get(failures)?.kind).toBe("sum");
});

test("the last values leave when the config no longer wants it", async () => {
  process.env.OTEL_METRIC_EXPORT_INTERVAL = "3600000";
  running = await RunningServer.start(config(true));
  await ask(running.site);
  expect(await running.admin("POST", "/load", config(false))).toMatchObject({ status: 200 });
  const push = await pushes.next();
  expect(push.metrics.get(requests)?.points).toMatchObject([{ value: 1 }]);
});

test("the last values leave when the server stops", async () => {
  process.env.OTEL_METRIC_EXPORT_INTERVAL = "3600000";
  running = await RunningServer.start(config(true), {}, 1);
  await ask(running.site);
  await running.close();
  running = undefined;
  expect((await pushes.next()).metrics.get(requests)?.points).toMatchObject([{ value: 1 }]);
});

test.each([
  ["OTEL_METRICS_EXPORTER", "console", '"console" is neither otlp nor none'],
  ["OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "http/json", "OTLP protocol 'http/json' is not supported"],
  ["OTEL_METRIC_EXPORT_INTERVAL", "0", '"0" is not a positive whole number'],
])("%s=%s is refused with the config", async (name, value, message) => {
  running = await RunningServer.start();
  process.env[name] = value;
  for (const path of ["/load", "/validate"]) {
    const answer = await running.admin("POST", path, config(true));
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(JSON.stringify(message).slice(1, -1));
  }
});

test("OTEL_METRICS_EXPORTER=none takes the field and pushes nothing", async () => {
  process.env.OTEL_METRICS_EXPORTER = "none";
  running = await RunningServer.start(config(true));
  await ask(running.site);
  await running.close();
  running = undefined;
  expect(pushCount).toBe(0);
});
