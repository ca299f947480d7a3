import { createMetrics } from "lifecycle";
import { expect, test } from "vitest";
import { CollectorError } from "../../errors.ts";
import { countQuotas } from "./count-quotas.ts";
import { Quotas } from "./quotas.ts";
import { parseQuotas } from "./read-quotas.ts";
import { TenantLabels } from "./tenant-counts.ts";

const dayMs = 86_400_000;

function quotasOf(text: string, limits?: ConstructorParameters<typeof Quotas>[2]) {
  const time = { monotonicMs: 0, epochMs: 20_000 * dayMs };
  const quotas = new Quotas(parse(text), () => time, limits);
  const registry = createMetrics("test");
  countQuotas(quotas, registry);
  const lines = async (name: string) =>
    (await registry.metrics())
      .split("\n")
      .filter((line) => line.startsWith(`tracing_collector_quota_${name}`))
      .map((line) => line.replace("tracing_collector_quota_", ""));
  /** Returns "kept", or the error code and the seconds to wait. */
  const send = (tenant: string, spans: number, bytes = 1) => {
    try {
      quotas.take(tenant, spans, bytes);
      return "kept";
    } catch (error) {
      const { code, retryAfterS } = error as CollectorError;
      return `${code} ${retryAfterS}`;
    }
  };
  return { quotas, time, send, lines };
}

const parse = (text: string) => parseQuotas(text, "test", { enabled: true });

test("a tenant sends its burst at once, then its rate", () => {
  const { send, time } = quotasOf("defaults: { spans-per-second: 10, burst-spans: 30 }");
  expect([send("a", 20), send("a", 10), send("a", 1)]).toEqual([
    ...["kept", "kept", "COLLECTOR_RATE_LIMITED 1"],
  ]);
  expect(send("a", 30)).toBe("COLLECTOR_RATE_LIMITED 3");
  time.monotonicMs += 2_500;
  expect([send("a", 26), send("a", 25), send("a", 1)]).toEqual([
    ...["COLLECTOR_RATE_LIMITED 1", "kept", "COLLECTOR_RATE_LIMITED 1"],
  ]);
  time.monotonicMs += 1e9;
  expect([send("a", 30), send("a", 1)]).toEqual(["kept", "COLLECTOR_RATE_LIMITED 1"]);
});

test("a batch over the burst is taken after a quiet time, and its rest is owed", () => {
  const { send, time } = quotasOf("defaults: { spans-per-second: 10 }");
  expect([send("a", 500), send("a", 1)]).toEqual(["kept", "COLLECTOR_RATE_LIMITED 50"]);
  time.monotonicMs += 49_000;
  expect(send("a", 1)).toBe("COLLECTOR_RATE_LIMITED 1");
  time.monotonicMs += 1_000;
  expect([send("a", 1), send("a", 500)]).toEqual(["kept", "COLLECTOR_RATE_LIMITED 1"]);
});

test("the bytes of a day begin anew at midnight", () => {
  const { send, time } = quotasOf("defaults: { bytes-per-day: 1KB }");
  expect([send("a", 1, 999), send("a", 1, 2), send("a", 1, 1), send("a", 1, 1)]).toEqual([
    ...["kept", "COLLECTOR_DAY_LIMITED 86400", "kept", "COLLECTOR_DAY_LIMITED 86400"],
  ]);
  time.epochMs += dayMs - 1;
  expect(send("a", 1, 1)).toBe("COLLECTOR_DAY_LIMITED 1");
  time.epochMs += 1;
  expect([send("a", 1, 1_000), send("a", 1, 1_001)]).toEqual(["kept", "COLLECTOR_TOO_LARGE undefined"]);
});

test("what was not kept is not charged", async () => {
  const { quotas, send, time, lines } = quotasOf(
    "defaults: { spans-per-second: 1, burst-spans: 5, bytes-per-day: 10 }",
  );
  const taken = quotas.take("a", 5, 10);
  expect(await lines("day_bytes{")).toEqual(['day_bytes{tenant="a"} 10']);
  taken.giveBack();
  expect([send("a", 5, 10), send("a", 1, 0)]).toEqual(["kept", "COLLECTOR_RATE_LIMITED 1"]);
  expect(await lines("spans_total{")).toEqual(['spans_total{tenant="a"} 5']);
  // A refund on the next day must not change that day's count.
  time.monotonicMs += 5_000;
  time.epochMs += dayMs;
  const late = quotas.take("a", 1, 10);
  time.epochMs += dayMs;
  expect(send("a", 1, 4)).toBe("kept");
  late.giveBack();
  expect(await lines("day_bytes{")).toEqual(['day_bytes{tenant="a"} 4']);
});

