import { expect, test } from "vitest";
import { ThroughputCounter } from "./throughput-counter.ts";

test("counts by service and operation, and starts anew when taken", () => {
  const counter = new ThroughputCounter();
  counter.record("a", "GET", 1, 0.001);
  counter.record("a", "GET", 1, 0.0010000001);
  counter.record("a", "GET", 0, 0.5);
  counter.record("b", "GET", 0, 5);
  expect(counter.take()).toEqual({
    throughput: [
      { service: "a", operation: "GET", count: 2, probabilities: ["0.001000", "0.500000"] },
      { service: "b", operation: "GET", count: 0, probabilities: ["5.000000"] },
    ],
    services: 2,
    refused: 0,
  });
  expect(counter.take()).toEqual({ throughput: [], services: 0, refused: 0 });
});

// Data of Jaeger's TestIncrementThroughput.
test("remembers ten probabilities of an operation", () => {
  const counter = new ThroughputCounter();
  for (let index = 0; index < 20; index++) {
    counter.record("A", "GET", 1, 0.001 * index);
  }
  const [entry] = counter.take().throughput;
  expect(entry?.count).toBe(20);
  expect(entry?.probabilities).toHaveLength(10);
});

test("takes back what could not be saved", () => {
  const counter = new ThroughputCounter();
  counter.record("a", "GET", 1, 0.1);
  const { throughput } = counter.take();
  counter.record("a", "GET", 1, 0.2);
  counter.giveBack(throughput);
  expect(counter.take().throughput).toEqual([
    { service: "a", operation: "GET", count: 2, probabilities: ["0.200000", "0.100000"] },
  ]);
});

test.each([
  { name: "operations", limits: { maxOperations: 2 } },
  { name: "characters", limits: { maxNameLength: 4 } },
])("refuses and counts spans of new operations when there are too many $name", ({ limits }) => {
  const counter = new ThroughputCounter(limits);
  for (const operation of ["x", "y", "z", "z", "x"]) {
    counter.record("a", operation, 1, 1);
  }
  const { throughput, refused } = counter.take();
  expect(throughput.map(({ operation, count }) => [operation, count])).toEqual([
    ["x", 2],
    ["y", 1],
  ]);
  expect(refused).toBe(2);
  counter.record("a", "z", 1, 1);
  expect(counter.take()).toMatchObject({ throughput: [{ operation: "z" }], refused: 0 });
});
