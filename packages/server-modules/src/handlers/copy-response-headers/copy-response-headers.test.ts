import { ask } from "server-core/testing/ask";
import { UpstreamServer } from "server-core/testing/upstream-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { provisionHandler } from "../../../../admin-server/src/testing/provision-module.ts";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";

let upstream: UpstreamServer;
let running: RunningServer;

const configs = { all: {}, some: { include: ["x-one", "Content-Length"] }, others: { exclude: ["X-One"] } };

beforeAll(async () => {
  upstream = await UpstreamServer.start((_request, response) => {
    response.writeHead(200, { "X-One": "1", "X-Two": "2", "Content-Length": "9" }).end("a long on");
  });
  const routes = Object.entries(configs).map(([name, config]) => ({
    match: [{ path: [`/${name}`] }],
    handle: [
      {
        handler: "reverse_proxy",
        upstreams: [{ dial: upstream.address }],
        handle_response: [
          {
            routes: [
              {
                handle: [
                  { handler: "copy_response_headers", ...config },
                  { handler: "static_response", body: "own" },
                ],
              },
            ],
          },
        ],
      },
    ],
  }));
  running = await RunningServer.start(siteConfig(...routes));
});
afterAll(async () => {
  await running.close();
  await upstream.kill();
});

test.each([
  ["all", "1", "2"],
  ["some", "1", undefined],
  ["others", undefined, "2"],
])("%s: fields of the upstream are copied, and the length of its body is not", async (name, one, two) => {
  const { headers, text } = await ask(`${running.site}/${name}`);
  expect([headers["x-one"], headers["x-two"], headers["content-length"], text]).toEqual([
    one,
    two,
    "3",
    "own",
  ]);
});

test("both lists at once are refused", async () => {
  await expect(provisionHandler("copy_response_headers", { include: ["A"], exclude: ["B"] })).rejects.toThrow(
    "cannot define both",
  );
});
