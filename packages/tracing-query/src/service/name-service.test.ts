import { Registry } from "@prometheus-io/client";
import { type Health, StorageWatch } from "lifecycle";
import type { ReadOptions, SpanReader } from "storage/api";
import { expect, test } from "vitest";
import { NameService } from "./name-service.ts";
import { QueryMetrics } from "./query-metrics.ts";
import { RequestGate } from "./request-gate.ts";
import { StoreReads } from "./store-reads.ts";

const alwaysAvailable: Health = { status: "available", set() {}, degrade() {} };

/** A service over a store that returns the options and queries of its requests as names. */
function opened(maxAgeMs: number) {
  const asked: string[] = [];
  const note = (what: string, { tenant, bearerToken }: ReadOptions = {}) => {
    asked.push([what, tenant, bearerToken].join(" "));
  };
  const reader = {
    getServices: async (options?: ReadOptions) => {
      note("services", options);
      return [options?.tenant ?? ""];
    },
    getOperations: async ({ service, spanKind = "any" }, options) => {
      note(`${service} ${spanKind}`, options);
      return [{ name: service, spanKind: spanKind === "any" ? "server" : spanKind }];
    },
  } as Pick<SpanReader, "getServices" | "getOperations"> as SpanReader;
  const watch = new StorageWatch({ store: { ready: async () => {} }, health: alwaysAvailable });
  watch.stop();
  const registry = new Registry();
  const reads = new StoreReads({
    watch,
    metrics: new QueryMetrics(registry),
    gate: new RequestGate({ maxConcurrent: 1, maxWaiting: 0 }),
  });
  return { asked, registry, names: new NameService(reader, reads, maxAgeMs) };
}

test("tenants, tokens, services and kinds have answers of their own; each answer is counted", async () => {
  const { asked, names, registry } = opened(60_000);
  for (const _ of [1, 2]) {
    expect(await names.getServices({ tenant: "acme" })).toEqual(["acme"]);
    expect(await names.getServices({ tenant: "other", signal: new AbortController().signal })).toEqual([
      "other",
    ]);
    expect(await names.getServices({ tenant: "other", bearerToken: "t" })).toEqual(["other"]);
    expect(await names.getOperations("shop", undefined, {})).toEqual([{ name: "shop", spanKind: "server" }]);
    expect(await names.getOperations("shop", "client", {})).toEqual([{ name: "shop", spanKind: "client" }]);
    expect(await names.getOperations("stock", undefined, {})).toHaveLength(1);
  }
  expect(asked).toEqual([
    "services acme ",
    "services other ",
    "services other t",
    "shop any  ",
    "shop client  ",
    "stock any  ",
  ]);
  expect(await registry.metrics()).toContain(
    'tracing_query_requests_total{operation="get_services",result="ok"} 6',
  );
});

test("without an age the store is always asked", async () => {
  const { asked, names } = opened(0);
  await names.getServices({});
  await names.getServices({});
  expect(asked).toHaveLength(2);
});
