import { expect, test } from "vitest";
import { assignServiceHues, serviceHues } from "./service-hues.ts";

const names = (count: number) => Array.from({ length: count }, (_, index) => `service-${index}`);
const distance = (a: number, b: number) => Math.min(Math.abs(a - b), 360 - Math.abs(a - b));

test("16 hues, none in the arc of the error red", () => {
  expect(new Set(serviceHues).size).toBe(16);
  expect(Math.min(...serviceHues.map((hue) => distance(hue, 26)))).toBeGreaterThanOrEqual(20);
});

test("up to 16 services have hues of their own; 5 are at least 40° apart", () => {
  for (let count = 1; count <= 16; count += 1) {
    const hues = [...assignServiceHues(names(count), names(count)).values()];
    expect(new Set(hues).size).toBe(count);
    if (count > 5) continue;
    for (const a of hues)
      for (const b of hues) if (a !== b) expect(distance(a, b)).toBeGreaterThanOrEqual(40);
  }
});

test("a service looks the same whatever else is in view", () => {
  const system = names(12);
  const all = assignServiceHues(system, system);
  for (const name of system) expect(assignServiceHues(system, [name]).get(name)).toBe(all.get(name));
  expect(assignServiceHues(system, system.toReversed())).toEqual(all);
});

test("past 16 services hues are shared evenly, and a view of a few still tells them apart", () => {
  const system = names(200);
  const uses = Map.groupBy(assignServiceHues(system, system).values(), (hue) => hue);
  expect([...uses.values()].map((list) => list.length)).toSatisfy((counts: number[]) =>
    counts.every((n) => n >= 12 && n <= 13),
  );
  const view = system.slice(40, 52);
  expect(new Set(assignServiceHues(system, view).values()).size).toBe(12);
});

test("a service that the system does not know yet gets a hue too", () => {
  expect(assignServiceHues([], ["new"]).get("new")).toBeTypeOf("number");
});
