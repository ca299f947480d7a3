import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { builtInStrategy } from "../sampling/built-in-strategy.ts";
import type { SamplingProvider } from "../sampling/sampling-provider.ts";
import { answerSampling } from "./sampling-http.ts";

const provider: SamplingProvider = {
  strategyFor: (service) => ({
    ...builtInStrategy,
    probabilisticSampling: { samplingRate: service === "shop é" ? 0.5 : 1 },
  }),
  async close() {},
};
const server = createServer((request, response) => answerSampling(provider, request, response));
let base: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});

const json = (rate: number) =>
  `{"strategyType":"PROBABILISTIC","probabilisticSampling":{"samplingRate":${rate}}}`;
const plain = "text/plain; charset=utf-8";
const once = "'service' parameter must be provided once\n";

// The expected answers are those of jaeger-collector 1.62.
test.each([
  ["GET", "/api/sampling?service=shop+%C3%A9", 200, "application/json", json(0.5)],
  ["GET", "/api/sampling?service=", 200, "application/json", json(1)],
  ["GET", "/api/sampling", 400, plain, once],
  ["GET", "/api/sampling?service=a&service=b", 400, plain, once],
  ["GET", "/api/baggageRestrictions", 400, plain, once],
  [
    "GET",
    "/api/baggageRestrictions?service=a",
    500,
    plain,
    "collector error: baggage restrictions not implemented\n",
  ],
  ["POST", "/api/sampling?service=a", 405, null, ""],
  ["HEAD", "/api/sampling?service=a", 405, null, ""],
  ["DELETE", "/api/baggageRestrictions?service=a", 405, null, ""],
  ["GET", "/api/sampling/?service=a", 404, plain, "404 page not found\n"],
])("%s %s", async (method, path, status, type, body) => {
  const response = await fetch(base + path, { method });
  expect(response.status).toBe(status);
  expect(response.headers.get("content-type")).toBe(type);
  expect(await response.text()).toBe(body);
});
