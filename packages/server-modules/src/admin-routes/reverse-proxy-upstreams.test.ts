import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RunningServer, siteConfig } from "../../../admin-server/src/testing/running-server.ts";

/** Upstreams that nobody listens at, and one that answers. */
const dead = Array.from({ length: 1_500 }, (_, at) => `127.0.1.${at % 250}:${1 + Math.floor(at / 250)}`);
const living = createServer((_request, response) => response.end("served"));
let address: string;
let running: RunningServer;

beforeAll(async () => {
  await new Promise<void>((resolve) => living.listen(0, "127.0.0.1", resolve));
  address = `127.0.0.1:${(living.address() as AddressInfo).port}`;
  running = await RunningServer.start(
    siteConfig({
      handle: [
        {
          handler: "reverse_proxy",
          upstreams: [address, ...dead].map((dial) => ({ dial })),
          load_balancing: { selection_policy: { policy: "first" } },
        },
      ],
    }),
  );
  await ask(running.site);
});
afterAll(async () => {
  await running.close();
  living.close();
});

async function list(query: string) {
  const { status, headers, text } = await running.admin(
    "GET",
    `/reverse_proxy/upstreams?detail=true${query}`,
  );
  return { status, total: headers["x-total-count"], found: JSON.parse(text) };
}

test("a page of 1,501 upstreams, in each order", async () => {
  const whole = await list("");
  expect(whole.found).toHaveLength(1_501);
  const unasked = await list("&order=trouble&limit=100");
  expect(unasked).toMatchObject({ status: 200, total: "1501" });
  expect(unasked.found).toHaveLength(100);
  expect(unasked.found).not.toContainEqual(expect.objectContaining({ address }));
  const last = await list("&order=trouble&limit=100&offset=1500");
  expect(last.found).toMatchObject([{ address, healthy: true, last_response: expect.any(String) }]);
  expect((await list("&order=latency&limit=1")).found).toMatchObject([{ address }]);
  const byName = (await list("&order=address&limit=3&offset=1")).found as { address: string }[];
  expect(byName.map((one) => one.address)).toEqual(["127.0.1.0:1", "127.0.1.0:2", "127.0.1.0:3"]);
});

test("a part of the address finds its upstreams, and the answer says how many", async () => {
  const { total, found } = await list("&contains=127.0.1.249&limit=2");
  expect(total).toBe("6");
  expect(found).toHaveLength(2);
});

test("an order that there is not is refused, in the words of the list", async () => {
  expect(await list("&order=toString")).toMatchObject({
    status: 400,
    found: { error: "order is none of address, trouble, requests, fails, latency: 'toString'" },
  });
});
