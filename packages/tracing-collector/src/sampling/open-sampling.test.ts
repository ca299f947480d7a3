import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger, createMetrics } from "lifecycle";
import { openMemoryStore } from "storage/memory";
import { expect, test } from "vitest";
import { collectorOptions } from "../options/collector-options.ts";
import { openSampling } from "./open-sampling.ts";

test.each([
  [true, ["/health"]],
  [false, undefined],
])("sampling.strategies.bugfix-5270 %s: a rate-limited service gets %j", async (isOn, operations) => {
  const folder = await mkdtemp(join(tmpdir(), "open-sampling-"));
  const file = join(folder, "strategies.json");
  const byDefault = {
    type: "probabilistic",
    param: 0.5,
    operation_strategies: [{ operation: "/health", type: "probabilistic", param: 0 }],
  };
  const limited = { service: "limited", type: "ratelimiting", param: 5 };
  await writeFile(file, JSON.stringify({ default_strategy: byDefault, service_strategies: [limited] }));
  const options = collectorOptions.parse({
    "sampling.strategies-file": file,
    "sampling.strategies.bugfix-5270": isOn,
  });
  const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
  const context = { store: openMemoryStore(), metrics: createMetrics("test"), log };
  const { provider } = await openSampling(options, context);
  const { operationSampling } = provider.strategyFor("limited");
  expect(operationSampling?.perOperationStrategies.map(({ operation }) => operation)).toEqual(operations);
  await provider.close();
  await rm(folder, { recursive: true });
});

test("refuses adaptive sampling in a remote storage, whose API has no place for it", async () => {
  const options = collectorOptions.parse({
    "span-storage.type": "grpc",
    "grpc-storage.server": "localhost:17271",
    "sampling.config-type": "adaptive",
  });
  const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
  const context = { store: openMemoryStore(), metrics: createMetrics("test"), log };
  await expect(openSampling(options, context)).rejects.toThrow("choose --sampling.storage-type=clickhouse");
  const elsewhere = { ...options, "sampling.storage-type": "memory" as const };
  const { provider } = await openSampling(elsewhere, context);
  await provider.close();
});
