import { expect, test } from "vitest";
import { ChangedUrls, changedUrlsBytes } from "./changed-urls.ts";
import { ResponseStore } from "./response-store.ts";
import { StoredResponse } from "./stored-response.ts";

const request = { method: "GET", headers: [] };
const address = { url: "http://a/x", key: "http://a/x\nhttp://a/x\n/config" };
const other = { url: "http://a/y", key: "http://a/y\nhttp://a/rewritten\n/config" };
const response = () =>
  new StoredResponse(request, {
    status: 200,
    headers: ["Cache-Control", "max-age=60"],
    body: Buffer.from("body"),
    fallbackSeconds: 0,
  });

/** The stores of two threads. */
function stores(): [ResponseStore, ResponseStore] {
  const memory = new SharedArrayBuffer(changedUrlsBytes);
  return [
    new ResponseStore(10_000, new ChangedUrls(memory)),
    new ResponseStore(10_000, new ChangedUrls(memory)),
  ];
}

test("a change in one thread makes the responses of all threads void", () => {
  const [one, two] = stores();
  for (const store of [one, two]) {
    store.put(address, request, response(), store.moment(address));
    store.put(other, request, response(), store.moment(other));
  }
  one.invalidate(address);
  expect([one, two].map((store) => store.find(address, request))).toEqual([undefined, undefined]);
  expect([one, two].map((store) => store.find(other, request)?.status)).toEqual([200, 200]);
});

test("a response that was under way during a change or a purge is not stored", () => {
  const [one, two] = stores();
  const before = one.moment(address);
  two.invalidate(address);
  one.put(address, request, response(), before);
  expect(one.find(address, request)).toBeUndefined();
  const beforePurge = one.moment(address);
  expect(one.purge({ prefix: "http://a/" })).toBe(0);
  one.put(address, request, response(), beforePurge);
  expect(one.find(address, request)).toBeUndefined();
});

test("a purge names the client's address, or the one after rewrites", () => {
  const [store] = stores();
  for (const url of [other.url, "http://a/rewritten"]) {
    store.put(other, request, response(), store.moment(other));
    expect([store.purge({ url }), store.purge({ url })]).toEqual([1, 0]);
  }
});
