import { expect, test } from "vitest";
import type { TwinExchange } from "../twin-case.ts";
import { narrowSteps } from "./narrow-steps.ts";

const ask = (method: string): TwinExchange => ({
  via: "http",
  serverName: "a.test",
  requests: [{ method, target: "/", fields: [] }],
});

test("wanted exchanges stay, one a step, with the reload of their step", () => {
  const steps = [
    { exchanges: [ask("GET"), ask("HEAD")], reloads: true },
    { exchanges: [ask("GET")] },
    { exchanges: [ask("GET")] },
  ];
  expect(narrowSteps(steps, (words) => words.includes("GET"), 2)).toEqual([
    { exchanges: [ask("GET")], reloads: true },
    { exchanges: [ask("GET")] },
  ]);
  expect(narrowSteps(steps, (words) => words.endsWith("during a reload"), 9)).toHaveLength(2);
});
