// The program itself tells clients how to sample: out of a file, and by the traffic, with several collectors on one store.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { credentials, makeClientConstructor } from "@grpc/grpc-js";
import { context, SpanKind } from "@opentelemetry/api";
import { JaegerRemoteSampler } from "@opentelemetry/sampler-jaeger-remote";
import { AlwaysOffSampler, SamplingDecision } from "@opentelemetry/sdk-trace";
import jaegerClient from "jaeger-client";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SamplingStrategyResponse } from "wire/api-v2";
import { samplingService, withPublicNames } from "wire/grpc";
import { RunningProgram } from "./running-program.ts";

/** Milliseconds of one wait for background work of programs. */
const patience = { timeout: 60_000, interval: 50 };

const programs: RunningProgram[] = [];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sampling-e2e-"));
});
afterEach(async () => {
  await Promise.all(programs.splice(0).map((program) => program.kill()));
  rmSync(folder, { recursive: true, force: true });
});

const anyPort = (...flags: readonly string[]) => flags.flatMap((flag) => [`--${flag}`, "127.0.0.1:0"]);

class Collector {
  readonly program: RunningProgram;

  constructor(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const own = [
      ...["--collector.journal.dir", join(folder, `journal-${programs.length}`)],
      ...anyPort(
        "admin.http.host-port",
        "collector.http-server.host-port",
        "collector.grpc-server.host-port",
      ),
      ...anyPort("collector.otlp.grpc.host-port", "collector.otlp.http.host-port"),
    ];
    this.program = new RunningProgram("tracing-collector", [...own, ...args], environment);
    programs.push(this.program);
  }

  /** The receiver's name in the log. */
  async port(what: string): Promise<number> {
    const port = (await this.program.line("listening"))[what];
    if (typeof port !== "number") {
      throw new Error(`no port of ${what}`);
    }
    return port;
  }

  async answer(path: string): Promise<{ readonly status: number; readonly text: string }> {
    const port = await this.port("Thrift over HTTP");
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: response.status, text: await response.text() };
  }

  /** Per operation of the service; the default under "". */
  async rates(service: string): Promise<Record<string, number>> {
    const { text } = await this.answer(`/api/sampling?service=${service}`);
    const { operationSampling: sampling } = JSON.parse(text) as SamplingStrategyResponse;
    const rates = (sampling?.perOperationStrategies ?? []).map(({ operation, probabilisticSampling }) => [
      operation,
      probabilisticSampling?.samplingRate,
    ]);
    return { "": sampling?.defaultSamplingProbability, ...Object.fromEntries(rates) };
  }

  async grpcRate(service: string, isPublicName: boolean): Promise<number | undefined> {
    const port = await this.port("api_v2 over gRPC");
    const definition = withPublicNames(samplingService)[isPublicName ? 1 : 0] ?? samplingService;
    const Client = makeClientConstructor(definition, "SamplingManager");
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
    try {
      return await new Promise((resolve, reject) => {
        client.getSamplingStrategy?.(
          { serviceName: service },
          (error: Error | null, answer: SamplingStrategyResponse) =>
            error === null ? resolve(answer.probabilisticSampling?.samplingRate) : reject(error),
        );
      });
    } finally {
      client.close();
    }
  }

  /** Sends root spans as clients send them that have sampled by `probability`. */
  async sendRoots(count: number, probability: number, service = "shop", operation = "GET"): Promise<void> {
    const port = await this.port("OTLP over HTTP");
    const spans = Array.from({ length: count }, () => ({
      traceId: crypto.randomUUID().replaceAll("-", ""),
      spanId: "eee19b7ec3c1b174",
      name: operation,
      startTimeUnixNano: "1795236904924000000",
      endTimeUnixNano: "1795236904934000000",
      attributes: [
        { key: "sampler.type", value: { stringValue: "probabilistic" } },
        { key: "sampler.param", value: { doubleValue: probability } },
      ],
    }));
    const resource = { attributes: [{ key: "service.name", value: { stringValue: service } }] };
    const response = await fetch(`http://127.0.0.1:${port}/v1/traces`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }),
    });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  }
}

