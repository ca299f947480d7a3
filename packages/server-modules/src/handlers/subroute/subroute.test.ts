import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";

let server: RunningServer;
const fail = (status_code: unknown, message = "") => ({ handler: "error", status_code, error: message });
const tell = {
  handler: "static_response",
  body: "{http.error.status_code} {http.error.status_text}: {http.error.message}",
};

beforeAll(async () => {
  const routes: Record<string, object[]> = {
    "/plain": [fail(418)],
    "/default": [{ handler: "error" }],
    "/placeholder": [fail("{http.request.uri.query.s}")],
    "/caught": [
      {
        handler: "subroute",
        routes: [{ handle: [fail(404, "no {http.request.method}")] }],
        errors: { routes: [{ match: [{ expression: "{http.error.status_code} == 404" }], handle: [tell] }] },
      },
    ],
    "/uncaught": [
      {
        handler: "subroute",
        routes: [{ handle: [fail(500)] }],
        errors: { routes: [{ match: [{ expression: "{http.error.status_code} == 404" }], handle: [tell] }] },
      },
      { handler: "static_response", body: "after" },
    ],
    "/uncaught-alone": [
      {
        handler: "subroute",
        routes: [{ handle: [fail(409)] }],
        errors: { routes: [{ match: [{ expression: "{http.error.status_code} == 404" }], handle: [tell] }] },
      },
    ],
    "/nested": [
      {
        handler: "subroute",
        routes: [
          {
            handle: [
              {
                handler: "subroute",
                routes: [{ handle: [fail(401)] }],
                errors: { routes: [{ handle: [fail(403)] }] },
              },
            ],
          },
        ],
        errors: { routes: [{ handle: [tell] }] },
      },
    ],
    "/later": [
      {
        handler: "subroute",
        routes: [{ handle: [{ handler: "authentication" }] }],
        errors: { routes: [{ handle: [tell] }] },
      },
    ],
    "/invoke": [{ handler: "invoke", name: "nobody" }],
  };
  server = await RunningServer.start(
    siteConfig(...Object.entries(routes).map(([path, handle]) => ({ match: [{ path: [path] }], handle }))),
  );
});

afterAll(() => server.close());

test.each([
  ["/plain", 418, ""],
  ["/default", 500, ""],
  ["/placeholder?s=451", 451, ""],
  ["/placeholder?s=x", 500, ""],
  ["/caught", 404, "404 Not Found: no GET"],
  ["/uncaught", 500, "after"],
  ["/uncaught-alone", 409, ""],
  ["/nested", 403, "403 Forbidden: "],
  ["/later", 401, "401 Unauthorized: not authenticated"],
  ["/invoke", 500, ""],
])("%s: %i %s", async (path, status, text) => {
  const answer = await ask(`${server.site}${path}`);
  expect([answer.status, answer.text]).toEqual([status, text]);
});
