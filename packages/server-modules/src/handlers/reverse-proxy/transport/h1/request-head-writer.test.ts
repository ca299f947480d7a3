import { expect, test } from "vitest";
import type { UpstreamRequest } from "../transport.ts";
import { RequestHeadWriter } from "./request-head-writer.ts";

function head(request: Partial<UpstreamRequest>, isLast = false): string {
  const whole: UpstreamRequest = {
    method: "GET",
    target: "/",
    headers: ["Host", "h"],
    body: undefined,
    bodyLength: undefined,
    upgrade: "",
    exchange: undefined,
    ...request,
  };
  return new RequestHeadWriter().write(whole, isLast);
}

test.each<[string, Partial<UpstreamRequest>, string]>([
  ["a safe request", {}, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"],
  ["of the server as a whole", { method: "OPTIONS", target: "*" }, "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n"],
  ["POST of nothing", { method: "POST" }, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n"],
  ["DELETE of nothing", { method: "DELETE" }, "DELETE / HTTP/1.1\r\nHost: h\r\n\r\n"],
  [
    "a body that is known",
    { method: "PUT", body: Buffer.from("ab") },
    "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n",
  ],
])("%s", (_name, request, text) => {
  expect(head(request)).toBe(text);
});

test("the last one of its connection says so, unless it leaves HTTP", () => {
  expect(head({}, true)).toBe("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  expect(head({ upgrade: "websocket" }, true)).not.toContain("close");
});

test.each(["a b", "**", "/\n", ""])("target %j is refused", (target) => {
  expect(() => head({ target })).toThrow("cannot be sent on");
});
