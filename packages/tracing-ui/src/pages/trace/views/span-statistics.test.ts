import { expect, test } from "vitest";
import { traceOf } from "../../../testing/trace-of.ts";
import { attributeKeys, spanStatistics } from "./span-statistics.ts";

const trace = traceOf([
  ["root", undefined, 0, 100, "GET /", "web"],
  ["a", "root", 0, 10, "query", "db", true],
  ["b", "root", 20, 30, "query", "db"],
  ["c", "root", 60, 5, "query", "cache"],
]);
const figures = (by: string) =>
  spanStatistics(trace, by).map(({ name, count, errors, totalUs, selfUs, leastUs, mostUs }) => [
    ...[name, count, errors, totalUs],
    ...[selfUs, leastUs, mostUs],
  ]);

test("spans are put together by operation of a service", () => {
  expect(figures("operation")).toEqual([
    ["GET /", 1, 0, 100, 55, 100, 100],
    ["query", 2, 1, 40, 40, 10, 30],
    ["query", 1, 0, 5, 5, 5, 5],
  ]);
});

test("or by service, or by an attribute that some lack", () => {
  expect(figures("service").map(([name, count]) => [name, count])).toEqual([
    ["web", 1],
    ["db", 2],
    ["cache", 1],
  ]);
  expect(figures("error").map(([name, count]) => [name, count])).toEqual([
    ["(without it)", 3],
    ["true", 1],
  ]);
  expect(attributeKeys(trace, 10)).toEqual({ spans: ["error"], resources: [] });
});

test("instances of one service are told apart by an attribute of their resources", () => {
  const tags = (value: string) => [{ key: "service.instance.id", type: "string", value }];
  const instances = {
    ...trace,
    processes: {
      ...trace.processes,
      db: { serviceName: "db", tags: tags("db-1") },
      cache: { serviceName: "db", tags: tags("db-2") },
    },
  };
  expect(spanStatistics(instances, "service.instance.id").map(({ name, count }) => [name, count])).toEqual([
    ["(without it)", 1],
    ["db-1", 2],
    ["db-2", 1],
  ]);
  expect(attributeKeys(instances, 10)).toEqual({ spans: ["error"], resources: ["service.instance.id"] });
});
