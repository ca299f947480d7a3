import { expect, test } from "vitest";
import { requestOf } from "./request-draft.ts";

const draft = { method: "GET", url: "http://a.example/", client: "", headers: "" };

test.each([
  ["http://a.example/b c#part", "http://a.example/b%20c"],
  ["  https://a.example:8443?q=ü ", "https://a.example:8443?q=%C3%BC"],
  ["http://a.example/%2e/../x", "http://a.example/%2e/../x"],
  ["http://a.example/\ud800", "http://a.example/%EF%BF%BD"],
])("%s is sent as %s", (url, sent) => {
  expect(requestOf({ ...draft, url })).toEqual({
    ...{ method: "GET", url: sent, headers: [], client: undefined },
  });
});

test("fields are one a line", () => {
  expect(requestOf({ ...draft, method: " ", client: " 10.0.0.1", headers: "A: b\n\n  X-Y:z: 1 \n" })).toEqual(
    { method: "GET", url: draft.url, headers: ["A: b", "X-Y:z: 1"], client: "10.0.0.1" },
  );
});

test.each([
  ["url", { url: "" }, /https:\/\//],
  ["url", { url: "a.example/x" }, /https:\/\//],
  ["url", { url: "http:///x" }, /host/],
  ["url", { url: "ftp://a.example/" }, /https:\/\//],
  ["method", { method: "GET /" }, /one word/],
  ["headers", { headers: "A: b\nno field" }, /Line 2/],
])("%s of %j is refused before the server is asked", (field, change, message) => {
  expect(requestOf({ ...draft, ...change })).toEqual({ field, message: expect.stringMatching(message) });
});
