import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { parseObjectives } from "./objectives-file.ts";
import { prometheusRules } from "./prometheus-rules.ts";

const { objectives } = parseObjectives(`
objectives:
  - { name: checkout, service: 'sh"op\\n', target: 99.9, labels: { team: web } }
  - { name: fast.one, service: shop, operations: ["GET /a{b}", "it's"], kinds: [server, consumer], target: 90, latency: 300ms }
  - { name: exact, service: shop, target: 50, latency: 400ms, window: 90d }
  - { name: gold, service: shop, target: 99, condition: 'span.plan = "gold"' }
  - { name: quiet, service: shop, target: 99, alerts: false }
`);
const rules = prometheusRules(objectives);

test("rules record burn rates, and leave out what Prometheus cannot count", () => {
  expect(rules).toContain("# gold is left out");
  expect(rules).toContain("# fast.one: a latency of 300 ms is counted as 200 ms");
  const groups: { name: string; rules: { record?: string; alert?: string; expr: string }[] }[] =
    parse(rules).groups;
  expect(groups.map(({ name, rules: all }) => [name, all.length])).toEqual([
    ["objective-checkout", 7],
    ["objective-fast.one", 7],
    ["objective-exact", 6],
    ["objective-quiet", 5],
  ]);
  const [page] = groups[0]?.rules.filter(({ alert }) => alert !== undefined) ?? [];
  expect(page?.expr).toContain('objective:bad_share:rate1h{objective="checkout"} > 0.0144 and');
  // With a target of 90 % the burn rate is at most 10, so it never reaches 14.4.
  expect(groups[1]?.rules.map(({ expr }) => expr).join()).not.toContain("1.44");
});

const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

test.skipIf(!hasPromtool)("promtool takes the rules", async () => {
  const folder = await mkdtemp(join(tmpdir(), "rules-"));
  const path = join(folder, "rules.yaml");
  await writeFile(path, rules);
  const { status, stdout, stderr } = spawnSync("promtool", ["check", "rules", path], { encoding: "utf8" });
  await rm(folder, { recursive: true });
  expect([status, stderr, stdout]).toEqual([0, "", expect.stringContaining("25 rules found")]);
});

/**
 * Ten minutes of calls, then a constant counter. `promtool test rules` fails when a sample differs from the expected
 * value.
 */
const noCalls = `
rule_files: [rules.yaml]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - { series: 'traces_span_metrics_calls_total{service_name="shop",span_kind="SPAN_KIND_SERVER",status_code="STATUS_CODE_UNSET"}', values: '0+60x10 600x20' }
    promql_expr_test:
      - { expr: 'objective:bad_share:rate5m{objective="quiet"}', eval_time: 10m, exp_samples: [{ labels: 'objective:bad_share:rate5m{objective="quiet"}', value: 0 }] }
      - { expr: 'objective:bad_share:rate5m{objective="quiet"}', eval_time: 25m, exp_samples: [] }
`;

test.skipIf(!hasPromtool)("no share is recorded while no calls come", async () => {
  const folder = await mkdtemp(join(tmpdir(), "rules-"));
  await writeFile(join(folder, "rules.yaml"), rules);
  await writeFile(join(folder, "test.yaml"), noCalls);
  const { status, stdout, stderr } = spawnSync("promtool", ["test", "rules", join(folder, "test.yaml")], {
    encoding: "utf8",
  });
  await rm(folder, { recursive: true });
  expect([status, stderr + stdout]).toEqual([0, expect.stringContaining("SUCCESS")]);
});
