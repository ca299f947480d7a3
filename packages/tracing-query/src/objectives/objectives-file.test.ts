import { expect, test } from "vitest";
import { allowedShare } from "./objective.ts";
import { parseObjectives } from "./objectives-file.ts";

test("a file says objectives with their defaults, and where alerts go", () => {
  const file = parseObjectives(`
objectives:
  - { name: checkout, service: shop, target: 99.9 }
  - name: fast
    service: shop
    operations: [GET /]
    kinds: [server, consumer]
    condition: span.plan = "gold"
    target: 99
    window: 7d
    latency: 300ms
    minBad: 5
    labels: { team: web }
ui: https://tracing.example/base/
alertmanagers: [{ url: "https://me:se%40cret@alerts.example/am/" }]
webhooks: [{ url: "http://hooks.example/a", format: slack, headers: { X-Key: "1" } }, { url: "http://hooks.example/b" }]
`);
  expect(file.objectives[0]).toEqual({
    ...{ name: "checkout", service: "shop", target: 99.9, tenant: "", description: "", condition: "" },
    ...{ operations: [], kinds: ["server"], windowMs: 30 * 86_400_000, latencyMs: undefined },
    ...{ minBad: 1, alerts: true, labels: {} },
  });
  expect(file.objectives[1]).toMatchObject({ windowMs: 7 * 86_400_000, latencyMs: 300, minBad: 5 });
  const link = "https://tracing.example/base/objectives";
  expect(file.targets).toEqual([
    {
      kind: "alertmanager",
      url: "https://alerts.example/am/api/v2/alerts",
      headers: { authorization: `Basic ${Buffer.from("me:se@cret").toString("base64")}` },
      link,
    },
    { kind: "slack", url: "http://hooks.example/a", headers: { "X-Key": "1" }, link },
    { kind: "webhook", url: "http://hooks.example/b", headers: {}, link },
  ]);
  expect(parseObjectives('{ "objectives": [] }').targets).toEqual([]);
});

const one = (more: string) => `objectives: [{ name: a, service: s, target: 99.9, ${more} }]`;

test.each([
  ["objectives.0.target", "objectives: [{ name: a, service: s, target: 100 }]"],
  ["objectives.0.target", 'objectives: [{ name: a, service: s, target: "99.9%" }]'],
  ["objectives.0.name", "objectives: [{ name: a b, service: s, target: 99 }]"],
  ['objectives.0.window: "30" is not a duration from 1d to 90d', one('window: "30"')],
  ["objectives.0.window: is not a number of whole hours", one("window: 25h1m")],
  ['objectives.0.latency: "300" is not a duration', one('latency: "300"')],
  ["objectives.0.latency", one("latency: 300")],
  ["objectives.0.condition: is no condition of TraceQL", one('condition: "span.a ="')],
  ["objectives.0.condition: is no condition of TraceQL", one('condition: "true } || { true"')],
  ["objectives.0.labels.severity", one("labels: { severity: low }")],
  ['objectives.0: Unrecognized key: "opeartions"', one("opeartions: [a]")],
  ["two objectives have the name a", one("}, { name: a, service: other, target: 5")],
  ["alertmanagers.0.url", `${one("")}\nalertmanagers: [{ url: "alerts:9093" }]`],
  ["the document", "just a text"],
  ["bad indentation|Nested|Implicit|must|missed|Flow", "objectives: [{"],
])("a mistake is named by its place: %s", (message, text) => {
  expect(() => parseObjectives(text)).toThrow(message.includes("|") ? new RegExp(message, "i") : message);
});

test("one name may belong to two tenants", () => {
  const text = one('tenant: x }, { name: a, service: s, target: 5, tenant: "y"');
  expect(parseObjectives(text).objectives.map(({ tenant }) => tenant)).toEqual(["x", "y"]);
});

test.each([
  [99.9, 0.001],
  [99.99, 0.0001],
  [99.95, 0.0005],
  [90, 0.1],
  [99.999, 0.00001],
])("a target of %d %% allows a share of %d", (target, share) => {
  expect(allowedShare(target)).toBe(share);
});
