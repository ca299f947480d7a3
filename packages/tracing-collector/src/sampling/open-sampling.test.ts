import { createLogger, createMetrics } from "lifecycle";
import { openMemoryStore } from "storage/memory";
import { expect, it } from "vitest";
import { collectorOptions } from "../options/collector-options.ts";
import { openSampling } from "./open-sampling.ts";

it("refuses adaptive sampling in a remote storage, whose API has no place for it", async () => {
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
