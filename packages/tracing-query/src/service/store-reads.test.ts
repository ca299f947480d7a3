import { Registry } from "@prometheus-io/client";
import { type Health, StorageWatch } from "lifecycle";
import { StorageError } from "storage/api";
import { expect, test } from "vitest";
import { QueryMetrics } from "./query-metrics.ts";
import { RequestGate } from "./request-gate.ts";
import { StoreReads } from "./store-reads.ts";

const alwaysAvailable: Health = { status: "available", set() {}, degrade() {} };
const signal = new AbortController().signal;

function opened(gate: RequestGate) {
  const watch = new StorageWatch({ store: { ready: async () => {} }, health: alwaysAvailable });
  watch.stop();
  return new StoreReads({ watch, metrics: new QueryMetrics(new Registry()), gate, maxReadBytes: 5 });
}

const gateOf = () => new RequestGate({ maxConcurrent: 1, maxConcurrentTraces: 1, maxWaiting: 0 });

test("a read takes a place unless its request holds one, and gives it back", async () => {
  const gate = gateOf();
  const reads = opened(gate);
  const seen = () => gate.inside;
  expect(await reads.one("get_dependencies", {}, async () => seen())).toBe(1);
  const read = { signal, tenant: "" };
  const leave = await gate.admit(read);
  const refused = reads.list("attribute_values", { signal }, async () => []);
  await expect(refused).rejects.toMatchObject({ code: "QUERY_BUSY" });
  // A copy of the request's options is the same request.
  expect(await reads.one("attribute_values", { ...read }, async () => seen())).toBe(1);
  // Reads by keys have separate places.
  expect(await reads.list("get_services", { signal }, async () => [gate.traces.inside])).toEqual([1]);
  leave();
  await expect(reads.one("traceql_search", {}, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect([seen(), gate.traces.inside]).toEqual([0, 0]);
});

test("another tenant's reads leave a place free", async () => {
  const gate = new RequestGate({ maxConcurrent: 2, maxWaiting: 10 });
  const reads = opened(gate);
  const end = Promise.withResolvers<number>();
  const heavy = Array.from({ length: 5 }, () =>
    reads.one("get_call_rates", { tenant: "heavy", signal }, () => end.promise),
  );
  expect(await reads.one("find_traces", { tenant: "modest", signal }, async () => "found")).toBe("found");
  expect(gate.inside).toBe(1);
  end.resolve(1);
  expect(await Promise.all(heavy)).toEqual([1, 1, 1, 1, 1]);
});

test("a read over the store's limit of bytes names the option", async () => {
  const read = () => Promise.reject(new StorageError("STORAGE_TOO_LARGE", "too long"));
  await expect(opened(gateOf()).one("get_trace", {}, read)).rejects.toMatchObject({
    code: "QUERY_TOO_LARGE",
    message: expect.stringContaining("over the limit of 5 bytes of --query.max-read-size"),
    limit: { name: "query.max-read-size", value: 5 },
  });
});
