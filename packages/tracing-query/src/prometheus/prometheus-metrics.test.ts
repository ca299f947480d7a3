// Queries and answers of Jaeger, release 1.62, as a server in place of Prometheus recorded them.

import { mkdtemp, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger, parseOptions } from "lifecycle";
import type { MetricsQuery, RankedRatesQuery } from "storage/api";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { PrometheusMetrics } from "./prometheus-metrics.ts";
import { type PrometheusOptions, prometheusOptions } from "./prometheus-options.ts";

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });

interface Asked {
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly params: Record<string, string>;
}

let server: Server;
let url = "";
let asked: Asked[] = [];
/** Prometheus's answer to a query. */
let answer: (query: string) => { status?: number; body: string };

const matrix = (result: unknown[]) => ({
  body: JSON.stringify({ status: "success", data: { resultType: "matrix", result } }),
});

beforeEach(async () => {
  asked = [];
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) {
      body += String(chunk);
    }
    const params = Object.fromEntries(new URLSearchParams(body));
    asked.push({ path: request.url, authorization: request.headers.authorization, params });
    const { status = 200, body: text } = answer(params.query ?? "");
    response.writeHead(status).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`;
  answer = () => matrix([]);
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function open(...args: string[]): PrometheusMetrics {
  const { options } = parseOptions(z.object(prometheusOptions()), {
    arguments: [`--prometheus.server-url=${url}`, ...args],
    environment: {},
  });
  return new PrometheusMetrics(options as PrometheusOptions, log);
}

const query: MetricsQuery = {
  services: ["shop", "db"],
  spanKinds: ["server"],
  groupByOperation: false,
  startUnixMs: 1_795_224_253_859,
  endUnixMs: 1_795_227_853_859,
  stepMs: 5_000,
  ratePerMs: 600_000,
};

describe("asks as the public model does", () => {
  const calls = 'service_name =~ "shop|db", span_kind =~ "SPAN_KIND_SERVER"';

  test("calls, with times in seconds", async () => {
    expect(await open().getCallRates(query)).toEqual([]);
    expect(asked).toEqual([
      {
        path: "/base/api/v1/query_range",
        authorization: undefined,
        params: {
          query: `sum(rate(traces_span_metrics_calls{${calls}}[10m])) by (service_name)`,
          start: "1795224253.859",
          end: "1795227853.859",
          step: "5",
        },
      },
    ]);
  });

  test("errors, then calls where there are none", async () => {
    answer = (promQl) =>
      promQl.includes("STATUS_CODE_ERROR")
        ? matrix([])
        : matrix([{ metric: { service_name: "shop" }, values: [[1795227000, "1.5"]] }]);
    expect(await open("--prometheus.query.normalize-calls").getErrorRates(query)).toEqual([
      { service: "shop", operation: undefined, points: [{ unixMs: 1_795_227_000_000, value: 0 }] },
    ]);
    const failed =
      'service_name =~ "shop|db", status_code = "STATUS_CODE_ERROR", span_kind =~ "SPAN_KIND_SERVER"';
    const all = `sum(rate(traces_span_metrics_calls_total{${calls}}[10m])) by (service_name)`;
    expect(asked.map(({ params }) => params.query)).toEqual([
      `sum(rate(traces_span_metrics_calls_total{${failed}}[10m])) by (service_name) / ${all}`,
      all,
    ]);
  });

  test.each([
    [[], "traces_span_metrics_duration_bucket"],
    [["--prometheus.query.normalize-duration"], "traces_span_metrics_duration_milliseconds_bucket"],
    [
      ["--prometheus.query.normalize-duration", "--prometheus.query.duration-unit=s"],
      "traces_span_metrics_duration_seconds_bucket",
    ],
    [["--prometheus.query.namespace="], "duration_bucket"],
  ])("latencies with %j", async (args, name) => {
    answer = () =>
      matrix([
        {
          metric: { service_name: "shop", span_name: "GET /" },
          values: [
            [1795227005.25, "NaN"],
            [1795227011, "+Inf"],
          ],
        },
      ]);
    const found = await open(...args).getLatencies({
      ...query,
      services: ["shop"],
      spanKinds: ["client", "server"],
      groupByOperation: true,
      ratePerMs: 90_000,
      quantile: 0.95,
    });
    expect(found).toEqual([
      {
        service: "shop",
        operation: "GET /",
        points: [
          { unixMs: 1_795_227_005_250, value: Number.NaN },
          { unixMs: 1_795_227_011_000, value: Infinity },
        ],
      },
    ]);
    expect(asked[0]?.params.query).toBe(
      `histogram_quantile(0.95, sum(rate(${name}{service_name =~ "shop", span_kind =~ "SPAN_KIND_CLIENT|SPAN_KIND_SERVER"}[1m])) by (service_name,span_name,le))`,
    );
  });

  test("a quote in a name ends no text", async () => {
    await open().getCallRates({ ...query, services: ['a"b\\c'], spanKinds: [] });
    expect(asked[0]?.params.query).toBe(
      String.raw`sum(rate(traces_span_metrics_calls{service_name =~ "a\"b\\c", }[10m])) by (service_name)`,
    );
  });
});

test.each([
  [[], "client", "Bearer client"],
  [[], undefined, "Bearer file"],
  [["--prometheus.token-override-from-context=false"], "client", "Bearer file"],
])("with %j the token %s is sent as %s", async (args, bearerToken, authorization) => {
  const file = join(await mkdtemp(join(tmpdir(), "query-token-")), "token");
  await writeFile(file, "file\n");
  const metrics = open(`--prometheus.token-file=${file}`, ...args);
  await metrics.getCallRates(query, bearerToken === undefined ? {} : { bearerToken });
  expect(asked[0]?.authorization).toBe(authorization);
  await metrics.close();
});

test.each([
  [400, '{"status":"error","errorType":"bad_data","error":"parse error: x"}', "bad_data: parse error: x"],
  [502, "<html>", "server_error: server error: 502"],
  [404, "404 page not found", "client_error: client error: 404"],
  [200, "{", "unexpected answer: "],
  [
    200,
    '{"status":"success","data":{"resultType":"vector","result":[]}}',
    "unexpected metrics ValueType: vector",
  ],
])("a failure is told: %d %s", async (status, body, reason) => {
  answer = () => ({ status, body });
  const metrics = open();
  await expect(metrics.getCallRates(query)).rejects.toMatchObject({
    code: "QUERY_UPSTREAM",
    message: expect.stringContaining(`failed executing metrics query: ${reason}`),
  });
  await expect(metrics.getErrorRates(query)).rejects.toThrow(
    "failed getting error metrics: failed executing metrics query: ",
  );
});

test("nobody there, and a client that has gone", async () => {
  const gone = new AbortController();
  gone.abort(new Error("gone"));
  await expect(open().getCallRates(query, { signal: gone.signal })).rejects.toThrow("gone");
  url = "http://127.0.0.1:1";
  await expect(open().getCallRates(query)).rejects.toThrow(/failed executing metrics query: .*ECONNREFUSED/);
});

test("names are ranked, filtered and paged", async () => {
  const minute = 60_000;
  const names = Array.from({ length: 120 }, (_, index) => `s.${String(index).padStart(3, "0")}`);
  answer = (promQl) => {
    const value = (index: number) => (promQl.startsWith("histogram_quantile") ? index + 1 : index / 60);
    return matrix(
      names.map((name, index) => ({
        metric: { service_name: name },
        values: [[120, String(promQl.includes("STATUS_CODE_ERROR") ? 0.25 : value(index))]],
      })),
    );
  };
  const ranking: RankedRatesQuery = {
    ...{ contains: "S.1", spanKinds: ["server"], startUnixMs: 0, endUnixMs: 2 * minute, stepMs: minute },
    ...{ order: "calls", limit: 2, offset: 1 },
  };
  const { matched, names: page } = await open().getRankedRates(ranking);
  expect([matched, page.map(({ name }) => name)]).toEqual([20, ["s.118", "s.117"]]);
  expect(page[0]?.whole).toEqual({ calls: 236, errors: 59, p50Ms: 119, p95Ms: 119, p99Ms: 119 });
  expect(page[0]?.steps.map((step) => step?.calls)).toEqual([undefined, 118]);
  expect(asked[0]?.params.query).toContain(String.raw`service_name =~ "(?i).*S\\.1.*"`);
  expect(asked.at(-1)?.params.query).toContain(String.raw`"s\\.118|s\\.117"`);
  expect(asked).toHaveLength(11);
  const byName = await open().getRankedRates({ ...ranking, order: "name", contains: "" });
  expect([byName.matched, byName.names.map(({ name }) => name)]).toEqual([119, ["s.002", "s.003"]]);
  const [inSeconds] = (await open("--prometheus.query.duration-unit=s").getRankedRates(ranking)).names;
  expect(inSeconds?.whole).toMatchObject({ calls: 236, p50Ms: 119_000 });
});

describe("tenants", () => {
  test("see metrics with their label only, whatever service they name", async () => {
    const metrics = open("--prometheus.query.tenant-label=tenant");
    const all = { ...query, services: [".*"], spanKinds: [] };
    const read = { tenant: 'a"b' };
    await metrics.getCallRates(all, read);
    await metrics.getLatencies({ ...all, quantile: 0.5 }, read);
    await metrics.getErrorRates(all, read);
    await metrics.getCallRates(all);
    const asks = asked.map(({ params }) => params.query ?? "");
    const selectors = asks.map((text) => [...text.matchAll(/\{([^}]*)\}/g)].map(([, inner]) => inner));
    const own = String.raw`service_name =~ ".*", tenant = "a\"b", `;
    const failed = own.replace(/, $/, ', status_code = "STATUS_CODE_ERROR", ');
    const none = own.replace(String.raw`a\"b`, "");
    expect(selectors).toEqual([[own], [own], [failed, own], [own], [none]]);
  });

  test("are refused where metrics do not tell them apart", () => {
    const { options } = parseOptions(z.object(prometheusOptions()), { arguments: [], environment: {} });
    const given = options as PrometheusOptions;
    expect(() => new PrometheusMetrics({ ...given, "multi-tenancy.enabled": true }, log)).toThrow(
      "--prometheus.query.tenant-label",
    );
    expect(() => new PrometheusMetrics({ ...given, "multi-tenancy.enabled": false }, log)).not.toThrow();
  });
});

test("options that make no sense", () => {
  expect(() => open("--prometheus.token-file=/nowhere/token")).toThrow("--prometheus.token-file");
  expect(() => open("--prometheus.server-url=nonsense")).toThrow("not a URL");
  expect(() => open("--prometheus.query.duration-unit=h")).toThrow("duration-unit");
});
