import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RunningServer } from "../../../../admin-server/src/testing/running-server.ts";

let running: RunningServer;

const invoke = (name: string) => ({ handler: "invoke", name });
const body = (text: string) => ({ handler: "static_response", body: text });

beforeAll(async () => {
  const routes = [
    { match: [{ path: ["/twice"] }], handle: [invoke("tagged"), invoke("tagged"), body("end")] },
    { match: [{ path: ["/answer"] }], handle: [invoke("answer"), body("not reached")] },
    { match: [{ path: ["/none"] }], handle: [invoke("none")] },
  ];
  running = await RunningServer.start({
    apps: {
      http: {
        servers: {
          s: {
            listen: ["127.0.0.1:0"],
            routes,
            named_routes: {
              tagged: { handle: [{ handler: "headers", response: { add: { "X-Tag": ["shared"] } } }] },
              answer: { handle: [body("from {http.request.uri.path}")] },
            },
          },
        },
      },
    },
  });
});
afterAll(() => running.close());

test("a named route runs in place of the handler, as often as it is invoked", async () => {
  const answer = await ask(`${running.site}/twice`);
  expect([answer.status, answer.text, answer.headers["x-tag"]]).toEqual([200, "end", "shared, shared"]);
});

test("a route that answers ends the chain", async () => {
  expect(await ask(`${running.site}/answer`)).toMatchObject({ status: 200, text: "from /answer" });
});

test("a name that no route has is an error of the server", async () => {
  expect((await ask(`${running.site}/none`)).status).toBe(500);
});
