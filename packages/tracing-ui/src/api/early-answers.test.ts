import { afterEach, expect, test, vi } from "vitest";
import { takeEarlyAnswer } from "./early-answers.ts";

afterEach(() => void vi.unstubAllGlobals());

test("what the page's first script asked is given once, and can be called off", async () => {
  const stop = new AbortController();
  const answer = Promise.resolve(new Response("early"));
  vi.stubGlobal("tracingPage", { asked: [{ url: "http://a/api/traces/1", answer, stop }] });
  const left = new AbortController();
  expect(takeEarlyAnswer("http://a/api/traces/2", left.signal)).toBeUndefined();
  const taken = takeEarlyAnswer("http://a/api/traces/1", left.signal);
  expect(await (await taken)?.text()).toBe("early");
  expect(takeEarlyAnswer("http://a/api/traces/1", left.signal)).toBeUndefined();
  left.abort(new Error("left the page"));
  expect(stop.signal.reason).toEqual(new Error("left the page"));
});

test("a page without that script asks by itself", () => {
  expect(takeEarlyAnswer("http://a/api/traces/1", new AbortController().signal)).toBeUndefined();
});
