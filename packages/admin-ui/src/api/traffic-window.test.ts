import { expect, test } from "vitest";
import { readMetrics } from "./read-metrics.ts";
import { emptyTraffic, type Traffic, windowSteps, withReading } from "./traffic-window.ts";

const wanted = new Set([
  "server_http_responses_total",
  "server_http_requests_in_flight",
  "process_start_time_seconds",
]);

function reading(atMs: number, ok: number, failed: number) {
  const text = [
    "# HELP server_http_responses_total x",
    `server_http_responses_total{server="s",class="2xx"} ${ok}`,
    `server_http_responses_total{server="s",class="5xx"} ${failed}`,
    'server_http_requests_in_flight{server="s"} 3',
    "process_start_time_seconds 100",
    "other_total 1",
  ].join("\n");
  return { atMs, samples: readMetrics(text, wanted) };
}

const last = (traffic: Traffic) => {
  const server = traffic.servers.get("s");
  return [server?.requests.at(-1), server?.errors.at(-1), server?.inFlight];
};

test("rates are differences over the time between two readings", () => {
  const first = withReading(emptyTraffic, reading(1_000, 10, 1));
  expect(last(first)).toEqual([null, null, 3]);
  const second = withReading(first, reading(3_000, 14, 3));
  expect(last(second)).toEqual([3, 1, 3]);
  expect(second.servers.get("s")?.requests).toHaveLength(windowSteps);
  expect(second.startedAtMs).toBe(100_000);
});

test("a server that did not answer, or began anew, leaves a gap", () => {
  const before = withReading(emptyTraffic, reading(1_000, 10, 0));
  const gone = withReading(before, undefined);
  expect(last(gone)).toEqual([null, null, 3]);
  const back = withReading(gone, reading(5_000, 1, 0));
  expect(last(back)).toEqual([null, null, 3]);
  expect(last(withReading(before, reading(3_000, 2, 0)))[0]).toBeNull();
});

test("a server that is gone from the config is gone from the page", () => {
  const before = withReading(emptyTraffic, reading(1_000, 10, 0));
  expect(withReading(before, { atMs: 2_000, samples: [] }).servers.size).toBe(0);
});

test("labels are read with their escapes; broken lines are passed over", () => {
  const text = 'm{server="a\\"b\\\\c\\nd",class="2xx"} 1.5e3\nm 2\nm{ 3\nm{x="1"} NaN 123\n\n{}';
  expect(readMetrics(text, new Set(["m"]))).toEqual([
    { name: "m", labels: { server: 'a"b\\c\nd', class: "2xx" }, value: 1_500 },
    { name: "m", labels: {}, value: 2 },
    { name: "m", labels: { x: "1" }, value: Number.NaN },
  ]);
});
