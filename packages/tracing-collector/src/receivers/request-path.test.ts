import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { requestPath } from "./request-path.ts";

test.each([
  ["/v1/traces", "/v1/traces"],
  ["/v1/traces?a=//b", "/v1/traces"],
  ["//v1/traces", "/v1/traces"],
  ["/v1//traces", "/v1/traces"],
  ["/./v1/traces", "/v1/traces"],
  ["/x/../v1/traces", "/v1/traces"],
  ["/../../v1/traces", "/v1/traces"],
  ["/v1/traces/", "/v1/traces/"],
  ["/v1/traces/v1/traces", "/v1/traces/v1/traces"],
  ["", ""],
])("%s is %s", (url, path) => {
  const request = new IncomingMessage(new Socket());
  request.url = url;
  expect(requestPath(request)).toBe(path);
});
