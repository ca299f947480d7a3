import { beforeAll, expect, test } from "vitest";
import { contentHash, makeEtag, parseIfMatch, prepareEtags } from "./etag.ts";

beforeAll(prepareEtags);

// XXH64 with seed 0. The vectors come from the reference implementation, the last one from Caddy.
test.each([
  ["", "ef46db3751d8e999"],
  ["a", "d24ec4f1a98c6e5b"],
  ["abc", "44bc2cf5ad770999"],
  ["null\n", "396548453caeba50"],
])("hash of %j", (body, hash) => {
  expect(contentHash(body)).toBe(hash);
});

test("an ETag names path and hash, and If-Match gives them back", () => {
  const etag = makeEtag("/config/", "null\n");
  expect(etag).toBe('"/config/ 396548453caeba50"');
  expect(parseIfMatch(etag)).toEqual({ path: "/config/", hash: "396548453caeba50" });
});

test.each([
  ["*", "expect quoted string"],
  ['"', "expect quoted string"],
  ["/config/ 0", "expect quoted string"],
  ['W/"/config/ 0"', "expect quoted string"],
  ['"a"', 'expect format "<path> <hash>"'],
  ['"a b c"', 'expect format "<path> <hash>"'],
])("refuses If-Match %s", (header, message) => {
  expect(() => parseIfMatch(header)).toThrow(message);
});
