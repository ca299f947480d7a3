import { expect, test } from "vitest";
import { assignServiceHues, hueLevel, hueSlot, serviceHue, serviceHues } from "./service-hues.ts";

const names = (count: number) => Array.from({ length: count }, (_, index) => `service-${index}`);
const distance = (a: number, b: number) => Math.min(Math.abs(a - b), 360 - Math.abs(a - b));

test("16 hues, none in the arc of the error red", () => {
  expect(new Set(serviceHues).size).toBe(16);
  expect(Math.min(...serviceHues.map((hue) => distance(hue, 26)))).toBeGreaterThanOrEqual(20);
});

test("up to 16 services of a picture have hues of their own", () => {
  for (let count = 1; count <= 16; count += 1) {
    expect(new Set(assignServiceHues(names(count)).values()).size).toBe(count);
  }
});

test("a hue depends on the name alone, for ever", () => {
  expect(["storefront", "checkout", "payment", "db"].map(serviceHue)).toEqual([130, 190, 130, 170]);
  expect(assignServiceHues(["checkout"]).get("checkout")).toBe(serviceHue("checkout"));
});

test("only services that share a hue move, and one of them stays", () => {
  const shown = names(12);
  const given = assignServiceHues(shown);
  for (const [hue, sharing] of Map.groupBy(shown, serviceHue)) {
    expect(sharing.filter((name) => given.get(name) === hue)).toHaveLength(1);
  }
  const [moved] = shown.filter((name) => given.get(name) !== serviceHue(name));
  const without = assignServiceHues(shown.filter((name) => name !== moved));
  for (const name of shown) {
    // A service that moved before may move to the hue that is free now. All other services keep their hues.
    if (given.get(name) === serviceHue(name)) {
      expect(without.get(name)).toBe(given.get(name));
    }
  }
});

test("a service that moves gets the same hue beside whatever other services", () => {
  // Both have the hue of 130 degrees, and storefront moves.
  const pair = ["storefront", "payment"];
  expect(assignServiceHues(pair).get("payment")).toBe(serviceHue("payment"));
  const moved = assignServiceHues(pair).get("storefront");
  expect(moved).not.toBe(serviceHue("storefront"));
  for (const others of names(60).map((name) => [name])) {
    const hues = assignServiceHues([...pair, ...others]);
    // Unless a service that has this hue by itself is in the picture.
    if (!others.some((name) => serviceHue(name) === moved || serviceHue(name) === serviceHue("payment"))) {
      expect(hues.get("storefront")).toBe(moved);
    }
  }
});

test("the order of the names does not matter", () => {
  const shown = names(40);
  expect(assignServiceHues(shown.toReversed())).toEqual(assignServiceHues(shown));
});

test("past 16 services hues are shared evenly where services moved", () => {
  const uses = Map.groupBy(assignServiceHues(names(48)).values(), hueSlot);
  expect(uses.size).toBe(16);
});

test.each([17, 32, 180, 256])("%d services of a picture have colours of their own", (count) => {
  expect(new Set(assignServiceHues(names(count)).values()).size).toBe(count);
});

test("past 16 services each hue is used once on its plain level", () => {
  const given = [...assignServiceHues(names(180)).values()];
  expect(given.filter((hue) => hueLevel(hue) === 0)).toHaveLength(16);
  expect(Math.max(...given.map(hueLevel))).toBeLessThanOrEqual(15);
});

test("more services than colours repeat colours, and every number is one of a colour", () => {
  const given = new Set(assignServiceHues(names(1_500)).values());
  expect(given.size).toBe(256);
  for (const hue of given) {
    expect(serviceHues).toContain(hue - 360 * hueLevel(hue));
  }
});
