import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { metricSums } from "./metric-sum.ts";
import { RetainedStore } from "./retained-store.ts";

const page = `# HELP tracing_storage_retention_dropped_rows_total Rows of the days that were dropped, for each table.
# TYPE tracing_storage_retention_dropped_rows_total counter
tracing_storage_retention_dropped_rows_total{table="tracing.spans"} 1200
tracing_storage_retention_dropped_rows_total{table="tracing.trace_index"} 90
lost_total 3
lost_total_more 70
sent_total{format="a {b} c"} 2
sent_total{format="d"} 4
`;
const server = createServer((request, response) =>
  response.writeHead(request.url === "/metrics" ? 200 : 404).end(page),
);
let url = "";

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

test("sums the series of each name, and of no longer name", async () => {
  expect(await metricSums(`${url}/metrics`, ["lost_total", "sent_total", "absent_total"])).toEqual({
    ...{ lost_total: 3, sent_total: 6, absent_total: 0 },
  });
  await expect(metricSums(`${url}/other`, ["lost_total"])).rejects.toThrow("answered 404");
});

test("spans that retention dropped count as stored", async () => {
  const inner = { countSpans: async () => 34, diskUsage: async () => undefined };
  expect(await new RetainedStore(inner, `${url}/metrics`).countSpans()).toBe(1_234);
});
