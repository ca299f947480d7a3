import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RunningServer } from "../../../../admin-server/src/testing/running-server.ts";

let server: RunningServer;
const cached = (body: string) => [
  { handler: "cache", default_ttl: "1h" },
  { handler: "static_response", body },
];
const stripped = (prefix: string) => ({
  match: [{ path: [`${prefix}/*`] }],
  handle: [{ handler: "rewrite", strip_path_prefix: prefix }, ...cached(prefix)],
});

beforeAll(async () => {
  server = await RunningServer.start({
    apps: {
      http: {
        servers: {
          a: {
            listen: ["127.0.0.1:0"],
            routes: [
              stripped("/one"),
              stripped("/two"),
              {
                match: [{ path: ["/language"] }],
                handle: [
                  { handler: "rewrite", uri: "/{http.request.header.X-Language}" },
                  ...cached("{http.request.uri.path}"),
                ],
              },
              {
                match: [{ path: ["/tenant"] }],
                handle: [
                  { handler: "headers", request: { set: { Host: ["app.internal"] } } },
                  ...cached("{http.request.header.X-Tenant}"),
                ],
              },
              { match: [{ header: { "X-Beta": ["1"] } }], handle: cached("beta") },
              { handle: cached("inside") },
            ],
          },
          b: { listen: ["127.0.0.2:0"], routes: [{ handle: cached("outside") }] },
        },
      },
    },
  });
});

afterAll(() => server.close());

/** The body that a request gets. */
async function get(site: number, path: string, headers: Record<string, string> = {}): Promise<string> {
  return (await ask(`${server.sites[site]}${path}`, { headers })).text;
}

test("paths that a rewrite makes equal are kept apart", async () => {
  expect([await get(0, "/one/x"), await get(0, "/two/x"), await get(0, "/one/x")]).toEqual([
    "/one",
    "/two",
    "/one",
  ]);
});

test("paths that a rewrite makes different are kept apart", async () => {
  const answers = [];
  for (const language of ["de", "en", "de"]) {
    answers.push(await get(0, "/language", { "X-Language": language }));
  }
  expect(answers).toEqual(["/de", "/en", "/de"]);
});

test("hosts that a handler makes equal are kept apart", async () => {
  const answers = [];
  for (const tenant of ["a", "b", "a"]) {
    answers.push(await get(0, "/tenant", { Host: `${tenant}.example`, "X-Tenant": tenant }));
  }
  expect(answers).toEqual(["a", "b", "a"]);
});

test("routes of one address are kept apart", async () => {
  const beta = { "X-Beta": "1" };
  expect([await get(0, "/", beta), await get(0, "/"), await get(0, "/", beta)]).toEqual([
    "beta",
    "inside",
    "beta",
  ]);
});

test("a client that names another server's host gets nothing of its responses", async () => {
  const [inside = ""] = server.sites;
  const asInside = { Host: inside.replace("http://", "") };
  expect([await get(0, "/p"), await get(1, "/p", asInside), await get(0, "/p")]).toEqual([
    "inside",
    "outside",
    "inside",
  ]);
});
