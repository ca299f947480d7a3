import { expect, test } from "vitest";
import { type Column, renderTable } from "./table.ts";

const ours: Column = {
  title: "ours",
  figures: [
    { label: "spans/s", value: 12_345.6, unit: "perSecond", compared: true },
    { label: "spans LOST", value: 0, unit: "count" },
    { label: "RSS", value: 3 * 1024 * 1024, unit: "mebibytes", compared: true },
  ],
};
const peer: Column = {
  title: "peer",
  figures: [
    { label: "spans/s", value: 5000, unit: "perSecond", compared: true },
    { label: "spans LOST", value: 1000, unit: "count" },
    { label: "RSS", value: 0, unit: "mebibytes", compared: true },
    { label: "p50", value: 1.25, unit: "ms", compared: true },
  ],
};

test("aligns figures and divides those that are compared", () => {
  expect(renderTable([ours, peer], [{ title: "ours : peer", ours, peer }])).toBe(`\
              ours   peer  ours : peer
spans/s     12,346  5,000          2.5
spans LOST       0  1,000
RSS              3      0
p50                   1.3
`);
});
