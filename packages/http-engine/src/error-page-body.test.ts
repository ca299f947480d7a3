import { rawRequest } from "server-core/testing/raw-request";
import { expect, test } from "vitest";
import { RunningServer } from "../../admin-server/src/testing/running-server.ts";

/** An error page that contains the body of the request, for a site with a limit of five bytes. */
const site = {
  listen: ["127.0.0.1:0"],
  routes: [
    {
      handle: [
        { handler: "request_body", max_size: 5 },
        { handler: "static_response", body: "got {http.request.body}" },
      ],
    },
  ],
  errors: {
    routes: [
      {
        match: [{ vars_regexp: { "{http.request.body}": { pattern: "^$" } } }],
        handle: [{ handler: "headers", response: { set: { "X-Body": ["[{http.request.body}]"] } } }],
      },
      { handle: [{ handler: "static_response", body: "page {http.error.status_code} {http.request.body}" }] },
    ],
  },
};

test("filters of a terminal error route see the answer that it leaves to the server", async () => {
  const replace = {
    handler: "intercept",
    handle_response: [
      { match: { status_code: [5] }, routes: [{ handle: [{ handler: "static_response", body: "sorry" }] }] },
    ],
  };
  const failing = {
    listen: ["127.0.0.1:0"],
    routes: [{ handle: [{ handler: "error", status_code: 503 }] }],
    errors: {
      routes: [
        {
          match: [{ host: ["a"] }],
          handle: [{ handler: "subroute", routes: [{ handle: [replace] }] }],
          terminal: true,
        },
      ],
    },
  };
  const server = await RunningServer.start({ apps: { http: { servers: { s: failing } } } });
  try {
    const answer = await rawRequest(server.site, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 503 [\s\S]*sorry$/);
  } finally {
    await server.close();
  }
});

test.each([
  ["declared to be over the limit", "Content-Length: 6\r\n\r\n123456", 413],
  ["found to be over the limit", "Transfer-Encoding: chunked\r\n\r\n6\r\n123456\r\n0\r\n\r\n", 413],
  ["broken", "Transfer-Encoding: chunked\r\n\r\nz\r\n", 400],
])("the page for a body that is %s is sent although it names the body", async (_, rest, status) => {
  const server = await RunningServer.start({ apps: { http: { servers: { s: site } } } });
  try {
    const answer = await rawRequest(
      server.site,
      `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${rest}`,
    );
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toContain("\r\nX-Body: []\r\n");
    expect(answer.endsWith(`page ${status} `)).toBe(true);
  } finally {
    await server.close();
  }
});
