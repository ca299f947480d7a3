import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { FakeApi, type FakeReply, type FakeRequest } from "../dns/testing/fake-api.ts";
import { ApiClient, pathOf } from "./api-client.ts";

let api: FakeApi;
let client: ApiClient;
let answer: (request: FakeRequest, before: number) => FakeReply;
beforeEach(async () => {
  api = await FakeApi.start((request) => answer(request, api.requests.length - 1));
  client = new ApiClient({ name: "p", base: api.origin });
});
afterEach(async () => {
  await client.close();
  await api.close();
});
const call = { method: "GET", path: "/x", query: { token: "secret" } } as const;

test.each([429, 502, 503, 504])("what is too busy is asked again: %i", async (status) => {
  answer = (_, before) => (before < 2 ? { status, headers: { "retry-after": "0" } } : { body: { ok: true } });
  expect(await client.json(z.object({ ok: z.boolean() }), call)).toEqual({ ok: true });
  expect(api.requests).toHaveLength(3);
});

test("at most four times", async () => {
  answer = () => ({ status: 429, headers: { "retry-after": "0" }, body: { message: "slow down" } });
  await expect(client.ask(call)).rejects.toThrow("p: GET /x: 429: slow down");
  expect(api.requests).toHaveLength(4);
});

test("a pause of an hour is not waited for", async () => {
  answer = () => ({ status: 429, headers: { "retry-after": "3600" } });
  await expect(client.ask(call)).rejects.toThrow("429");
  expect(api.requests).toHaveLength(1);
});

describe("answers that cannot be", () => {
  test.each<[string, FakeReply, string]>([
    ["no JSON", { body: "<html>\u0007\nhi" }, "an answer (200) that is no JSON: <html> hi"],
    ["another shape", { body: { a: { b: 1 } } }, "an answer (200) of another shape: a.b: "],
    ["over the limit", { body: "x".repeat(16 * 1024 * 1024 + 1) }, "over the limit of 16777216 bytes"],
    ["a refusal in other words", { status: 400, body: "é".repeat(500) }, `400: ${"é".repeat(300)}`],
  ])("%s", async (_, reply, message) => {
    answer = () => reply;
    const schema = z.object({ a: z.object({ b: z.string() }) });
    const error = await client.json(schema, call).catch((fault: unknown) => fault);
    expect(error).toMatchObject({ code: "ACME", message: expect.stringContaining(message) });
    expect((error as Error).message).not.toContain("secret");
    expect((error as Error).message.length).toBeLessThan(400);
  });

  test("a server that is not there", async () => {
    const nobody = new ApiClient({ name: "p", base: "http://127.0.0.1:1" });
    await expect(nobody.ask(call)).rejects.toThrow("p: GET /x: connect ECONNREFUSED 127.0.0.1:1");
    await nobody.close();
  });
});

test("names cannot lead out of their place", () => {
  expect(pathOf("zones", "../a?b", 3)).toBe("/zones/..%2Fa%3Fb/3");
});