test.each([1, 101, 1_500])("%i tenants have quotas of their own", async (count) => {
  const { quotas, send, lines } = quotasOf("defaults: { spans-per-second: 1, burst-spans: 2 }");
  const tenants = Array.from({ length: count }, (_, index) => `t${index}`);
  for (const tenant of tenants) {
    expect([send(tenant, 2), send(tenant, 1)]).toEqual(["kept", "COLLECTOR_RATE_LIMITED 1"]);
  }
  expect(quotas.forgotten).toBe(0);
  const spans = await lines("spans_total{");
  expect(spans).toHaveLength(Math.min(count, 1_001));
  expect(spans.at(-1)).toBe(
    count > 1_000 ? 'spans_total{tenant="other-tenants"} 1000' : `spans_total{tenant="t${count - 1}"} 2`,
  );
  expect(await lines("limit{")).toHaveLength(Math.min(count, 1_000));
});

test("tenants that were quiet for longest are forgotten, never those of the file", async () => {
  const limits = { maxUnnamed: 2, labels: new TenantLabels() };
  const { send, lines } = quotasOf(
    "{ defaults: { bytes-per-day: 10 }, tenants: { named: { bytes-per-day: 10 } } }",
    limits,
  );
  const all = ["named", "a", "b"].map((tenant) => send(tenant, 1, 10));
  expect([...all, send("a", 1, 10), send("c", 1, 10)]).toEqual([
    ...["kept", "kept", "kept", "COLLECTOR_DAY_LIMITED 86400", "kept"],
  ]);
  expect(["named", "a", "b"].map((tenant) => send(tenant, 1, 10))).toEqual([
    ...["COLLECTOR_DAY_LIMITED 86400", "COLLECTOR_DAY_LIMITED 86400", "kept"],
  ]);
  expect(await lines("forgotten_tenants_total")).toEqual(["forgotten_tenants_total 2"]);
});

test("other quotas hold at once, and what was sent stays counted", () => {
  const { quotas, send } = quotasOf("defaults: { spans-per-second: 100, bytes-per-day: 100 }");
  expect([send("a", 10, 60), send("b", 10, 60)]).toEqual(["kept", "kept"]);
  quotas.use(parse("{ defaults: { bytes-per-day: 70 }, tenants: { a: { spans-per-second: 1 } } }"));
  expect([send("a", 1, 10), send("a", 1, 0), send("b", 1_000, 11), send("b", 1_000, 10)]).toEqual([
    ...["kept", "COLLECTOR_RATE_LIMITED 1", "COLLECTOR_DAY_LIMITED 86400", "kept"],
  ]);
  quotas.use(parse("{}"));
  expect([send("a", 1_000, 1_000), send("b", 1_000, 1_000)]).toEqual(["kept", "kept"]);
  quotas.use(parse("defaults: { bytes-per-day: 1070 }"));
  expect([send("a", 1, 1), send("b", 1, 1)]).toEqual([
    ...["COLLECTOR_DAY_LIMITED 86400", "COLLECTOR_DAY_LIMITED 86400"],
  ]);
});

test("refused spans are counted by quota and tenant", async () => {
  const { send, lines } = quotasOf("defaults: { spans-per-second: 1, bytes-per-day: 10 }");
  expect([send("a", 1), send("a", 7), send("b", 3, 11)]).toEqual([
    ...["kept", "COLLECTOR_RATE_LIMITED 1", "COLLECTOR_TOO_LARGE undefined"],
  ]);
  expect(await lines("refused_spans_total{")).toEqual([
    'refused_spans_total{tenant="a",quota="spans-per-second"} 7',
    'refused_spans_total{tenant="b",quota="bytes-per-day"} 3',
  ]);
  expect(await lines("limit{")).toEqual([
    ...['limit{tenant="a",quota="spans-per-second"} 1', 'limit{tenant="a",quota="bytes-per-day"} 10'],
    ...['limit{tenant="b",quota="spans-per-second"} 1', 'limit{tenant="b",quota="bytes-per-day"} 10'],
  ]);
});

test("without tenancy the defaults are those of the collector", () => {
  const { quotas } = quotasOf("defaults: { spans-per-second: 1 }");
  quotas.take("", 1, 1);
  expect(() => quotas.take("", 1, 1)).toThrow(CollectorError);
  expect(() => quotas.take("", 1, 1)).toThrow("over the quota of this collector: spans-per-second 1");
});
