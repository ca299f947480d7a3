import { Counter, Histogram, Registry } from "@prometheus-io/client";
import { describe, expect, test } from "vitest";
import { publicMetricName, withPublicMetricNames } from "./public-metric-names.ts";

describe("withPublicMetricNames", () => {
  test("repeats our metrics, and only them, whole", async () => {
    const metrics = new Registry();
    const registers = [metrics];
    new Counter({
      name: "tracing_spans_total",
      help: "All of tracing_spans.",
      labelNames: ["svc"],
      registers,
    }).inc({ svc: "\ntracing_x" }, 3);
    new Histogram({ name: "tracing_seconds", help: "Time.", buckets: [1], registers }).observe(2);
    new Counter({ name: "process_tracing_total", help: "Not ours.", registers }).inc();

    const text = await metrics.metrics();
    const lines = withPublicMetricNames(text).split("\n");
    expect(lines.filter((line) => line.includes("jaeger"))).toEqual([
      "# HELP jaeger_spans_total All of tracing_spans.",
      "# TYPE jaeger_spans_total counter",
      'jaeger_spans_total{svc="\\ntracing_x"} 3',
      "# HELP jaeger_seconds Time.",
      "# TYPE jaeger_seconds histogram",
      'jaeger_seconds_bucket{le="1"} 0',
      'jaeger_seconds_bucket{le="+Inf"} 1',
      "jaeger_seconds_sum 2",
      "jaeger_seconds_count 1",
    ]);
    expect(withPublicMetricNames(text).startsWith(text.trimEnd())).toBe(true);
  });

  test.each([
    ['server_http_route_requests_total{server="s"} 1', 'caddy_http_requests_total{server="s"} 1'],
    ["# TYPE server_admin_http_requests_total counter", "# TYPE caddy_admin_http_requests_total counter"],
    ["server_config_last_reload_successful 1", "caddy_config_last_reload_successful 1"],
    ["server_reverse_proxy_upstreams_healthy 1", "caddy_reverse_proxy_upstreams_healthy 1"],
  ])("%s", (line, again) => {
    expect(withPublicMetricNames(`${line}\n`)).toBe(`${line}\n\n${again}\n`);
  });

  test("repeats nothing that the models name otherwise", () => {
    const text = 'server_http_responses_total{class="2xx"} 1\nserver_http_requests_in_flight 1\n';
    expect(withPublicMetricNames(text)).toBe(text);
  });

  test("leaves a text without ours alone", () => {
    expect(withPublicMetricNames("a 1\n")).toBe("a 1\n");
  });
});

test.each([
  ["server_http_route_requests_total", "caddy_http_requests_total"],
  ["server_http_responses_total", undefined],
])("the public name of %s is %s", (name, publicName) => {
  expect(publicMetricName(name)).toBe(publicName);
});
