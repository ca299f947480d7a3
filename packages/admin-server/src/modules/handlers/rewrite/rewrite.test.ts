import fc from "fast-check";
import { expect, test } from "vitest";
import { setPlaceholder } from "../../../http/placeholders.ts";
import { makeExchange } from "../../../testing/make-exchange.ts";
import { provisionHandler } from "../../../testing/provision-module.ts";

async function rewritten(config: object, target: string): Promise<string> {
  const handler = await provisionHandler("rewrite", config);
  const exchange = makeExchange({ target });
  exchange.vars.set("v", "a b&c?d");
  setPlaceholder(exchange, "http.matchers.file.relative", "/ä %20?.txt");
  let seen = "";
  await handler.handle(exchange, (after) => {
    seen = `${after.method} ${after.target}`;
  });
  return seen;
}

test.each([
  [{ method: "post" }, "/", "POST /"],
  [{ method: "{http.request.header.x}{http.request.method}" }, "/", "GET /"],
  [{ uri: "/b" }, "/a?x=1", "GET /b?x=1"],
  [{ uri: "/b?" }, "/a?x=1", "GET /b"],
  [{ uri: "?y=2" }, "/a?x=1", "GET /a?y=2"],
  [{ uri: "/b?y=2" }, "/a?x=1", "GET /b?y=2"],
  [{ uri: "/b?{http.request.uri.query}&y=2" }, "/a?x=1&z=%20", "GET /b?x=1&z=%20&y=2"],
  [{ uri: "/b?{http.request.uri.query}&y=2" }, "/a", "GET /b?y=2"],
  [{ uri: "/b?v={http.vars.v}" }, "/a", "GET /b?v=a+b%26c%3Fd"],
  [{ uri: "/b#frag" }, "/a?x", "GET /b?x"],
  [{ uri: "/i{http.request.uri.path}" }, "/a%2fb%20c", "GET /i/a/b%20c"],
  [{ uri: "{http.matchers.file.relative}" }, "/a", "GET /%C3%A4%20%2520%3F.txt"],
  [{ uri: "/{http.vars.v}" }, "/a", "GET /a%20b&c?d"],
  [{ uri: "b" }, "/a", "GET /b"],
  [{ uri: "/100%" }, "/a", "GET /100%25"],
  [{ strip_path_prefix: "/a" }, "/a/b?x", "GET /b?x"],
  [{ strip_path_prefix: "a" }, "/A/b", "GET /b"],
  [{ strip_path_prefix: "/a" }, "/a", "GET /"],
  [{ strip_path_prefix: "/a" }, "/b/a", "GET /b/a"],
  [{ strip_path_prefix: "/a" }, "//a/b", "GET /b"],
  [{ strip_path_prefix: "/a b" }, "/a%20b/c", "GET /c"],
  [{ strip_path_prefix: "/a%2f" }, "/a%2F/c", "GET /c"],
  [{ strip_path_prefix: "/a%2fb" }, "/a/b/c", "GET /a/b/c"],
  [{ strip_path_suffix: ".html" }, "/a.HTML?x", "GET /a?x"],
  [{ strip_path_suffix: "/b" }, "/a/b", "GET /a"],
  [{ strip_path_suffix: "c" }, "/a%63", "GET /a"],
  [{ uri_substring: [{ find: "a", replace: "b" }] }, "/a/a?a=a", "GET /b/b?b=b"],
  [{ uri_substring: [{ find: "a", replace: "b", limit: 1 }] }, "/a/a?a=a", "GET /b/a?b=a"],
  [{ uri_substring: [{ find: "", replace: "b" }] }, "/a", "GET /a"],
  [{ path_regexp: [{ find: "/(\\w)/(\\w)", replace: "/$2/$1" }] }, "/a/b?x", "GET /b/a?x"],
  [{ path_regexp: [{ find: "/{2,}", replace: "/" }] }, "//a///b", "GET /a/b"],
  [{ query: { rename: [{ key: "a", val: "b" }] } }, "/?a=1&a=2&c", "GET /?b=1&b=2&c="],
  [{ query: { set: [{ key: "a", val: "9" }] } }, "/?a=1&a=2", "GET /?a=9"],
  [{ query: { add: [{ key: "a", val: "{http.request.method}" }] } }, "/?a=1", "GET /?a=1&a=GET"],
  [{ query: { replace: [{ key: "a", search: "1", replace: "2" }] } }, "/?a=11&b=1", "GET /?a=22&b=1"],
  [
    { query: { replace: [{ key: "*", search_regexp: "^(.)", replace: "$1$1" }] } },
    "/?a=x&b=y",
    "GET /?a=xx&b=yy",
  ],
  [{ query: { delete: ["a"] } }, "/?a=1&b=2", "GET /?b=2"],
  [{ query: { delete: ["a"] } }, "/?a=1", "GET /"],
  [
    { strip_path_prefix: "/api", uri_substring: [{ find: "x", replace: "y" }], method: "PUT" },
    "/api/x",
    "PUT /y",
  ],
])("%j on %s: %s", async (config, target, expected) => {
  expect(await rewritten(config, target)).toBe(expected);
});

test("the request line as sent is kept", async () => {
  const handler = await provisionHandler("rewrite", { uri: "/b", method: "PUT" });
  const exchange = makeExchange({ target: "/a?x" });
  await handler.handle(exchange, () => {});
  expect(exchange.original).toEqual({ method: "GET", rawPath: "/a", query: "?x" });
});

test("whatever a request brings, the target stays one line without blanks", async () => {
  const handler = await provisionHandler("rewrite", { uri: "/{http.vars.v}/x?q={http.vars.v}" });
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary" }), async (value) => {
      const exchange = makeExchange();
      exchange.vars.set("v", value.replaceAll("\0", ""));
      await handler.handle(exchange, () => {});
      expect(exchange.target).toMatch(/^\/[!-~]*$/);
    }),
  );
});

test.each([[{ path_regexp: [{ find: "(" }] }], [{ path_regexp: [{ find: "" }] }], [{ uri: 1 }]])(
  "%j is refused",
  async (config) => {
    await expect(provisionHandler("rewrite", config)).rejects.toThrow();
  },
);
