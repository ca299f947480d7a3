// A real Prometheus with the configuration of the compose file and real processes: it reaches each process, loads each
// rule, and finds the metrics of dashboards and rules. PROMETHEUS and PROMTOOL name the programs when they are not on
// the path.

import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freeAddresses } from "lifecycle/testing";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { type AllProcesses, openAllProcesses } from "../../src/all-processes/all-processes.ts";
import { openClickHousePage } from "./clickhouse-metrics.ts";
import { dashboards, prometheusFolder, rules } from "./monitoring-files.ts";
import { metricOf, readExpression, withoutVariables } from "./prom-ql.ts";

const prometheus = process.env.PROMETHEUS || "prometheus";
const promtool = process.env.PROMTOOL || "promtool";
const isThere = [prometheus, promtool].every((name) => spawnSync(name, ["--version"]).status === 0);

const configSchema = z.looseObject({
  scrape_configs: z.array(
    // Without the configuration of targets, because here each target has one address.
    z.object({
      job_name: z.string(),
      metrics_path: z.string().optional(),
      params: z.record(z.string(), z.array(z.string())).optional(),
    }),
  ),
});

describe.skipIf(!isThere)("Prometheus (needs prometheus and promtool)", () => {
  const folder = mkdtempSync(join(tmpdir(), "prometheus-"));
  const configFile = join(folder, "prometheus.yml");
  const rulesFolder = join(folder, "rules");
  let backend: AllProcesses;
  let clickHouse: Awaited<ReturnType<typeof openClickHousePage>>;
  let child: ChildProcess;
  let address = "";
  let jobs: string[] = [];

  async function ask<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    const response = await fetch(`http://${address}${path}`);
    const body: unknown = await response.json();
    expect(response.status, `${path}: ${JSON.stringify(body)}`).toBe(200);
    return z.object({ data: schema }).parse(body).data;
  }

  beforeAll(async () => {
    backend = await openAllProcesses();
    clickHouse = await openClickHousePage();
    // The same admin settings as in the compose file's Serverfile.
    const { admin } = backend.addresses;
    const headers = { Origin: admin, "Content-Type": "application/json" };
    const changed = await fetch(`${admin}/config/apps/http/metrics`, { method: "POST", headers, body: "{}" });
    expect(changed.status).toBe(200);
    const hostOf = (url: string) => new URL(url).host;
    const targets: Record<string, string> = {
      "tracing-collector": hostOf(backend.collector.metricsUrl),
      "tracing-query": hostOf(backend.query.metricsUrl),
      "tracing-storage": hostOf(backend.storage.metricsUrl),
      "tracing-agent": hostOf(backend.agent.metricsUrl),
      "admin-server": hostOf(admin),
      clickhouse: clickHouse.address,
      spans: hostOf(backend.addresses.query),
    };
    const config = configSchema.parse(parse(readFileSync(`${prometheusFolder}prometheus.yml`, "utf8")));
    jobs = config.scrape_configs.map(({ job_name }) => job_name);
    // Rules of an interval of a minute are evaluated at some time in it, so the test uses a shorter interval.
    mkdirSync(rulesFolder);
    for (const file of readdirSync(`${prometheusFolder}rules`)) {
      const text = readFileSync(`${prometheusFolder}rules/${file}`, "utf8");
      writeFileSync(join(rulesFolder, file), text.replaceAll("interval: 1m", "interval: 1s"));
    }
    const here = {
      ...config,
      global: { scrape_interval: "1s", evaluation_interval: "1s" },
      rule_files: [`${rulesFolder}/*.yml`],
      scrape_configs: config.scrape_configs.map((job) => ({
        ...job,
        static_configs: [{ targets: [targets[job.job_name] ?? "not-there:1"] }],
      })),
    };
    writeFileSync(configFile, stringify(here));
    [address = ""] = await freeAddresses(1);
    child = spawn(
      prometheus,
      [
        ...[`--config.file=${configFile}`, `--storage.tsdb.path=${join(folder, "data")}`],
        ...[`--web.listen-address=${address}`, "--log.level=warn"],
      ],
      { stdio: ["ignore", "ignore", "inherit"] },
    );
  }, 180_000);

  afterAll(async () => {
    if (child !== undefined && child.exitCode === null) {
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    await backend?.close();
    clickHouse?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const patient = { timeout: 90_000, interval: 250 };

  test("promtool finds no fault in the configuration and its rules", () => {
    const output = execFileSync(promtool, ["check", "config", configFile], { encoding: "utf8" });
    expect(output).toContain("SUCCESS");
    expect(
      [...output.matchAll(/(\d+) rules found/g)].reduce((sum, [, count]) => sum + Number(count), 0),
    ).toBe(rules.length);
    execFileSync(promtool, ["check", "config", `${prometheusFolder}prometheus.yml`]);
  });

  test("every process is up", async () => {
    const schema = z.object({
      activeTargets: z.array(
        z.object({ labels: z.object({ job: z.string() }), health: z.string(), lastError: z.string() }),
      ),
    });
    await vi.waitFor(async () => {
      const { activeTargets } = await ask("/api/v1/targets", schema);
      expect(activeTargets.filter(({ health }) => health !== "up")).toEqual([]);
      expect(activeTargets.map(({ labels }) => labels.job).sort()).toEqual(jobs.toSorted());
    }, patient);
  });

  test("every rule is evaluated, and no alert fires over healthy processes", async () => {
    const rule = z.object({
      name: z.string(),
      health: z.string(),
      lastError: z.string().optional(),
      state: z.string().optional(),
    });
    const schema = z.object({ groups: z.array(z.object({ rules: z.array(rule) })) });
    await vi.waitFor(async () => {
      const all = (await ask("/api/v1/rules", schema)).groups.flatMap((group) => group.rules);
      expect(all.length).toBe(rules.length);
      expect(all.filter(({ health }) => health !== "ok")).toEqual([]);
      expect(all.filter(({ state }) => state === "firing")).toEqual([]);
    }, patient);
  });

  test("what dashboards and rules name is scraped", async () => {
    const metadata = z.record(z.string(), z.array(z.object({ type: z.string() })));
    const recorded = new Set([...rules.flatMap(({ record }) => record ?? []), "up"]);
    const named = new Set(
      [...dashboards.flatMap(({ panels }) => panels.flatMap(({ targets }) => targets)), ...rules].flatMap(
        ({ expr }) => readExpression(expr).metrics,
      ),
    );
    await vi.waitFor(async () => {
      const scraped = await ask("/api/v1/metadata", metadata);
      const isScraped = (name: string) => Object.hasOwn(scraped, name);
      expect(
        [...named].filter((name) => !recorded.has(name) && !isScraped(metricOf(name, isScraped))),
      ).toEqual([]);
    }, patient);
  });

  test("what Grafana's Tempo data source asks for its service graph has an answer", async () => {
    const now = BigInt(Date.now()) * 1_000_000n;
    const span = (serviceName: string, spanId: string, more: object) => ({
      resource: { attributes: [{ key: "service.name", value: { stringValue: serviceName } }] },
      scopeSpans: [
        {
          spans: [
            {
              ...{ traceId: "5e51ce96".repeat(4), spanId, name: "buy", startTimeUnixNano: String(now) },
              ...{ endTimeUnixNano: String(now + 300_000_000n), ...more },
            },
          ],
        },
      ],
    });
    const resourceSpans = [
      span("graph-shop", "00000000000000b1", { kind: 3 }),
      span("graph-stock", "00000000000000b2", {
        ...{ kind: 2, parentSpanId: "00000000000000b1", status: { code: 2 } },
      }),
    ];
    const sent = await fetch(`${backend.addresses.otlpHttp}/v1/traces`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ resourceSpans }),
    });
    expect(sent.status).toBe(200);
    const samples = z.object({
      result: z.array(
        z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]) }),
      ),
    });
    const edge = { client: "graph-shop", server: "graph-stock" };
    const ofGraph = (metric: string) => `sum by (client, server) (${metric}{client="graph-shop"})`;
    for (const [expression, metric, isRight] of [
      [ofGraph("traces_service_graph_request_total"), edge, (value: number) => value === 1],
      [ofGraph("traces_service_graph_request_failed_total"), edge, (value: number) => value === 1],
      [
        ofGraph("traces_service_graph_request_server_seconds_sum"),
        edge,
        (value: number) => value > 0.27 && value < 0.33,
      ],
      [
        'topk(5, sum(traces_spanmetrics_calls_total{service="graph-stock",span_kind="SPAN_KIND_SERVER",status_code="STATUS_CODE_ERROR"}) by (span_name))',
        { span_name: "buy" },
        (value: number) => value === 1,
      ],
      [
        'histogram_quantile(.9, sum(traces_spanmetrics_latency_bucket{service="graph-stock",span_name=~"buy"}) by (le))',
        {},
        (value: number) => value > 0.256 && value < 0.512,
      ],
    ] as const) {
      await vi.waitFor(async () => {
        const { result } = await ask(`/api/v1/query?query=${encodeURIComponent(expression)}`, samples);
        expect(result.map((sample) => sample.metric)).toEqual([metric]);
        expect(result.map(({ value: [, text] }) => [text, isRight(Number(text))])).toEqual([
          [expect.anything(), true],
        ]);
      }, patient);
    }
  });

  test.each(dashboards.map((each) => [each.file, each] as const))(
    "%s: each expression is answered",
    async (_file, { panels }) => {
      for (const { expr } of panels.flatMap(({ targets }) => targets)) {
        const query = encodeURIComponent(withoutVariables(expr));
        await ask(`/api/v1/query?query=${query}`, z.object({ resultType: z.string() }));
      }
    },
    60_000,
  );
});
