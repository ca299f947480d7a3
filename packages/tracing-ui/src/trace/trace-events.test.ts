import { expect, test } from "vitest";
import { buildTrace } from "./build-trace.ts";
import { eventHolds, groupExceptions, traceEvents } from "./trace-events.ts";

const field = (key: string, value: string) => ({ key, type: "string", value });
const thrown = (at: number, type: string, message: string) => ({
  timestamp: at,
  fields: [field("event", "exception"), field("exception.type", type), field("exception.message", message)],
});
const span = (spanID: string, processID: string, logs: ReturnType<typeof thrown>[]) => ({
  ...{ traceID: "t", spanID, operationName: `op ${spanID}`, references: [], startTime: 1_000, duration: 100 },
  ...{ tags: [], logs, processID },
});
const trace = buildTrace({
  traceID: "t",
  processes: { p: { serviceName: "shop", tags: [] }, q: { serviceName: "pay", tags: [] } },
  spans: [
    span("a", "p", [
      thrown(1_050, "IOError", "read 12 of 40 bytes from 10.0.0.7:80"),
      { timestamp: 990, fields: [field("event", "cache miss"), field("key", "cart:7")] },
    ]),
    span("b", "q", [
      thrown(1_020, "IOError", "read 3 of 9 bytes from 10.0.0.9:80"),
      thrown(1_060, "IOError", "closed"),
    ]),
    span("c", "q", [
      { timestamp: 1_070, fields: [field("message", "retry"), field("stack", "Error\n at x (y:1)")] },
    ]),
  ],
});

test("events of all spans stand in the order of time, with what they are", () => {
  expect(
    traceEvents(trace).map(({ span: at, offsetUs, name }) => [trace.spans[at]?.spanID, offsetUs, name]),
  ).toEqual([
    ["a", -10, "cache miss"],
    ["b", 20, "exception"],
    ["a", 50, "exception"],
    ["b", 60, "exception"],
    ["c", 70, "retry"],
  ]);
});

test("exceptions are put together by type and by what their messages have in common", () => {
  const groups = groupExceptions(trace, traceEvents(trace));
  expect(
    groups.map(({ type, template, events, services }) => [type, template, events.length, services]),
  ).toEqual([
    ["IOError", "read <number> of <number> bytes from <address>", 2, ["pay", "shop"]],
    ["IOError", "closed", 1, ["pay"]],
    ["(no type)", "retry", 1, ["pay"]],
  ]);
});

test.each([
  [["cart"], 1],
  [["shop", "exception"], 1],
  [["op b"], 2],
  [["exception.message=closed"], 1],
  [[], 5],
])("%j is held by %i events", (words, count) => {
  expect(traceEvents(trace).filter((event) => eventHolds(trace, event, words))).toHaveLength(count);
});
