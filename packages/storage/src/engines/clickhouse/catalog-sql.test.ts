import { expect, test } from "vitest";
import { namesSql, sampleOf } from "./catalog-sql.ts";

const range = { startUnixNano: 90_000_000_000n, endUnixNano: 600_000_000_000n };

test.each([
  [{ minute: "5", spans: 10 }, 300_000_000_000n, 1],
  [{ minute: "1", spans: 600_000 }, 90_000_000_000n, 1],
  [{ minute: "9", spans: 600_001 }, 540_000_000_000n, 2],
  [{ minute: "9", spans: 60_000_000 }, 540_000_000_000n, 100],
])("%j: from %d, every %dth granule", (row, startUnixNano, stride) => {
  const sample = { range: { startUnixNano, endUnixNano: 600_000_000_000n }, stride, areRepeated: true };
  expect(sampleOf(range, row, true)).toEqual(sample);
});

test("of a minute with many spans some granules are read, of others all", () => {
  const sqlOf = (stride: number) =>
    namesSql(
      { range, limit: 1 },
      { scopes: ["span"], sample: { range, stride, areRepeated: false }, database: "tracing", tenant: "" },
    ).sql;
  expect(sqlOf(7)).toContain("intDiv(_part_offset, 4096) % 7 = 0");
  expect(sqlOf(1)).not.toContain("_part_offset");
});
