import { expect, test } from "vitest";
import { linePlot } from "./line-plot.ts";

const line = (name: string, values: readonly number[]) => ({
  name,
  points: values.map((value, index) => ({ seconds: index * 60, value })),
});

test("draws a curve from the zero line to the top of its scale", () => {
  const svg = linePlot("a run", [{ title: "memory", unit: "MiB", lines: [line("one", [0, 100])] }]);
  // The frame is 64 to 710 wide, and 134 high between 64 and 198.
  expect(svg).toContain('<path class="l0" d="M64 198L710 64"/>');
  expect([...svg.matchAll(/text-anchor="end">([^<]*)</g)].map(([, text]) => text)).toEqual([
    "0",
    "50",
    "100",
  ]);
  expect(svg).toContain('aria-label="a run"');
  expect(svg).toContain("prefers-color-scheme:dark");
});

test("keeps names apart, and inside of the frame", () => {
  const svg = linePlot("a run", [
    { title: "memory", unit: "MiB", lines: ["one", "two", "three"].map((name) => line(name, [0, 0])) },
  ]);
  const heights = [...svg.matchAll(/class="n l\d" x="718" y="(\S+)"/g)].map(([, y]) => Number(y));
  expect(heights).toEqual([174, 188, 202]);
});

test("escapes names, and draws nothing for what has no points", () => {
  const svg = linePlot('a<b & "c"', [{ title: "t", unit: "u", lines: [{ name: "<x>", points: [] }] }]);
  expect(svg).toContain("a&lt;b &amp; &quot;c&quot;");
  expect(svg).toContain("&lt;x>");
  expect(svg).not.toContain("<path");
});
