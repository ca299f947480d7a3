import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { RunningServer } from "../../../admin-server/src/testing/running-server.ts";

let running: RunningServer;
afterEach(() => running.close());

async function listeners(): Promise<unknown> {
  return JSON.parse((await running.admin("GET", "/listeners")).text);
}

test("nothing is open before a config has servers", async () => {
  running = await RunningServer.start({});
  expect(await listeners()).toEqual([]);
  expect((await running.admin("POST", "/listeners", {})).status).toBe(405);
});

test.each([0, 2])("each address once, with its connections, with %d workers", async (workers) => {
  const plain = { listen: ["127.0.0.1:0"], protocols: ["h1", "h2", "h2c"] };
  const secure = { listen: ["127.0.0.2:0"], tls_connection_policies: [{}] };
  running = await RunningServer.start({ apps: { http: { servers: { plain, secure } } } }, {}, workers);
  const [first = ""] = running.sites.filter((site) => site.includes("127.0.0.1"));
  const { port, host } = new URL(first);
  const socket = connect(Number(port), "127.0.0.1");
  await once(socket, "connect");
  await expect
    .poll(listeners, { timeout: 60_000 })
    .toEqual([
      { address: host, server: "plain", tls: false, protocols: ["h1", "h2c"], connections: 1 },
      expect.objectContaining({ server: "secure", tls: true, protocols: ["h1", "h2"], connections: 0 }),
    ]);
  const { text, headers } = await running.admin("GET", "/listeners?limit=1&offset=1&contains=127.0.0");
  expect(JSON.parse(text)).toMatchObject([{ server: "secure" }]);
  expect(headers["x-total-count"]).toBe("2");
  socket.destroy();
});
