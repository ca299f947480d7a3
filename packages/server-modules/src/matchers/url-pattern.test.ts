import fc from "fast-check";
import { compileTemplate } from "http-engine/placeholders";
import { makeExchange } from "http-engine/testing/make-exchange";
import { expect, test } from "vitest";
import { provisionMatcher } from "../../../admin-server/src/testing/provision-module.ts";

test.each([
  ["/foo", {}, true],
  ["/bar", {}, false],
  ["/books/:id", { target: "/books/123" }, true],
  ["/books/:id", { target: "/books" }, false],
  ["/books/:id?", { target: "/books" }, true],
  ["/books/:id+", { target: "/books/a/b" }, true],
  ["/books/:id(\\d+)", { target: "/books/x" }, false],
  ["/books/:id(\\d+)", { target: "/books/7" }, true],
  ["/files/*", { target: "/files/a/b/c" }, true],
  ["/a{/b}?/c", { target: "/a/c" }, true],
  ["/a{/b}?/c", { target: "/a/b/c" }, true],
  ["https://example.com/foo", { encrypted: true }, true],
  ["https://example.com/foo", {}, false],
  ["http://example.com/foo", { host: "other.com" }, false],
  ["http://:sub.example.com/foo", { host: "www.example.com" }, true],
  ["http://:sub.example.com/foo", { host: "a.b.example.com" }, false],
  ["http{s}?://example.com:8080/*", { host: "example.com:8080" }, true],
  [{ pattern: "/foo", ignore_case: true }, { target: "/FOO" }, true],
  ["/foo", { target: "/FOO" }, false],
  [{ pattern: "/search", base_url: "http://example.com" }, { target: "/search?q=1" }, true],
  [{ pattern: "/search", base_url: "http://example.com" }, { target: "/search", host: "other.com" }, false],
  ["/search?q=:q", { target: "/search?q=1" }, true],
  ["/public/*", { target: "/public/..%2fadmin/secret.txt" }, false],
  ["/public/*", { target: "/public/%2e%2e/admin/secret.txt" }, false],
  ["/public/*", { target: "/public/../admin/secret.txt" }, false],
  ["/*a*a*a*a*a*a*b", { target: `/${"a".repeat(4000)}` }, false],
])("%j and %.60j: %s", async (config, made, expected) => {
  const matcher = await provisionMatcher("url_pattern", config);
  expect(matcher.matches(makeExchange({ target: "/foo", ...made }))).toBe(expected);
});

test("groups become placeholders", async () => {
  const matcher = await provisionMatcher("url_pattern", "http://:tenant.example.com/books/:id/*");
  const exchange = makeExchange({ host: "acme.example.com", target: "/books/12/a/b" });
  expect(matcher.matches(exchange)).toBe(true);
  const text =
    "{http.url_pattern.hostname.tenant} {http.url_pattern.pathname.id} {http.url_pattern.pathname.0}";
  expect(compileTemplate(text)(exchange)).toBe("acme 12 a/b");
});

test.each(["/(", "/r{/e:v}*", "/:id(a(?=b))", { pattern: "/a", base_url: "nonsense" }])(
  "%j is refused",
  async (config) => {
    await expect(provisionMatcher("url_pattern", config)).rejects.toThrow(/URL pattern|regular expression/);
  },
);

test("agrees with the platform's URLPattern", async () => {
  const part = fc.constantFrom("/a", "/:x", "/*", "{/b}?", "/c*", ":y?", "/:z+", "-", "/d:w");
  const piece = fc.constantFrom("/a", "/b", "/c", "/", "-", "d", "/e1", "x");
  await fc.assert(
    fc.asyncProperty(
      fc.array(part, { maxLength: 4 }),
      fc.array(piece, { maxLength: 6 }),
      async (parts, pieces) => {
        const pattern = `/r${parts.join("")}`;
        const target = `/r${pieces.join("")}`;
        fc.pre(!target.includes("//"));
        let platform: URLPattern;
        try {
          platform = new URLPattern({ pathname: pattern });
        } catch {
          return;
        }
        const matcher = await provisionMatcher("url_pattern", pattern);
        expect(matcher.matches(makeExchange({ target }))).toBe(platform.test({ pathname: target }));
      },
    ),
    { numRuns: 300 },
  );
});
