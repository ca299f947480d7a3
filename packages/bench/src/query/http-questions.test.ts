import { expect, test } from "vitest";
import { httpQuestions, unasked } from "./http-questions.ts";

test("what no question asks is found out, whatever parameters are called", () => {
  const known = ["/api/services", "/api/traces/{id}", "/tempo/api/search/tag/{name}/values"];
  expect(unasked(known)).toEqual([]);
  expect(unasked([...known, "/api/more/{id}"])).toEqual(["/api/more/{id}"]);
});

test("each question has a name of its own, and an address of the newest time", () => {
  const endUnixMs = Date.UTC(2026, 6, 22, 12);
  const samples = { endUnixMs, traceIds: ["1", "2"], requestIds: ["r"] };
  const names = httpQuestions.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, request } of httpQuestions) {
    const { path } = request(samples, 3);
    expect(path, name).toMatch(/^\/(api|tempo)\/?\S*$/);
    if (name.endsWith("hour")) {
      expect(path, name).toMatch(/1784721600|2026-07-22T12/);
    }
  }
});
