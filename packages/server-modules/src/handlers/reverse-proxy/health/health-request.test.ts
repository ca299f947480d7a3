import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { parseDial } from "../transport/dial-address.ts";
import type { Transport } from "../transport/transport.ts";
import { askHealth } from "./health-request.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function ask(transport: Transport): ReturnType<typeof askHealth> {
  return askHealth(transport, {
    dial: parseDial("127.0.0.1:1"),
    method: "GET",
    target: "/",
    headers: ["Host", "a.example"],
    body: "",
    timeoutMs: 10,
    maxBytes: 10,
  });
}

test("a request that a transport cannot send at all fails at once, and leaves no timer", async () => {
  const answer = ask({
    call() {
      throw new Error("no such folder");
    },
    close() {},
  });
  await expect(answer).rejects.toThrow("no such folder");
  expect(vi.getTimerCount()).toBe(0);
});

test("an upstream that says nothing is given up", async () => {
  const abort = vi.fn();
  const answer = ask({ call: () => ({ resume() {}, abort }), close() {} });
  vi.advanceTimersByTime(10);
  await expect(answer).rejects.toThrow("no answer in 10 ms");
  expect(abort).toHaveBeenCalledOnce();
});
