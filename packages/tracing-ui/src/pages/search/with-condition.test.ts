import { expect, test } from "vitest";
import { searchAddress } from "../../searches/search-address.ts";
import { withCondition } from "./with-condition.ts";

const region = { scope: "span", key: "cloud.region", value: "eu 2" };

test.each([
  [{}, { tags: 'cloud.region="eu 2"' }],
  [{ tags: "error=true" }, { tags: 'error=true cloud.region="eu 2"' }],
  [{ q: "{ }" }, { q: '{ span.cloud.region = "eu 2" }' }],
  [{ q: "{ a.b = 1 }" }, { q: '{ a.b = 1 && span.cloud.region = "eu 2" }' }],
  [{ q: "{ .a = 1 || .b = 1 }" }, { q: '{ (.a = 1 || .b = 1) && span.cloud.region = "eu 2" }' }],
  [{ q: "{ } | count() > 2" }, { q: '{ } | count() > 2\n| { span.cloud.region = "eu 2" }' }],
])("%j is narrowed", (before, after) => {
  expect(withCondition(searchAddress.parse(before), region)).toEqual(searchAddress.parse(after));
});

test("the name of a service is the field of its own", () => {
  const service = { scope: "resource", key: "service.name", value: "cart" };
  expect(withCondition(searchAddress.parse({ service: "shop", operation: "GET" }), service)).toEqual(
    searchAddress.parse({ service: "cart" }),
  );
});
