import fc from "fast-check";
import { expect, test } from "vitest";
import { percentDecode } from "./percent-encoding.ts";
import { RequestTarget } from "./request-target.ts";

function parse(sent: string): RequestTarget {
  const target = RequestTarget.parse(sent);
  if (typeof target === "string") {
    throw new Error(target);
  }
  return target;
}

test.each([
  ["/a?b=c?d", "/a", "/a", "?b=c?d", undefined],
  ["/a?", "/a", "/a", "?", undefined],
  ["/a%20b", "/a b", "/a%20b", "", undefined],
  ["/a%2Fb;c,d=!'()*[1]", "/a/b;c,d=!'()*[1]", "/a%2Fb;c,d=!'()*[1]", "", undefined],
  ["http://h:1/a?q", "/a", "/a", "?q", "h:1"],
  ["http://h", "/", "/", "", "h"],
  ["HTTP://h?q", "/", "/", "?q", "h"],
  ["*", "*", "*", "", undefined],
  // Characters that readers of URLs cut off, or take for a slash, are escaped.
  ["/admin#x", "/admin#x", "/admin%23x", "", undefined],
  ["/pub\\..\\admin", "/pub\\..\\admin", "/pub%5C..%5Cadmin", "", undefined],
  ['/"<>^`{|}', '/"<>^`{|}', "/%22%3C%3E%5E%60%7B%7C%7D", "", undefined],
  // One unusual character makes the server write the whole path anew.
  ["/a%2fb%41#", "/a/bA#", "/a/bA%23", "", undefined],
  ["/caf\xc3\xa9", "/café", "/caf%C3%A9", "", undefined],
  ["/caf%C3\xa9", "/café", "/caf%C3%A9", "", undefined],
  ["/\xff%fe", "/\udcff\udcfe", "/%FF%FE", "", undefined],
  ["/%ff", "/\udcff", "/%ff", "", undefined],
  ["/?a#b", "/", "/", "?a%23b", undefined],
  // Programs clean these paths differently, so the server passes them on cleaned.
  ["/admin//../x?q", "/x", "/x", "?q", undefined],
  ["/admin/%2f../x%2fy", "/x/y", "/x/y", "", undefined],
  ["/a//b/../c", "/a//b/../c", "/a//b/../c", "", undefined],
  ['/?q="\xc3\xa9\\{', "/", "/", '?q="%C3%A9\\{', undefined],
])("%j has the path %j, escaped %j, and the query %j", (sent, path, rawPath, query, authority) => {
  expect(parse(sent)).toEqual({ path, rawPath, query, authority });
  expect(parse(sent).text).toBe(rawPath + query);
});

test.each([
  "/%zz",
  "/a%4",
  "/%",
  "http://h/%zz",
  "/%00",
  "/a\0b",
  "",
  "?a",
  "a/b",
  "#",
  "http:/a",
  "http://[::1/a",
  "http://a:b/",
])("%j is refused", (sent) => {
  expect(RequestTarget.parse(sent)).toEqual(expect.any(String));
});

const byte = fc
  .oneof(
    { weight: 3, arbitrary: fc.constantFrom(..."/.#\\?%&=;[]{}\"'<>^`|~aZ09") },
    fc.constantFrom("%2f", "%2E", "%5c", "%23", "%3f", "%C3", "%a9", "%ff", "%41", ".."),
    fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code)),
  )
  .filter((text) => text !== "\x7f");
const sentTarget = fc.array(byte, { maxLength: 12 }).map((parts) => `/${parts.join("")}`);

test("whatever is sent: one form, which reads back as itself", () => {
  fc.assert(
    fc.property(sentTarget, (sent) => {
      const target = RequestTarget.parse(sent);
      if (typeof target === "string") {
        return;
      }
      expect(target.text).toMatch(/^\/[!-"$-~]*$/);
      expect(target.rawPath).not.toMatch(/["<>\\^`{|}]/);
      expect(percentDecode(target.rawPath)).toBe(target.path);
      expect(parse(target.text)).toEqual(target);
    }),
    { numRuns: 5000 },
  );
});

test("other paths and queries are put into the same form", () => {
  const target = parse("/a?x");
  expect(target.withPath("/ä#?%2f").text).toBe("/%C3%A4%23%3F%252f?x");
  expect(target.withPath("b").path).toBe("/b");
  expect(target.withRawPath("/b%2fc").rawPath).toBe("/b%2fc");
  expect(target.withRawPath("/b%2f#").rawPath).toBe("/b/%23");
  expect(target.withRawPath("/100%").rawPath).toBe("/100%25");
  expect(target.withRawPath("%2e%2e/b").path).toBe("/../b");
  expect(target.withQuery("?a b#ä").text).toBe("/a?a%20b%23%C3%A4");
  expect(target.withQuery("").text).toBe("/a");
});