function strategiesFile(rate: number): string {
  const path = join(folder, "strategies.json");
  const rule = { type: "probabilistic", param: rate };
  const strategies = {
    default_strategy: { type: "probabilistic", param: 0.001 },
    service_strategies: [
      { service: "shop", ...rule },
      { service: "limited", type: "ratelimiting", param: 7 },
      {
        service: "operations",
        ...rule,
        operation_strategies: [{ operation: "all", type: "probabilistic", param: 1 }],
      },
    ],
  };
  writeFileSync(path, JSON.stringify(strategies));
  return path;
}

const memory = ["--span-storage.type=memory"];
const fromFile = (path: string) => [
  ...memory,
  ...["--sampling.strategies-file", path, "--sampling.strategies-reload-interval", "20ms"],
];

describe("strategies of a file", () => {
  test("reach clients over HTTP and gRPC, and change when the file changes", async () => {
    const collector = new Collector(fromFile(strategiesFile(0.25)));
    expect(await collector.answer("/api/sampling?service=shop")).toEqual({
      status: 200,
      text: '{"strategyType":"PROBABILISTIC","probabilisticSampling":{"samplingRate":0.25}}',
    });
    expect(await collector.answer("/api/sampling?service=limited")).toEqual({
      status: 200,
      text: '{"strategyType":"RATE_LIMITING","rateLimitingSampling":{"maxTracesPerSecond":7}}',
    });
    expect((await collector.answer("/api/sampling")).status).toBe(400);
    expect((await collector.answer("/api/baggageRestrictions?service=shop")).status).toBe(500);
    expect(await collector.grpcRate("shop", false)).toBe(0.25);
    expect(await collector.grpcRate("shop", true)).toBe(0.25);
    expect(await collector.grpcRate("other", true)).toBe(0.001);
    strategiesFile(0.75);
    await expect.poll(() => collector.grpcRate("shop", true), patience).toBe(0.75);
    expect(await collector.program.kill("SIGTERM")).toBe(0);
  });

  test("that cannot be read keep the collector from starting", async () => {
    const path = strategiesFile(0.5);
    writeFileSync(path, '{"default_strategy": {"param": "0.5"}}');
    const { program } = new Collector(fromFile(path));
    expect(await program.exit).toBe(1);
    expect(program.lines.filter(({ level }) => level === "fatal").map(({ msg }) => msg)).toEqual([
      `cannot start: --sampling.strategies-file: ${path}: default_strategy.param: Invalid input: expected number, received string`,
    ]);
  });

  test("are followed by jaeger-client", async () => {
    const collector = new Collector(fromFile(strategiesFile(0.25)));
    const port = await collector.port("Thrift over HTTP");
    /** The sampler that the client makes of the service's strategy. */
    const samplerOf = (service: string) =>
      new Promise<string>((resolve) => {
        const sampler = new jaegerClient.RemoteSampler(service, {
          ...{ hostPort: `127.0.0.1:${port}`, samplingPath: "/api/sampling", refreshInterval: 20 },
          onSamplerUpdate(updated: { toString(): string }) {
            sampler.close();
            resolve(updated.toString());
          },
        });
      });
    expect(await samplerOf("shop")).toBe("ProbabilisticSampler(samplingRate=0.25)");
    expect(await samplerOf("limited")).toBe("RateLimitingSampler(maxTracesPerSecond=7)");
    expect(await samplerOf("operations")).toContain("PerOperationSampler");
  });

  test("are followed by OpenTelemetry's remote sampler", async () => {
    const collector = new Collector(fromFile(strategiesFile(0)));
    const sampler = new JaegerRemoteSampler({
      endpoint: `http://127.0.0.1:${await collector.port("Thrift over HTTP")}/api`,
      serviceName: "operations",
      poolingInterval: 20,
      initialSampler: new AlwaysOffSampler(),
    });
    const decide = (name: string) =>
      sampler.shouldSample(
        context.active(),
        "5b8efff798038103d269b633813fc60c",
        name,
        SpanKind.SERVER,
        {},
        [],
      ).decision;
    expect(decide("all")).toBe(SamplingDecision.NOT_RECORD);
    await expect.poll(() => decide("all"), patience).toBe(SamplingDecision.RECORD_AND_SAMPLED);
    expect(decide("another")).toBe(SamplingDecision.NOT_RECORD);
  });
});

