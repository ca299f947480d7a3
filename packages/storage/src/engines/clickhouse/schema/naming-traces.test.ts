import { expect, test } from "vitest";
import { archivedSpansOfTraces, namingTraces, onOneThread, spansOfTraces } from "./span-sql.ts";

const first = "00112233445566778899aabbccddeeff";
const second = "ffeeddccbbaa99887766554433221100";
const firstBytes = String.raw`'\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff'`;

test("ids stand in the statement as bytes, wherever it asks for them", () => {
  const sql = namingTraces(spansOfTraces("tracing"), [first, second]);
  expect(sql.split(`IN (${firstBytes}, `)).toHaveLength(3);
  expect(sql).not.toContain("{ids:");
});

test("one id is compared, and no set is made of it", () => {
  const sql = namingTraces(spansOfTraces("tracing"), [first]);
  expect(sql.split(`trace_id = ${firstBytes}`)).toHaveLength(3);
  expect(sql).not.toContain("trace_id IN");
  expect(sql).not.toContain("{ids:");
});

test.each(["", "00", `${first}00`, `${first.slice(1)}'`])("%j is not taken for an id", (id) => {
  expect(() => namingTraces(spansOfTraces("tracing"), [id])).toThrow("not the id of a trace");
});

test("one thread is asked for once, and where a statement has settings", () => {
  expect(onOneThread(spansOfTraces("tracing")).match(/max_threads = 1/g)).toHaveLength(1);
  expect(onOneThread(archivedSpansOfTraces("tracing"))).toBe(archivedSpansOfTraces("tracing"));
});
