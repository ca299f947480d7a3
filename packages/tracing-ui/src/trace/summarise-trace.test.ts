import { expect, test } from "vitest";
import { summariseTrace } from "./summarise-trace.ts";
import type { ApiSpan } from "./trace-schema.ts";

const span = (fields: Partial<ApiSpan>): ApiSpan => ({
  traceID: "t",
  spanID: "s",
  operationName: "op",
  references: [],
  startTime: 1_000,
  duration: 100,
  tags: [],
  logs: [],
  processID: "p1",
  warnings: null,
  ...fields,
});
const child = [{ refType: "CHILD_OF", traceID: "t", spanID: "s" }];
const processes = {
  p1: { serviceName: "frontend", tags: [] },
  p2: { serviceName: "payment", tags: [] },
};

test("counts spans, errors and services, and takes the real root even when a child starts earlier", () => {
  const error = [{ key: "error", type: "bool", value: true }];
  const summary = summariseTrace({
    traceID: "t",
    processes,
    spans: [
      span({ references: child, startTime: 990, processID: "p2", tags: error }),
      span({ operationName: "POST /orders", duration: 500 }),
      span({ references: child, processID: "p2" }),
    ],
  });
  expect(summary).toEqual({
    traceId: "t",
    startUs: 990,
    durationUs: 510,
    rootService: "frontend",
    rootOperation: "POST /orders",
    rootFound: true,
    spans: 3,
    errors: 1,
    services: [
      { name: "payment", spans: 2, errors: 1 },
      { name: "frontend", spans: 1, errors: 0 },
    ],
  });
});

test("without a real root the earliest span stands in and says so", () => {
  const summary = summariseTrace({
    traceID: "t",
    processes,
    spans: [span({ references: child }), span({ references: child, startTime: 900, operationName: "early" })],
  });
  expect(summary).toMatchObject({ rootOperation: "early", rootFound: false });
});

test("a trace without spans has no root and no time", () => {
  expect(summariseTrace({ traceID: "t", processes: {}, spans: [] })).toMatchObject({
    rootOperation: "(no spans)",
    startUs: 0,
    durationUs: 0,
  });
});
