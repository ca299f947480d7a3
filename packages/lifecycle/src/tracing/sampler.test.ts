import { describe, expect, test } from "vitest";
import { newContext } from "../trace-context.ts";
import { OwnSampler } from "./sampler.ts";

const parent = (isSampled: boolean) => ({ ...newContext(undefined), isSampled });
const someTrace = "0af7651916cd43dd8448eb211c80319c";

describe("OwnSampler", () => {
  test.each([
    [{}, parent(false), false],
    [{}, parent(true), true],
    [{}, undefined, true],
    [{ OTEL_TRACES_SAMPLER: "always_on" }, parent(false), true],
    [{ OTEL_TRACES_SAMPLER: "parentbased_always_off" }, undefined, false],
    [{ OTEL_TRACES_SAMPLER: "parentbased_always_off" }, parent(true), true],
    [{ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0" }, parent(true), false],
    [{ OTEL_TRACES_SAMPLER: "traceidratio" }, undefined, true],
  ])("%j, parent %j: %s", (environment, context, expected) => {
    expect(new OwnSampler(environment).isSampled(someTrace, context)).toBe(expected);
  });

  test("a share is about that share, and the same for a trace everywhere", () => {
    const environment = { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.25" };
    const ids = Array.from({ length: 64 }, (_, index) =>
      (index * 4).toString(16).padStart(2, "0").padEnd(13, "0"),
    );
    let nowMs = 0;
    const sampler = () =>
      new OwnSampler(environment, () => {
        nowMs += 1_000;
        return nowMs;
      });
    const [one, other] = [sampler(), sampler()];
    const sampled = ids.map((id) => one.isSampled(id.padStart(32, "1"), undefined));
    expect(sampled.filter(Boolean)).toHaveLength(16);
    expect(ids.map((id) => other.isSampled(id.padStart(32, "1"), undefined))).toEqual(sampled);
  });

  test("begins a hundred traces a second at most", () => {
    let nowMs = 5_000;
    const sampler = new OwnSampler({}, () => nowMs);
    const count = () =>
      Array.from({ length: 300 }, () => sampler.isSampled(someTrace, undefined)).filter(Boolean).length;
    expect([count(), count()]).toEqual([100, 0]);
    nowMs += 1_000;
    expect(count()).toBe(100);
    expect(sampler.isSampled(someTrace, parent(true))).toBe(true);
  });

  test.each([
    [{ OTEL_TRACES_SAMPLER: "some" }, 'unknown sampler "some"'],
    [{ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "2" }, "not a number from 0 to 1"],
  ])("refuses %j", (environment, message) => {
    expect(() => new OwnSampler(environment)).toThrow(message);
  });
});
