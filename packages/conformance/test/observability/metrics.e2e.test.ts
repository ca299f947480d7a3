// Metrics of real processes: each is in the docs, dashboards and rules find theirs, and the public models' names also
// work.

import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AllProcesses, openAllProcesses } from "../../src/all-processes/all-processes.ts";
import { clickHouseMetrics } from "./clickhouse-metrics.ts";
import { metricTable, type ServedMetric, servedMetrics } from "./metric-table.ts";
import { goneMetrics, mixinMetrics } from "./mixin-metrics.ts";
import { alertTests, dashboards, prometheusFolder, rules } from "./monitoring-files.ts";
import { metricOf, readExpression } from "./prom-ql.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const docs = `${root}docs/observability.md`;
const processes = ["tracing-collector", "tracing-query", "tracing-agent", "tracing-storage", "admin-server"];
/** Metrics that Prometheus itself creates. */
const ofPrometheus = new Set(["up"]);
/** Config parts, by app, that some metrics need before the server counts them. */
const onlyWhenConfigured = {
  "http/metrics": {},
  events: { subscriptions: [{ events: ["stopping"], handlers: [{ handler: "exec", command: "true" }] }] },
};

let backend: AllProcesses;
const served = new Map<string, ServedMetric[]>();

beforeAll(async () => {
  backend = await openAllProcesses();
  const { admin, query } = backend.addresses;
  const headers = { Origin: admin, "Content-Type": "application/json" };
  for (const [path, body] of Object.entries(onlyWhenConfigured)) {
    const sent = { method: "POST", headers, body: JSON.stringify(body) };
    const { status } = await fetch(`${admin}/config/apps/${path}`, sent);
    expect(status, path).toBe(200);
  }
  await fetch(`${backend.frontDoor}/api/services`);
  await fetch(`${query}/api/traces/0af7651916cd43dd8448eb211c80319c`);
  const { collector, agent, storage } = backend;
  const urls = [collector, backend.query, agent, storage].map(({ metricsUrl }) => metricsUrl);
  for (const [index, url] of [...urls, `${admin}/metrics`].entries()) {
    const response = await fetch(url, { headers: { Origin: admin } });
    expect(response.status, url).toBe(200);
    served.set(processes[index] ?? "", servedMetrics(await response.text()));
  }
});
afterAll(() => backend?.close());

const allServed = () => new Map([...served.values()].flat().map((metric) => [metric.name, metric]));

describe("docs/observability.md", () => {
  test("lists the metrics that processes serve (UPDATE_DOCS=1 writes it anew)", () => {
    const tables = processes
      .map((name) => `### ${name}\n\n${metricTable(served.get(name) ?? [])}\n`)
      .join("\n");
    const page = readFileSync(docs, "utf8");
    const [before = "", rest = ""] = page.split("<!-- metrics -->\n");
    const [listed, after = ""] = rest.split("<!-- /metrics -->\n");
    if (process.env.UPDATE_DOCS === "1") {
      writeFileSync(docs, `${before}<!-- metrics -->\n${tables}<!-- /metrics -->\n${after}`);
    } else {
      expect(listed).toBe(tables);
    }
  });

  test("each metric says what it means", () => {
    for (const { name, help } of allServed().values()) {
      expect(help.length, name).toBeGreaterThan(5);
    }
  });
});

/** Fails for an expression that is not PromQL, or that names a metric or label that no process serves. */
function check(expression: string, where: string): void {
  const known = allServed();
  const recorded = new Set(rules.flatMap(({ record }) => record ?? []));
  for (const series of readExpression(expression).metrics) {
    if (!recorded.has(series) && !ofPrometheus.has(series) && !Object.hasOwn(clickHouseMetrics, series)) {
      expect([...known.keys()], `${where}: ${series}`).toContain(metricOf(series, (name) => known.has(name)));
    }
  }
}

describe("dashboards", () => {
  test("there is one for each process, and ids are unique", () => {
    expect(dashboards.map(({ file }) => file).sort()).toEqual(
      ["admin-server", "agent", "collector", "overview", "query", "storage"].map((name) => `${name}.json`),
    );
    expect(new Set(dashboards.map(({ uid }) => uid)).size).toBe(dashboards.length);
    for (const { panels, file } of dashboards) {
      expect(new Set(panels.map(({ id }) => id)).size, file).toBe(panels.length);
    }
  });

  test.each(dashboards.map((each) => [each.file, each] as const))(
    "%s asks for what is there",
    (file, { panels }) => {
      for (const { title, targets } of panels) {
        for (const { expr } of targets) {
          check(expr, `${file}, ${title}`);
        }
      }
    },
  );
});

describe("rules", () => {
  test.each(rules.map((rule) => [rule.alert ?? rule.record ?? "", rule.expr] as const))(
    "%s",
    (name, expr) => {
      check(expr, name);
    },
  );

  test("those of a cluster ask for what ClickHouse counts", async () => {
    const sql =
      "SELECT concat('ClickHouseMetrics_', metric) FROM system.metrics UNION ALL " +
      "SELECT concat('ClickHouseProfileEvents_', event) FROM system.events SETTINGS system_events_show_zero_values = 1";
    const counted = await (await fetch(backend.storageUrl, { method: "POST", body: sql })).text();
    const asked = Object.keys(clickHouseMetrics).filter((name) => !name.includes("AsyncMetrics"));
    expect(asked.length).toBeGreaterThan(0);
    for (const name of asked) {
      expect(counted.split("\n")).toContain(name);
    }
  });

  test("each alert has a test", () => {
    const tested = alertTests.map((file) => readFileSync(`${prometheusFolder}${file}`, "utf8")).join("");
    for (const { alert } of rules) {
      if (alert !== undefined) {
        expect(tested).toContain(`- name: ${alert}\n`);
      }
    }
  });

  const promtool = process.env.PROMTOOL || "promtool";
  const isThere = spawnSync(promtool, ["--version"]).status === 0;
  test.skipIf(!isThere)("fire when they should (needs promtool, on the path or as PROMTOOL)", () => {
    const output = execFileSync(promtool, ["test", "rules", ...alertTests], {
      cwd: prometheusFolder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
    expect(output).toContain("SUCCESS");
  });
});

describe("the public model's mixin", () => {
  test.each(Object.entries(mixinMetrics))("%s", (name, labels) => {
    const metric = allServed().get(name);
    expect(metric).toBeDefined();
    expect(metric?.labels).toEqual(expect.arrayContaining([...labels]));
  });

  test("what nothing serves any more is named in the docs", () => {
    const page = readFileSync(docs, "utf8");
    for (const name of goneMetrics) {
      expect(allServed().has(name), name).toBe(false);
      expect(page).toContain(`\`${name}\``);
    }
  });
});

test("what is no PromQL is told", () => {
  expect(() => readExpression("sum(rate(x[5m])")).toThrow("no PromQL");
  expect(readExpression('sum by (a) (rate(x_total{b="$instance"}[$__rate_interval])) / y')).toEqual({
    metrics: ["x_total", "y"],
    labels: ["a", "b"],
  });
});
