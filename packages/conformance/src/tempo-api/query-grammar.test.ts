import { expect, test } from "vitest";
import { metricsQueries, searchQueries } from "./query-grammar.ts";

test("the same queries for a seed, the first of which more begin with", () => {
  const some = searchQueries(50, 1);
  expect(searchQueries(200, 1).slice(0, some.length)).toEqual(some);
  expect(searchQueries(50, 2)).not.toEqual(some);
});

test("the queries have every operator, stage and scope of the language", () => {
  const text = [...searchQueries(3_000, 1), ...metricsQueries(500, 2)].join("\n");
  const parts = [
    ...[
      "} && {",
      "} || {",
      "} > {",
      "} >> {",
      "} < {",
      "} << {",
      "} ~ {",
      "} !> {",
      "} !>> {",
      "} !< {",
      "} !<< {",
    ],
    ...[
      "} !~ {",
      "} &> {",
      "} &>> {",
      "} &< {",
      "} &<< {",
      "} &~ {",
      " =~ ",
      " !~ ",
      " != nil",
      "!(",
      " ^ ",
      " % ",
    ],
    ...[
      "count()",
      "avg(",
      "min(",
      "max(",
      "sum(",
      "by(",
      "select(",
      "coalesce()",
      "event:",
      "link:",
      "trace:",
      "span:",
    ],
    ...[
      "instrumentation:",
      "resource.",
      "event.",
      "link.",
      "instrumentation.",
      "rate()",
      "count_over_time()",
    ],
    ...["histogram_over_time(", "quantile_over_time(", "avg_over_time(", "topk(", "bottomk("],
  ];
  expect(parts.filter((part) => !text.includes(part))).toEqual([]);
});
