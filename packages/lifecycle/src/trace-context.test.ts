import { expect, test } from "vitest";
import { formatTraceContext, newContext, parseTraceparent } from "./trace-context.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";

test.each([
  undefined,
  "",
  "00-00000000000000000000000000000000-b7ad6b7169203331-01",
  `00-${traceId}-0000000000000000-01`,
  `ff-${traceId}-b7ad6b7169203331-01`,
  `00-${traceId}-b7ad6b7169203331`,
])("no parent: %s", (header) => {
  expect(parseTraceparent(header)).toBeUndefined();
});

test("what is written is read", () => {
  const context = newContext(parseTraceparent(`00-${traceId}-b7ad6b7169203331-00`));
  expect(context).toMatchObject({ traceId, isSampled: false });
  expect(parseTraceparent(formatTraceContext(context))).toEqual(context);
});
