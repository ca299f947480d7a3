import { expect, test } from "vitest";
import { SamplerCounts } from "./service-counts.ts";

test("counts traces by the type of their sampler, unknown ones together, and leaves out what there is none of", () => {
  const counts = new SamplerCounts();
  expect([...counts]).toEqual([]);
  counts.add("const", 2);
  counts.add("mine", 1);
  counts.add("", 3);
  const others = new SamplerCounts();
  others.add("const", 5);
  others.add("lowerbound", 7);
  counts.addAll(others);
  expect([...counts]).toEqual([
    ["const", 7],
    ["lowerbound", 7],
    ["unrecognized", 4],
  ]);
  expect([...others]).toEqual([
    ["const", 5],
    ["lowerbound", 7],
  ]);
});
