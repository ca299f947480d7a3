import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import * as z from "zod/mini";
import { envelope } from "./envelope.ts";
import { readJson } from "./read-json.ts";

const names = envelope(z.nullable(z.array(z.string())));
const answers: Record<string, { status: number; body: string }> = {
  "/base/good": { status: 200, body: '{"data":["ä","b"],"total":2,"limit":0,"offset":0,"errors":null}' },
  "/base/missing": { status: 404, body: '{"data":null,"errors":[{"code":404,"msg":"trace not found"}]}\n' },
  "/base/refused": { status: 400, body: '{"data":null,"errors":[{"code":400,"msg":"parameter wrong"}]}\n' },
  "/base/failed": { status: 500, body: "upstream gone\n" },
  "/base/silent": { status: 502, body: "" },
  "/base/page": { status: 200, body: "<!doctype html>" },
  "/base/shape": { status: 200, body: '{"data":[1]}' },
};
const server = createServer((request, response) => {
  const answer = answers[request.url ?? ""];
  response.writeHead(answer?.status ?? 404).end(answer?.body);
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  vi.stubGlobal("document", { baseURI: `http://127.0.0.1:${(server.address() as AddressInfo).port}/base/` });
});
afterAll(() => {
  vi.unstubAllGlobals();
  server.close();
});

const read = (path: string) => readJson(path, names, new AbortController().signal);

test("an answer of the right shape comes through, asked below the page's base", async () => {
  expect((await read("good")).data).toEqual(["ä", "b"]);
});

test.each([
  ["missing", { code: "API_NOT_FOUND", status: 404, message: "trace not found" }],
  ["refused", { code: "API_REFUSED", status: 400, message: "parameter wrong" }],
  ["failed", { code: "API_FAILED", status: 500, message: "upstream gone" }],
  ["silent", { code: "API_FAILED", status: 502, message: "502 Bad Gateway" }],
  ["page", { code: "API_SHAPE", message: "the answer to page is not JSON" }],
  ["shape", { code: "API_SHAPE", message: expect.stringContaining("data.0") }],
])("%s is told apart", async (path, expected) => {
  await expect(read(path)).rejects.toMatchObject(expected);
});

test("no answer at all, and a request that was called off", async () => {
  vi.stubGlobal("document", { baseURI: "http://127.0.0.1:1/" });
  await expect(read("good")).rejects.toMatchObject({ code: "API_UNREACHABLE", status: 0 });
  const aborted = AbortSignal.abort(new Error("left the page"));
  await expect(readJson("good", names, aborted)).rejects.toThrow("left the page");
});
