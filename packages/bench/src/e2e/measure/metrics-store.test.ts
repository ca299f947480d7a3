import { once } from "node:events";
import { mkdir, mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MetricsStore } from "./metrics-store.ts";

const page = `# TYPE jaeger_collector_spans_saved_by_svc_total counter
jaeger_collector_spans_saved_by_svc_total{debug="false",result="err",svc="cart"} 7
jaeger_collector_spans_saved_by_svc_total{debug="false",result="ok",svc="cart"} 40
jaeger_collector_spans_saved_by_svc_total{debug="false",result="ok",svc="mail"} 1.5e+02
jaeger_collector_spans_received_total{svc="cart"} 900
`;
let server: Server;
let folder: string;
let url: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "metrics-store-"));
  server = createServer((_request, response) => response.end(page)).listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

test("counts what all services have saved", async () => {
  expect(await new MetricsStore(url, undefined).countSpans()).toBe(190);
  expect(await new MetricsStore(url, undefined).diskUsage()).toBeUndefined();
});

test("measures what the folder fills, not the size that its files have", async () => {
  await mkdir(join(folder, "values"));
  await writeFile(join(folder, "values", "log"), Buffer.alloc(100_000, 1));
  await truncate(join(folder, "values", "log"), 500_000_000);
  const { spans, allBytes } = (await new MetricsStore(url, folder).diskUsage())!;
  expect(spans).toBe(190);
  expect(allBytes).toBeGreaterThanOrEqual(100_000);
  expect(allBytes).toBeLessThan(1_000_000);
});
