import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMetrics, parseOptions } from "lifecycle";
import { afterEach, beforeEach, expect, test } from "vitest";
import { recordedLog } from "../../../test/recorded-log.ts";
import { collectorOptions } from "../../options/collector-options.ts";
import { openQuotas } from "./open-quotas.ts";
import { parseQuotas } from "./read-quotas.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "quotas-"));
  path = join(folder, "quotas.yaml");
});
afterEach(() => rm(folder, { recursive: true }));

const tenancy = { enabled: true };

function contextOf() {
  const degraded: (string | undefined)[] = [];
  const health = { degrade: (_: string, reason: string | undefined) => void degraded.push(reason) };
  const metrics = createMetrics("test");
  return { degraded, metrics, log: recordedLog(), health };
}

const optionsOf = (...args: string[]) =>
  parseOptions(collectorOptions, { arguments: args, environment: {} }).options;

const neverReloads = (path: string) =>
  optionsOf("--collector.quotas.file", path, "--collector.quotas.reload-interval", "0s");

test("without a file there are no quotas, and no metrics of them", async () => {
  const context = contextOf();
  const { quotas } = await openQuotas(optionsOf(), context);
  expect(quotas).toBeUndefined();
  expect(await context.metrics.metrics()).not.toContain("quota");
});

test.each([
  ["tenants: { acme: { spans-per-second: -1 } }", `:1:38: tenants.acme.spans-per-second: `],
  ["defaults: { spans-per-second: 0 }", ":1:31: defaults.spans-per-second: "],
  ["defaults: { spans_per_second: 1 }", ":1:31: defaults.spans_per_second: is not known here"],
  ["defaults: { burst-spans: 1.5 }", ":1:26: defaults.burst-spans: "],
  ["defaults: { bytes-per-day: 1 apple }", ":1:28: defaults.bytes-per-day: "],
  ["defaults: { bytes-per-day: 0 }", ":1:28: defaults.bytes-per-day: "],
  ["tenants: { 'a b': {} }", ":1:19: tenants.a b: is no name of a tenant"],
  ["tenants: { a: {}, a: {} }", ":1:19: is not YAML or JSON: DUPLICATE_KEY"],
  ["tenants: {", ":1:11: is not YAML or JSON: "],
  ["- 1", ":1:1: the document: "],
])("%s is refused with its place", async (text, message) => {
  await writeFile(path, text);
  const options = optionsOf("--collector.quotas.file", path, "--multi-tenancy.enabled");
  await expect(openQuotas(options, contextOf())).rejects.toThrow(
    `option --collector.quotas.file: ${path}${message}`,
  );
});

test("tenants are refused where requests have none", async () => {
  await writeFile(path, "tenants: { acme: { spans-per-second: 1 } }");
  await expect(openQuotas(optionsOf("--collector.quotas.file", path), contextOf())).rejects.toThrow(
    `${path}:1:10: tenants: requests have no tenants without --multi-tenancy.enabled`,
  );
});

test("a file over 1 MiB is refused", async () => {
  await writeFile(path, " ".repeat(1024 * 1024 + 1));
  await expect(openQuotas(optionsOf("--collector.quotas.file", path), contextOf())).rejects.toThrow(
    `${path}: has 1048577 bytes, over the limit of 1048576`,
  );
});

test.each([1, 101, 1_500])("a file of %i tenants is read", (count) => {
  const tenants = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`t${index}`, { "bytes-per-day": index + 1 }]),
  );
  const file = parseQuotas(JSON.stringify({ tenants }), "test", tenancy);
  expect(file.tenants.size).toBe(count);
  expect(file.tenants.get(`t${count - 1}`)?.bytesPerDay).toBe(count);
});

test("more than 10,000 tenants are refused", () => {
  const tenants = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`t${index}`, {}]));
  expect(() => parseQuotas(JSON.stringify({ tenants }), "test", tenancy)).toThrow("has over 10000 tenants");
});

test("a tenant has the defaults where it says nothing, and none lifts them", () => {
  const { defaults, tenants } = parseQuotas(
    `defaults: { spans-per-second: 100, burst-spans: 500, bytes-per-day: 1MiB }
tenants:
  empty: {}
  faster: { spans-per-second: 1000 }
  free: { spans-per-second: none, bytes-per-day: none }
  __proto__: { bytes-per-day: 7 }`,
    "test",
    tenancy,
  );
  const usual = { spansPerSecond: 100, burstSpans: 500, bytesPerDay: 1_048_576 };
  expect(defaults).toEqual(usual);
  expect(tenants.get("empty")).toEqual(usual);
  expect(tenants.get("faster")).toEqual({ ...usual, spansPerSecond: 1_000, burstSpans: 1_000 });
  expect(tenants.get("free")).toEqual({ spansPerSecond: undefined, burstSpans: 1, bytesPerDay: undefined });
  expect(Object.prototype).not.toHaveProperty("bytes-per-day");
});

test("quotas are read again; a mistake leaves them as they were, and is said once", async () => {
  const context = contextOf();
  const { degraded, metrics, log } = context;
  await writeFile(path, "defaults: { bytes-per-day: 10 }");
  const reloading = await openQuotas(neverReloads(path), context);
  const fits = (bytes: number) => {
    try {
      reloading.quotas!.take("a", 1, bytes).giveBack();
      return true;
    } catch {
      return false;
    }
  };
  const metric = async (name: string) =>
    (await metrics.metrics())
      .split("\n")
      .filter((line) => line.startsWith(`tracing_collector_quota_${name}`));
  expect([fits(10), fits(11)]).toEqual([true, false]);

  await writeFile(path, "defaults: { bytes-per-day: ten }");
  await reloading.look();
  await reloading.look();
  expect([fits(10), fits(11)]).toEqual([true, false]);
  expect(degraded).toEqual([expect.stringContaining(`${path}:1:28: defaults.bytes-per-day: `)]);
  expect(log.messages("error")).toHaveLength(1);
  expect(await metric("file_up_to_date ")).toEqual(["tracing_collector_quota_file_up_to_date 0"]);

  await rm(path);
  await reloading.look();
  expect(degraded.at(-1)).toContain("cannot be read: ENOENT");

  await writeFile(path, "defaults: { bytes-per-day: 11 }");
  await reloading.look();
  expect([fits(11), fits(12)]).toEqual([true, false]);
  expect(degraded.at(-1)).toBeUndefined();
  expect(await metric("file_up_to_date ")).toEqual(["tracing_collector_quota_file_up_to_date 1"]);
  expect(await metric("reloads_total{")).toEqual([
    ...['tracing_collector_quota_reloads_total{result="refused"} 2'],
    ...['tracing_collector_quota_reloads_total{result="used"} 1'],
  ]);
});
