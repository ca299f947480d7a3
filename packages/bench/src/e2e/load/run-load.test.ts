import { status } from "@grpc/grpc-js";
import { afterEach, describe, expect, test } from "vitest";
import { Corpus } from "../../corpus/corpus.ts";
import { GrpcExporter } from "../exporters/grpc-exporter.ts";
import { HttpExporter } from "../exporters/http-exporter.ts";
import {
  type Behaviour,
  openGrpcReceiver,
  openHttpReceiver,
  type TestReceiver,
} from "../exporters/test-receivers.ts";
import { type LoadPlan, runLoad } from "./run-load.ts";

const never = new AbortController().signal;
const accept: Behaviour = { accept: true };
const unlimited = Number.POSITIVE_INFINITY;
const corpus = new Corpus(10, 1, 2);
const plan: LoadPlan = { rate: 0, concurrency: 4, totalSpans: 200, durationMs: unlimited, stallMs: 10_000 };

let close: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(close.map((end) => end()));
  close = [];
});

/** Sends batches of 10 spans to a receiver with the given behaviour, or to an address without a listener. */
async function sendTo(
  receiver: TestReceiver | { endpoint: string },
  changes: Partial<LoadPlan> & { gzip?: boolean; signal?: AbortSignal } = {},
) {
  const { gzip = false, signal = never, ...planChanges } = changes;
  const settings = { endpoint: receiver.endpoint, gzip, connections: 2, timeoutMs: 5000 };
  const exporter = receiver.endpoint.startsWith("http")
    ? new HttpExporter(settings)
    : new GrpcExporter(settings);
  close.push(() => exporter.close());
  return await runLoad(exporter, corpus, { ...plan, ...planChanges }, signal);
}

async function open(protocol: string, behave: (call: number) => Behaviour): Promise<TestReceiver> {
  const receiver = await (protocol === "gRPC" ? openGrpcReceiver(behave) : openHttpReceiver(behave));
  close.push(() => receiver.close());
  return receiver;
}

/** All accepted spans arrived, each once. */
function expectEachOnce(receiver: TestReceiver, spans: number): void {
  expect(receiver.accepted.length).toBe(spans);
  expect(new Set(receiver.accepted.map(({ spanId }) => spanId)).size).toBe(spans);
}

describe.each(["gRPC", "HTTP"])("a load over %s", (protocol) => {
  test("delivers every span once", async () => {
    const receiver = await open(protocol, () => accept);
    const { spans, calls, traceIds, latencyMs } = await sendTo(receiver);
    expect(spans).toEqual({ accepted: 200, rejected: 0, failed: 0, givenUp: 0, perhapsTwice: 0 });
    expect(calls).toEqual({ accepted: 20, refused: 0, unanswered: 0, failed: 0 });
    expectEachOnce(receiver, 200);
    const stored = new Set(receiver.accepted.map(({ traceId }) => traceId));
    expect(traceIds.length).toBe(20);
    expect(traceIds.every((id) => stored.has(id))).toBe(true);
    expect(latencyMs.max).toBeGreaterThanOrEqual(latencyMs.p50);
    expect(latencyMs.p50).toBeGreaterThan(0);
  });

  test("rounds the total up to whole batches, compressed ones too", async () => {
    const receiver = await open(protocol, () => accept);
    const { spans } = await sendTo(receiver, { totalSpans: 31, gzip: true });
    expect(spans.accepted).toBe(40);
    expectEachOnce(receiver, 40);
  });

  test("counts spans that an answer rejects", async () => {
    const receiver = await open(protocol, () => ({ accept: true, rejectedSpans: 3 }));
    const { spans } = await sendTo(receiver);
    expect(spans.accepted).toBe(140);
    expect(spans.rejected).toBe(60);
  });

  test("keeps to the rate", async () => {
    const receiver = await open(protocol, () => accept);
    const { spans, seconds } = await sendTo(receiver, { rate: 200, totalSpans: 60 });
    expect(spans.accepted).toBe(60);
    // The sixth batch of ten is due after 50 spans' time.
    expect(seconds).toBeGreaterThan(0.24);
  });

  test("ends after the duration", async () => {
    const receiver = await open(protocol, () => accept);
    const { spans } = await sendTo(receiver, { rate: 1000, totalSpans: unlimited, durationMs: 100 });
    // The number has only an upper limit, because a busy machine may send less.
    expect(spans.accepted).toBeLessThanOrEqual(100);
    expect(spans.accepted).toBeGreaterThan(0);
  });

  test("gives up when nobody accepts anything", async () => {
    const receiver = await open(protocol, () => ({ code: protocol === "gRPC" ? status.UNAVAILABLE : 503 }));
    const { spans, calls } = await sendTo(receiver, { stallMs: 500 });
    expect(spans.accepted).toBe(0);
    expect(spans.givenUp).toBe(40);
    expect(calls.refused + calls.unanswered).toBeGreaterThanOrEqual(4);
  });

  test("stops when told to", async () => {
    const stop = new AbortController();
    const receiver = await open(protocol, (call) => {
      if (call === 4) {
        stop.abort();
      }
      return accept;
    });
    const { spans } = await sendTo(receiver, { totalSpans: unlimited, signal: stop.signal });
    expectEachOnce(receiver, spans.accepted);
    expect(spans.accepted).toBeLessThan(200);
  });

  test("gives up when nobody listens", async () => {
    const receiver = await open(protocol, () => accept);
    await receiver.close();
    const { spans, calls, reasons } = await sendTo(receiver, { stallMs: 500 });
    expect(spans).toEqual({ accepted: 0, rejected: 0, failed: 0, givenUp: 40, perhapsTwice: 0 });
    expect(calls.unanswered).toBeGreaterThan(0);
    expect(reasons.map(({ reason }) => reason)).toEqual([
      protocol === "gRPC" ? "UNAVAILABLE" : "ECONNREFUSED",
    ]);
  });
});

