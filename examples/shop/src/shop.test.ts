import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { openShop, shopServices } from "./shop.ts";

test("a day in the shop: every service reports, some visits fail, nothing hangs", async () => {
  const bodies: Buffer[] = [];
  const collector = createServer(async (request, response) => {
    bodies.push(Buffer.concat(await Array.fromAsync(request)));
    response.writeHead(200, { "Content-Type": "application/x-protobuf" }).end();
  }).listen(0, "127.0.0.1");
  await once(collector, "listening");
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;

  const shop = await openShop(7);
  const statuses = await Promise.all(Array.from({ length: 120 }, () => shop.visit()));
  await shop.close();
  collector.close();

  const sent = Buffer.concat(bodies).toString("latin1");
  for (const { name } of shopServices) {
    expect(sent).toContain(name);
  }
  expect(sent).toContain("cloud.region");
  expect(new Set(statuses)).toContain(200);
  expect(statuses.filter((status) => status >= 400).length).toBeGreaterThan(0);
});
