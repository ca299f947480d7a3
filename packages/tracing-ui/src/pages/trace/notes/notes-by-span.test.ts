import { expect, test } from "vitest";
import { notesBySpan, spanKey } from "./notes-by-span.ts";

test("notes are found by ids with and without zeros in front; those on the trace lie apart", () => {
  const note = (id: string, spanId: string) => ({ id, spanId, text: id, author: "", written: 0 });
  const found = notesBySpan([note("a", "00000000000000ab"), note("b", "ab"), note("c", "")]);
  expect(found.get(spanKey("0ab"))?.map(({ id }) => id)).toEqual(["a", "b"]);
  expect(found.get("")?.map(({ id }) => id)).toEqual(["c"]);
});
