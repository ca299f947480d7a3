import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { apiTrace } from "../trace/trace-schema.ts";
import { envelope } from "./envelope.ts";
import { isTraceList, traceList } from "./trace-list.ts";

const schema = envelope(z.nullable(z.array(apiTrace)));

const answer = () => ({
  data: [
    {
      traceID: "a",
      spans: [
        {
          ...{ traceID: "a", spanID: "b", flags: 1, operationName: "GET", startTime: 1, duration: 2 },
          references: [{ refType: "CHILD_OF", traceID: "a", spanID: "c" }],
          tags: [
            { key: "error", type: "bool", value: true },
            { key: "none", type: "string", value: null },
          ],
          logs: [{ timestamp: 3, fields: [{ key: "event", type: "string", value: "x" }] }],
          ...{ processID: "p1", warnings: ["late"] },
        },
      ],
      processes: { p1: { serviceName: "shop", tags: [{ key: "pid", type: "int64", value: 7 }] } },
      warnings: null,
    },
  ],
  ...{ total: 0, limit: 0, offset: 0, errors: null },
});

test("an answer in its usual form is taken as it is", () => {
  const usual = answer();
  expect(isTraceList(usual)).toBe(true);
  const { success, data } = traceList.safeParse(usual) as { success: boolean; data: unknown };
  expect({ success, same: data === usual }).toEqual({ success: true, same: true });
  expect(schema.safeParse(usual).success).toBe(true);
});

test("another answer is judged by the schema, which says what is wrong", () => {
  expect(traceList.safeParse({ data: null, errors: [{ msg: "no" }] })).toMatchObject({ success: true });
  const wrong = answer();
  Object.assign(wrong.data[0]?.spans[0] ?? {}, { startTime: "soon" });
  expect(traceList.safeParse(wrong)).toMatchObject({
    success: false,
    error: { issues: [{ path: ["data", 0, "spans", 0, "startTime"] }] },
  });
});

/** Every place in a value, as a way of keys to it. */
function places(value: unknown, way: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) {
    return [way];
  }
  return [way, ...Object.entries(value).flatMap(([key, inner]) => places(inner, [...way, key]))];
}

test("whatever is put where, or taken away: nothing passes that the schema refuses", () => {
  const other = fc.oneof(fc.constant(undefined), fc.jsonValue({ maxDepth: 1 }));
  fc.assert(
    fc.property(fc.constantFrom(...places(answer())), other, (way, value) => {
      const changed = { whole: answer() as unknown };
      const keys = ["whole", ...way];
      let at = changed as unknown as Record<string, unknown>;
      for (const key of keys.slice(0, -1)) {
        at = at[key] as Record<string, unknown>;
      }
      const last = keys.at(-1) as string;
      if (value === undefined && !Array.isArray(at)) {
        delete at[last];
      } else {
        at[last] = value;
      }
      if (isTraceList(changed.whole)) {
        expect(schema.safeParse(changed.whole).success).toBe(true);
      }
    }),
    { numRuns: 2_000 },
  );
});
