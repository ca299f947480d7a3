import { makeExchange } from "http-engine/testing/make-exchange";
import { expect, test } from "vitest";
import { provisionMatcher } from "../../../admin-server/src/testing/provision-module.ts";

test.each([
  [[], true],
  [[{ method: ["GET"] }], false],
  [[{ method: ["POST"] }], true],
  [[{ method: ["GET"], path: ["/other"] }], true],
  [[{ method: ["GET"], path: ["/a"] }], false],
  [[{ path: ["/other"] }, { path: ["/a"] }], false],
  [[{ not: [{ path: ["/a"] }] }], true],
])("not %j: %s", async (sets, expected) => {
  const matcher = await provisionMatcher("not", sets);
  expect(await matcher.matches(makeExchange({ target: "/a" }))).toBe(expected);
});

test("a set that cannot be loaded says where", async () => {
  await expect(provisionMatcher("not", [{ nope: 1 }])).rejects.toThrow(
    "loading matcher sets: module name 'nope': unknown module: http.matchers.nope",
  );
});
