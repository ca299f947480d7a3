import { deadAddress, UpstreamServer } from "server-core/testing/upstream-server";
import { afterEach, expect, test } from "vitest";
import { adminAddressIn, askAdmin, findAdminAddress } from "./ask-admin.ts";

let endpoint: UpstreamServer | undefined;
afterEach(() => endpoint?.kill());

test("the Origin is the address as it is configured, without a host too: that is what the endpoint allows", async () => {
  endpoint = await UpstreamServer.start((request, response) => response.end(request.headers.origin));
  const { port } = endpoint;
  for (const [where, origin] of [
    [`127.0.0.1:${port}`, `http://127.0.0.1:${port}`],
    [`:${port}`, `http://:${port}`],
    [`0.0.0.0:${port}`, `http://0.0.0.0:${port}`],
  ] as const) {
    expect((await askAdmin(where, { method: "GET", path: "/" })).body.toString()).toBe(origin);
  }
});

test.each([
  ['{"error":"no such thing"}', "answered 404: no such thing"],
  ["plain words\n", "answered 404: plain words"],
  ["", "answered 404: "],
])("the answer %j is told in words", async (answer, message) => {
  endpoint = await UpstreamServer.start((_, response) => response.writeHead(404).end(answer));
  await expect(askAdmin(endpoint.address, { method: "POST", path: "/load" })).rejects.toThrow(
    `the server on ${endpoint.address} ${message}`,
  );
});

test("nobody there, and addresses that cannot be asked", async () => {
  const dead = await deadAddress();
  await expect(askAdmin(dead, { method: "GET", path: "/" })).rejects.toThrow(`no server answers on ${dead}`);
  await expect(askAdmin("fd/3", { method: "GET", path: "/" })).rejects.toThrow("cannot ask fd/3");
  await expect(askAdmin("a:1-2", { method: "GET", path: "/" })).rejects.toThrow(
    "exactly one address is needed",
  );
});

test("the address is the one given, else that of the configuration", async () => {
  expect(await findAdminAddress("a:1", "none.json", "")).toBe("a:1");
  const inside = (text: string) => adminAddressIn(Buffer.from(text));
  expect(inside('{"admin":{"listen":"b:2"}}')).toBe("b:2");
  expect([inside('{"admin":{}}'), inside("null"), inside('{"admin":{"listen":3}}')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
