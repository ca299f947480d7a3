import { expect, test } from "vitest";
import { OptionValues } from "./command.ts";
import { queryOf } from "./span-search.ts";

test.each([
  [{}, "{}"],
  [{ service: 'a"b' }, '{ resource.service.name = "a\\"b" }'],
  [
    { operation: "GET /", error: true, "min-duration": "1.5s" },
    '{ name = "GET /" && duration >= 1500000000ns && status = error }',
  ],
  [{ tag: ["http.method=GET"] }, '{ .http.method = "GET" }'],
  [{ tag: ["code=200", "a b=x=y"] }, '{ (.code = "200" || .code = 200) && ."a b" = "x=y" }'],
])("%j is %s", (values, query) => {
  expect(queryOf(undefined, new OptionValues(values))).toBe(query);
});

test("a query is taken as it is, and not beside options", () => {
  expect(queryOf("{ duration > 1s }", new OptionValues({}))).toBe("{ duration > 1s }");
  expect(() => queryOf("{}", new OptionValues({ service: "a", tag: ["b=c"] }))).toThrow(
    "a query and --service, --tag: give one of both",
  );
  expect(() => queryOf(undefined, new OptionValues({ tag: ["b"] }))).toThrow('--tag: "b" is no key=value');
});
