import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * The metrics of ClickHouse's own page that rules use, with the values of a healthy server. The embedded engine has no
 * such page; the test asks it if it counts `metrics` and `events`. The embedded engine has no asynchronous metrics;
 * they come from ClickHouse's documentation.
 */
export const clickHouseMetrics: Readonly<Record<string, number>> = {
  ClickHouseMetrics_ReadonlyReplica: 0,
  ClickHouseProfileEvents_ReplicatedDataLoss: 0,
  ClickHouseAsyncMetrics_ReplicasMaxAbsoluteDelay: 0,
  ClickHouseAsyncMetrics_MaxPartCountForPartition: 40,
  ClickHouseAsyncMetrics_DiskAvailable_default: 6e11,
  ClickHouseAsyncMetrics_DiskTotal_default: 1e12,
};

/** Opens such a page on a real socket. */
export async function openClickHousePage(): Promise<{ readonly address: string; close(): void }> {
  const page = Object.entries(clickHouseMetrics)
    .map(
      ([name, value]) =>
        `# TYPE ${name} ${name.includes("ProfileEvents") ? "counter" : "gauge"}\n${name} ${value}\n`,
    )
    .join("");
  const server = createServer((_request, response) => {
    response.writeHead(200, { "Content-Type": "text/plain; version=0.0.4; charset=UTF-8" }).end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}
