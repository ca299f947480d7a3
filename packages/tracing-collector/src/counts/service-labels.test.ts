import { describe, expect, test } from "vitest";
import { metricServiceName, ServiceNames } from "./service-labels.ts";

describe("ServiceNames", () => {
  test("gives the same object for the same labels", () => {
    const names = new ServiceNames();
    expect(names.labels("Shop", true)).toBe(names.labels("shop", true));
    expect(names.labels("shop", false)).not.toBe(names.labels("shop", true));
  });
});

describe("metricServiceName", () => {
  test.each([
    ["Shop Front/1:é_λ🙂", "shop_front_1___λ🙂"],
    ["a.b-c9", "a.b-c9"],
  ])("writes %s as %s", (name, label) => expect(metricServiceName(name)).toBe(label));
});