test.each<[string, string, Behaviour, number]>([
  ["gRPC", "RESOURCE_EXHAUSTED", { code: status.RESOURCE_EXHAUSTED, retryAfterMs: 60 }, 60],
  ["gRPC", "UNAVAILABLE", { code: status.UNAVAILABLE, retryAfterMs: 60 }, 60],
  ["HTTP", "HTTP 429", { code: 429, retryAfter: "1" }, 1000],
  ["HTTP", "HTTP 503", { code: 503, retryAfter: "1" }, 1000],
  ["HTTP", "HTTP 503", { code: 503, retryAfter: "Thu, 01 Jan 1970 00:00:00 GMT" }, 0],
])(
  "over %s, a batch refused with %s is sent again as late as asked",
  async (protocol, reason, refusal, waitMs) => {
    const receiver = await open(protocol, (call) => (call === 0 ? refusal : accept));
    const { spans, calls, reasons } = await sendTo(receiver, { totalSpans: 10, concurrency: 1 });
    expect(spans).toEqual({ accepted: 10, rejected: 0, failed: 0, givenUp: 0, perhapsTwice: 0 });
    expect(calls).toEqual({ accepted: 1, refused: 1, unanswered: 0, failed: 0 });
    expect(reasons).toEqual([{ reason, calls: 1, lastDetail: "as the test wants" }]);
    expectEachOnce(receiver, 10);
    const [first = 0, second = 0] = receiver.callTimes;
    // Timers may fire within the millisecond before.
    expect(second - first).toBeGreaterThan(waitMs - 2);
  },
);

test.each<[string, string, Behaviour]>([
  ["gRPC", "RESOURCE_EXHAUSTED", { code: status.RESOURCE_EXHAUSTED }],
  ["gRPC", "INVALID_ARGUMENT", { code: status.INVALID_ARGUMENT }],
  ["HTTP", "HTTP 400", { code: 400 }],
])("over %s, a batch that failed with %s is dropped and counted", async (protocol, reason, failure) => {
  const receiver = await open(protocol, (call) => (call === 3 ? failure : accept));
  const { spans, calls, reasons } = await sendTo(receiver);
  expect(spans).toEqual({ accepted: 190, rejected: 0, failed: 10, givenUp: 0, perhapsTwice: 0 });
  expect(calls).toEqual({ accepted: 19, refused: 0, unanswered: 0, failed: 1 });
  expect(reasons.map((found) => found.reason)).toEqual([reason]);
  expectEachOnce(receiver, 190);
});

test.each<[string, Behaviour]>([
  ["gRPC", { code: status.UNAVAILABLE }],
  ["HTTP", { hangUp: true }],
])("over %s, a batch without an answer is sent again and may be there twice", async (protocol, behaviour) => {
  const receiver = await open(protocol, (call) => (call === 3 ? behaviour : accept));
  const { spans, calls } = await sendTo(receiver);
  expect(spans).toEqual({ accepted: 200, rejected: 0, failed: 0, givenUp: 0, perhapsTwice: 10 });
  expect(calls).toEqual({ accepted: 20, refused: 0, unanswered: 1, failed: 0 });
  expectEachOnce(receiver, 200);
});

test("a rate so low that nothing is under way for long is no stall", async () => {
  const receiver = await open("HTTP", () => accept);
  const { spans } = await sendTo(receiver, { rate: 50, totalSpans: 40, stallMs: 50 });
  expect(spans.accepted).toBe(40);
});

test("a wait longer than anyone may stall is not begun", async () => {
  const receiver = await open("HTTP", () => ({ code: 429, retryAfter: "3600" }));
  const { spans, calls } = await sendTo(receiver, { totalSpans: 10, concurrency: 1 });
  expect(spans.givenUp).toBe(10);
  expect(calls.refused).toBe(1);
});

test("HTTP connections are kept", async () => {
  const receiver = await open("HTTP", () => accept);
  await sendTo(receiver, { totalSpans: 500 });
  expect(receiver.connections()).toBeLessThanOrEqual(2);
});
