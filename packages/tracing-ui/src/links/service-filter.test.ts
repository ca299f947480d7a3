import { expect, test } from "vitest";
import { serviceFilterText } from "./service-filter.ts";

const services = ["payment", "cart", "search index", "frontend"];

test.each([
  ["273c.1", "service=cart"],
  ["273c.a", 'service=frontend OR service="search index"'],
  ["273C.B", "service!=payment"],
  ["273c.7", 'service!="search index"'],
  // Nothing is hidden, nothing is shown, the mask is too long, other services, no filter.
  ["273c.f", undefined],
  ["273c.0", undefined],
  ["273c.10", undefined],
  ["273c.fffffffffffffff1", undefined],
  ["0000.1", undefined],
  ["273c", undefined],
  ["cart", undefined],
])("%s is the filter %s", (svcFilter, text) => {
  expect(serviceFilterText(services, svcFilter)).toBe(text);
});
