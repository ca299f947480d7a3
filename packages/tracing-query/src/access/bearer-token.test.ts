import { expect, test } from "vitest";
import { bearerTokenOf } from "./bearer-token.ts";

// The rows of Jaeger's test, and more.
test.each([
  [{}, undefined],
  [{ authorization: "Bearer blah" }, "blah"],
  [{ authorization: "blah" }, "blah"],
  [{ authorization: "Basic blah" }, undefined],
  [{ authorization: "Bearer" }, "Bearer"],
  [{ authorization: "Bearer " }, undefined],
  [{ "x-forwarded-access-token": "Bearer blah" }, "blah"],
  [{ "x-forwarded-access-token": "Bearer blah another stuff" }, undefined],
  [{ authorization: "Basic x", "x-forwarded-access-token": "blah" }, undefined],
  [{ "x-forwarded-access-token": ["one", "two"] }, "one"],
])("%j gives %s", (headers, token) => {
  expect(bearerTokenOf(headers)).toBe(token);
});
