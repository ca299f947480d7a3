import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";

let running: RunningServer;
let upstream: Server;

beforeAll(async () => {
  running = await RunningServer.start();
  upstream = createServer((request, response) => response.end(request.url)).listen(0, "127.0.0.1");
  await new Promise((resolve) => upstream.once("listening", resolve));
});
afterAll(async () => {
  upstream.close();
  await running.close();
});

/** Sends all requests in one write. @returns the bytes received until the server closes */
function pipelined(targets: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(running.site);
  const requests = targets.map((target, index) => {
    const last = index === targets.length - 1 ? "Connection: close\r\n" : "";
    return `GET ${target} HTTP/1.1\r\nHost: a.test\r\n${last}\r\n`;
  });
  return new Promise((resolve, reject) => {
    let text = "";
    connect(Number(port), hostname)
      .setEncoding("latin1")
      .on("data", (piece: string) => {
        text += piece;
      })
      .on("end", () => resolve(text))
      .on("error", reject)
      .write(requests.join(""));
  });
}

test.each([
  ["passive health checks", { health_checks: { passive: { unhealthy_request_count: 1 } } }, {}],
  ["a limit of the upstream", {}, { max_requests: 1 }],
])("a request does not count against the one behind it: %s", async (_limit, proxy, limits) => {
  const dial = `127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const handle = [{ handler: "reverse_proxy", upstreams: [{ dial, ...limits }], ...proxy }];
  expect((await running.admin("POST", "/load", siteConfig({ handle }))).error).toBe("");

  const answers = await pipelined(["/one", "/two", "/three"]);

  expect(answers.match(/HTTP\/1\.1 \d{3}/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 200"]);
});
