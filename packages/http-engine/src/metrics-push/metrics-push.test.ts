import { Counter, Registry } from "@prometheus-io/client";
import { createLogger } from "lifecycle";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MetricsPush } from "./metrics-push.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function pushTo(send: () => Promise<void>) {
  const lines: string[] = [];
  const log = createLogger({
    name: "server",
    level: "info",
    encoding: "json",
    take: (line: string) => {
      lines.push((JSON.parse(line) as { msg: string }).msg);
      return true;
    },
  });
  const failures = new Counter({ name: "failures_total", help: "x", registers: [new Registry()] });
  const close = vi.fn(async () => {});
  const push = new MetricsPush({
    exporter: { send, close },
    collect: async () => [],
    intervalMs: 10,
    failures,
    log,
  });
  return { push, lines, failures, close };
}

test("an outage is two lines, however long, and each failure is counted", async () => {
  let isAway = true;
  const { push, lines, failures, close } = pushTo(async () => {
    if (isAway) {
      throw new Error("refused");
    }
  });
  await vi.advanceTimersByTimeAsync(35);
  isAway = false;
  await vi.advanceTimersByTimeAsync(30);
  expect(lines).toEqual([
    "metrics cannot be pushed until the collector is back: refused",
    "metrics are pushed again; 3 pushes failed",
  ]);
  expect((await failures.get()).values[0]?.value).toBe(3);
  await push.stop();
  expect(close).toHaveBeenCalledOnce();
});

test("one push at a time, and the end does not wait for a collector that never answers", async () => {
  const send = vi.fn(() => new Promise<void>(() => {}));
  const { push } = pushTo(send);
  await vi.advanceTimersByTimeAsync(100);
  expect(send).toHaveBeenCalledOnce();
  const stopped = push.stop();
  await vi.advanceTimersByTimeAsync(2_000);
  await stopped;
  await vi.advanceTimersByTimeAsync(100);
  expect(send).toHaveBeenCalledOnce();
});