const adaptive = { SAMPLING_CONFIG_TYPE: "adaptive" };
const quick = [
  ...["--sampling.calculation-interval", "200ms", "--sampling.aggregation-buckets", "1000"],
  ...["--sampling.initial-sampling-probability", "0.5", "--sampling.target-samples-per-second", "10"],
  ...["--sampling.leader-lease-refresh-interval", "1s", "--sampling.follower-lease-refresh-interval", "1s"],
];

describe("adaptive sampling", () => {
  test("lowers the probability of an operation that gives too many samples, and raises that of one with too few", async () => {
    const collector = new Collector([...memory, ...quick, "--sampling.delay=0s"], {
      ...adaptive,
      SAMPLING_STORAGE_TYPE: "memory",
    });
    await collector.program.line("this collector leads");
    expect(await collector.rates("shop")).toEqual({ "": 0.5 });
    await collector.sendRoots(500, 0.5, "shop", "often");
    await collector.sendRoots(1, 0.5, "shop", "rare");
    await expect.poll(async () => (await collector.rates("shop")).often ?? 1, patience).toBeLessThan(0.1);
    await expect.poll(async () => (await collector.rates("shop")).rare ?? 0, patience).toBeGreaterThan(0.5);
    expect(await collector.rates("other")).toEqual({ "": 0.5 });
    expect(await collector.program.kill("SIGTERM")).toBe(0);
  });

  test("answers and counts while the store is away, and does not hold up the stop", async () => {
    const collector = new Collector([...quick, "--clickhouse.url", "http://127.0.0.1:9"], adaptive);
    expect(await collector.rates("shop")).toEqual({ "": 0.5 });
    await collector.sendRoots(3, 0.5);
    const { level } = await collector.program.line("adaptive sampling: sampling data cannot be saved");
    expect(level).toBe("warn");
    expect(await collector.rates("shop")).toEqual({ "": 0.5 });
    expect(await collector.program.kill("SIGTERM")).toBe(0);
  });

  test("on one store has one leader; its probabilities reach all; when it is killed another goes on", async () => {
    const storage = new RunningProgram("tracing-storage", [
      ...["--storage.data-dir", join(folder, "storage")],
      ...anyPort("storage.http.host-port", "grpc.host-port", "admin.http.host-port"),
    ]);
    programs.push(storage);
    const { msg } = await storage.line("listening for ClickHouse HTTP on ");
    const address = /on ([\d.]+:\d+)/.exec(msg)?.[1] ?? "";
    // Counts must have reached the store when they are that old.
    const args = [...quick, "--sampling.delay=1s", "--clickhouse.url", `http://${address}`];
    const collectors = Array.from({ length: 2 }, () => new Collector(args, adaptive));
    const leads = (collector: Collector) =>
      collector.program.lines.some((line) => line.msg.includes("this collector leads"));
    await expect.poll(() => collectors.filter(leads).length, patience).toBe(1);
    const leader = collectors.find(leads);
    const follower = collectors.find((collector) => !leads(collector));
    if (leader === undefined || follower === undefined) {
      throw new Error("no leader, or no follower");
    }

    // Spans of the follower change the leader's result, which the follower then answers.
    const rateAfterSpans = async (of: Collector, operation: string, probability = 0.5) => {
      await follower.sendRoots(100, probability, "shop", operation);
      return (await of.rates("shop"))[operation] ?? 1;
    };
    await expect.poll(() => rateAfterSpans(leader, "often"), patience).toBeLessThan(0.1);
    await expect.poll(() => rateAfterSpans(follower, "often"), patience).toBeLessThan(0.1);
    expect(leads(follower)).toBe(false);

    await leader.program.kill();
    await follower.program.line("this collector leads");
    await expect.poll(() => rateAfterSpans(follower, "new"), patience).toBeLessThan(0.1);
  });
});
