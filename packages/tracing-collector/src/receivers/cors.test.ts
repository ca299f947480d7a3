// Each row is an observed answer of Jaeger, release 1.62, with the same origins and headers.

import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Cors } from "./cors.ts";

let server: Server;
let cors: Cors | undefined;

beforeEach(async () => {
  cors = Cors.of(["https://*.example.com", "http://localhost:3000"], ["X-Foo", "content-type"]);
  server = createServer((request, response) => {
    if (cors?.apply(request, response) !== true) {
      response.end("served");
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
});

afterEach(() => {
  server.close();
});

/** @returns the status, and the headers of CORS */
async function ask(method: string, headers: Record<string, string>): Promise<Record<string, unknown>> {
  const call = httpRequest({
    port: (server.address() as AddressInfo).port,
    host: "127.0.0.1",
    method,
    headers,
  });
  call.end();
  const [response] = (await once(call, "response")) as [
    { statusCode: number; headers: IncomingHttpHeaders; resume(): void },
  ];
  response.resume();
  const set = Object.entries(response.headers).filter(([name]) => /^(?:access-control|vary)/.test(name));
  return { status: response.statusCode, ...Object.fromEntries(set) };
}

const preflight = (origin: string, method: string, headers?: string) =>
  ask("OPTIONS", {
    Origin: origin,
    "Access-Control-Request-Method": method,
    ...(headers === undefined ? {} : { "Access-Control-Request-Headers": headers }),
  });

const preflightVary = "Origin, Access-Control-Request-Method, Access-Control-Request-Headers";
const site = "https://a.example.com";

describe("preflight requests that are allowed", () => {
  test.each([
    [site, "POST", undefined],
    [site, "GET", undefined],
    [site, "HEAD", undefined],
    [site, "POST", "x-foo"],
    [site, "POST", "content-type,x-foo"],
    [site, "POST", "content-type, x-foo"],
    ["HTTPS://A.EXAMPLE.com", "POST", undefined],
    ["https://.example.com", "POST", undefined],
    ["http://localhost:3000", "POST", undefined],
  ])("%s %s %s", async (origin, method, headers) => {
    expect(await preflight(origin, method, headers)).toEqual({
      status: 204,
      vary: preflightVary,
      "access-control-allow-origin": origin,
      "access-control-allow-credentials": "true",
      "access-control-allow-methods": method,
      ...(headers === undefined ? {} : { "access-control-allow-headers": headers }),
    });
  });
});

describe("preflight requests that are not", () => {
  test.each([
    [site, "PUT", undefined],
    [site, "POST", "x-foo,content-type"],
    [site, "POST", "x-foo, content-type"],
    [site, "POST", "Content-Type"],
    [site, "POST", "x-bar"],
    [site, "POST", "accept"],
    [site, "POST", `${",".repeat(17)}x-foo`],
    ["http://evil", "POST", undefined],
    ["https://example.com", "POST", undefined],
  ])("%s %s %s", async (origin, method, headers) => {
    expect(await preflight(origin, method, headers)).toEqual({ status: 204, vary: preflightVary });
  });
});

describe("other requests", () => {
  const allowed = { "access-control-allow-origin": site, "access-control-allow-credentials": "true" };
  test.each([
    ["POST", { Origin: site }, allowed],
    // Without `Access-Control-Request-Method` it is not a preflight, and OPTIONS is not an allowed method. Jaeger
    // ignores this.
    ["PUT", { Origin: site }, {}],
    ["POST", { Origin: "https://evil" }, {}],
    ["POST", {}, {}],
  ])("%s %j", async (method, headers, expected) => {
    expect(await ask(method, headers)).toEqual({ status: 200, vary: "Origin", ...expected });
  });
});

test("any origin is answered with *, any header is allowed", async () => {
  cors = Cors.of(["https://a.example", "*"], ["*"]);
  expect(await preflight("https://b.example", "POST", "x-whatever")).toEqual({
    status: 204,
    vary: preflightVary,
    "access-control-allow-origin": "*",
    "access-control-allow-credentials": "true",
    "access-control-allow-methods": "POST",
    "access-control-allow-headers": "x-whatever",
  });
});

test("without headers of their own, the usual ones are allowed", async () => {
  cors = Cors.of(["*"], []);
  expect(await preflight(site, "POST", "accept,content-type,x-requested-with")).toHaveProperty(
    "access-control-allow-methods",
  );
  expect(await preflight(site, "POST", "traceparent")).not.toHaveProperty("access-control-allow-methods");
});

test("without origins nothing is done", () => {
  expect(Cors.of([], ["x-foo"])).toBeUndefined();
});
