import { expect, test } from "vitest";
import { renderUiFigures } from "./ui-figures.ts";

test("figures stand below each other; those over what is allowed are marked", () => {
  const lines = [
    { name: "first load, gzip", unit: "kB", value: 147.08, most: 150 },
    { name: "heap", unit: "MB", value: 251, most: 250 },
    { name: "CPU", unit: "ms", value: 3.21 },
  ];
  expect(renderUiFigures(`built\n${lines.map((line) => JSON.stringify(line)).join("\n")}\n`)).toBe(
    [
      "first load, gzip       147 kB   at most 150 kB\n",
      "heap                   251 MB   at most 250 MB   OVER\n",
      "CPU                    3.2 ms\n",
    ].join(""),
  );
});
