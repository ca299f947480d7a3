import { expect, test } from "vitest";
import { sparklinePath } from "./sparkline-path.ts";

test("a curve goes from left to right, higher values higher up", () => {
  expect(sparklinePath([0, 5, 10], 10)).toEqual({
    line: "M0 19L50 10L100 1",
    area: "M0 20L0 19L50 10L100 1L100 20Z",
  });
});

test("gaps stay gaps", () => {
  expect(sparklinePath([1, 1, null, 1, 1], 1)).toEqual({
    line: "M0 1L25 1M75 1L100 1",
    area: "M0 20L0 1L25 1L25 20ZM75 20L75 1L100 1L100 20Z",
  });
});

test("nothing, and nothing but zeros", () => {
  expect(sparklinePath([], 1)).toEqual({ line: "", area: "" });
  expect(sparklinePath([0, 0], 0).line).toBe("M0 19L100 19");
});

test("a value alone between gaps is drawn as a short line, so that it is seen", () => {
  expect(sparklinePath([null, null, 4, null, null], 4).line).toBe("M49.2 1L50.8 1");
  expect(sparklinePath([null, 4], 4).line).toBe("M99.2 1L100 1");
});
