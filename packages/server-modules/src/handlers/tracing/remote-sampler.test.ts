import { ROOT_CONTEXT, SpanKind } from "@opentelemetry/api";
import { type Sampler, SamplingDecision } from "@opentelemetry/sdk-trace";
import { createLogger } from "lifecycle";
import { UpstreamServer } from "server-core/testing/upstream-server";
import { expect, test } from "vitest";
import { parseRemoteSettings, RemoteSampler } from "./remote-sampler.ts";
import { RateLimitingSampler, samplerFor, strategySchema } from "./sampling-strategy.ts";

const log = createLogger({ name: "server", level: "fatal", encoding: "json" });

function takes(sampler: Sampler, name = "GET", traceId = "7fffffff000000000000000000000000"): boolean {
  const result = sampler.shouldSample(ROOT_CONTEXT, traceId, name, SpanKind.SERVER, {}, []);
  return result.decision === SamplingDecision.RECORD_AND_SAMPLED;
}

test("asks the collector, and goes on with the last answer while it is silent", async () => {
  const asked: string[] = [];
  let status = 200;
  const collector = await UpstreamServer.start((request, response) => {
    asked.push(request.url ?? "");
    response
      .writeHead(status)
      .end('{"strategyType":"PROBABILISTIC","probabilisticSampling":{"samplingRate":1}}');
  });
  const settings = parseRemoteSettings(
    `endpoint=http://${collector.address},pollingIntervalMs=100,initialSamplingRate=0`,
  );
  const sampler = new RemoteSampler(settings, "my shop", log);
  expect(takes(sampler)).toBe(false);
  await sampler.start();
  expect(asked[0]).toBe("/sampling?service=my%20shop");
  expect(takes(sampler)).toBe(true);
  status = 500;
  const failed = asked.length + 2;
  while (asked.length < failed) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(takes(sampler)).toBe(true);
  sampler.stop();
  await collector.kill();
});

test("a collector that is not there leaves the first share", async () => {
  const sampler = new RemoteSampler(
    parseRemoteSettings("endpoint=127.0.0.1:1,initialSamplingRate=1"),
    "s",
    log,
  );
  await sampler.start();
  expect(takes(sampler)).toBe(true);
  sampler.stop();
});

test("so many a second, and no more than a second's worth at once", () => {
  let now = 0;
  const sampler = new RateLimitingSampler(2, () => now);
  const count = () => [1, 2, 3, 4].filter(() => takes(sampler)).length;
  expect(count()).toBe(2);
  now += 500;
  expect(count()).toBe(1);
  now += 60_000;
  expect(count()).toBe(2);
  expect(takes(new RateLimitingSampler(0))).toBe(false);
});

test.each([
  [{ strategyType: "PROBABILISTIC", probabilisticSampling: { samplingRate: 0 } }, "GET", false],
  [{ strategyType: 0, probabilisticSampling: { samplingRate: 1 } }, "GET", true],
  [{ strategyType: "RATE_LIMITING", rateLimitingSampling: { maxTracesPerSecond: 1 } }, "GET", true],
  [{ strategyType: "RATE_LIMITING", rateLimitingSampling: { maxTracesPerSecond: 0 } }, "GET", false],
  [
    {
      operationSampling: {
        defaultSamplingProbability: 0,
        perOperationStrategies: [{ operation: "POST", probabilisticSampling: { samplingRate: 1 } }],
      },
    },
    "POST",
    true,
  ],
  [{ operationSampling: { defaultSamplingProbability: 0, perOperationStrategies: [] } }, "GET", false],
  [
    { operationSampling: { defaultSamplingProbability: 0, defaultLowerBoundTracesPerSecond: 1 } },
    "GET",
    true,
  ],
  [{}, "GET", false],
])("%j takes %s: %s", (strategy, name, expected) => {
  expect(takes(samplerFor(strategySchema.parse(strategy)), name)).toBe(expected);
});

test.each([
  "nonsense",
  "endpoint=http://x,pollingIntervalMs=1",
  "initialSamplingRate=2",
  "endpoint=http://[",
  "other=1",
])("%s is refused", (text) => {
  expect(() => parseRemoteSettings(text)).toThrow("OTEL_TRACES_SAMPLER_ARG");
});

test("what is not said has the specification's values", () => {
  expect(parseRemoteSettings("endpoint=http://c:5778/sampling")).toEqual({
    endpoint: "http://c:5778",
    pollingIntervalMs: 5000,
    initialSamplingRate: 0.001,
  });
});
