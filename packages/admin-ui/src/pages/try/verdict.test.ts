import { expect, test } from "vitest";
import type { JsonValue } from "../../api/json-value.ts";
import type { RequestWay } from "../../api/rehearsal.ts";
import { verdictOf } from "./verdict.ts";

const way: RequestWay = {
  ...{ server: "s", listeners: [], routes: [], passed: [], passed_count: 0, failure: null },
  ...{ answered_by: null, may_answer_before: [], status: null, headers: {} },
};
const by = (name: string, config: JsonValue = {}) => ({ answered_by: { at: null, name, config } });
const failure = { status: 418, message: "short and stout" };

test.each<[change: Partial<RequestWay>, state: string, title: string, text: RegExp]>([
  [{ server: null }, "bad", "No server listens there", /port/],
  [{}, "warning", "200 with an empty body", /^No route of the server s/],
  [{ routes: [{ at: "/a", handlers: [] }] }, "warning", "200 with an empty body", /no handler/],
  [{ failure }, "bad", "418 with an empty body", /no error route answers. short and stout/],
  [{ ...by("static_response"), status: 204 }, "good", "204, by static_response", /^$/],
  [{ ...by("static_response"), status: 404 }, "warning", "404, by static_response", /^$/],
  [{ ...by("static_response"), status: 503, failure }, "bad", "503, by static_response", /an error route/],
  [{ ...by("static_response", { abort: true }) }, "warning", "No answer", /closes the connection/],
  [{ ...by("reverse_proxy") }, "unknown", "reverse_proxy answers", /^The config alone/],
])("%j", (change, state, title, text) => {
  expect(verdictOf({ ...way, ...change })).toEqual({ state, title, text: expect.stringMatching(text) });
});
