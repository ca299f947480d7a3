import { expect, test } from "vitest";
import { requireProcessor } from "./processor-needs.ts";

const cpuinfo = (flags: string) =>
  `processor\t: 0\nmodel name\t: X\nflags\t\t: ${flags}\nbugs\t\t:\n\nprocessor\t: 1\n`;

test.each([
  ["a processor of x86-64-v3", cpuinfo("fpu sse4_2 fma movbe avx avx2 bmi1 bmi2")],
  ["nothing that is told", "processor\t: 0\n"],
])("%s is enough", (_, processors) => {
  expect(() => requireProcessor(processors)).not.toThrow();
});

test("this machine, on which the tests of the engine run, is enough", () => {
  expect(() => requireProcessor()).not.toThrow();
});

test("an older one is refused, with what it lacks and what to do", () => {
  expect(() => requireProcessor(cpuinfo("fpu sse4_2 avx bmi1"))).toThrow(
    /^this processor lacks avx2, bmi2, fma, movbe, .*--clickhouse/,
  );
});
