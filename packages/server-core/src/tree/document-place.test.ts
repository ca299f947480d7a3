import { expect, test } from "vitest";
import { indexIds } from "../json/id-index.ts";
import { decodeDocumentPath, locate, parsePlace } from "./document-place.ts";

const ids = indexIds({
  a: [{ "@id": "plain" }, { "@id": "a/b" }, { "@id": "50%" }, { "@id": "a%2Fb" }],
  "x/y": { "~": { "@id": "below a key with a slash" } },
});

function located(rawPath: string) {
  return locate(parsePlace(decodeDocumentPath(rawPath) ?? ""), ids);
}

test.each([
  ["/config/a/0", ["config", "a", "0"]],
  ["/config/a%2F0", ["config", "a", "0"]],
  ["/id/plain", ["config", "a", "0"]],
  ["/id/plain/", ["config", "a", "0"]],
  ["/id/plain/match/0", ["config", "a", "0", "match", "0"]],
  ["/id/plain/match%2F0", ["config", "a", "0", "match", "0"]],
  ["/id/a%2Fb", ["config", "a", "1"]],
  ["/id/a%2fb/x", ["config", "a", "1", "x"]],
  ["/id/50%25", ["config", "a", "2"]],
  ["/id/a%252Fb", ["config", "a", "3"]],
  ["/id/below%20a%20key%20with%20a%20slash", ["config", "x/y", "~"]],
])("%s", (rawPath, segments) => {
  expect(located(rawPath).segments).toEqual(segments);
});

test("an ETag names a path that leads back to the object", () => {
  expect(located("/id/a%2Fb/match").text).toBe("/config/a/1/match");
  const { text } = located("/id/below%20a%20key%20with%20a%20slash");
  expect(text).not.toContain(" ");
  expect(located(text).segments).toEqual(["config", "x/y", "~"]);
});

test("/... spreads behind an id too", () => {
  expect(located("/id/plain/match/...")).toMatchObject({
    segments: ["config", "a", "0", "match"],
    spread: true,
  });
});

test.each([
  ["/id/a", "unknown object ID 'a'"],
  ["/id/", "request path is missing object ID"],
])("refuses %s", (rawPath, message) => {
  expect(() => located(rawPath)).toThrow(message);
});

test.each(["/id/%zz", "/id/a/%zz", "/config/%"])("%s is no path", (rawPath) => {
  expect(decodeDocumentPath(rawPath)).toBeUndefined();
});
