import fc from "fast-check";
import { setPlaceholder } from "http-engine/placeholders";
import { makeExchange } from "http-engine/testing/make-exchange";
import { expect, test } from "vitest";
import { provisionHandler } from "../../../../admin-server/src/testing/provision-module.ts";

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
  [{ uri: "/n{http.request.uri.path}" }, "/a#b\\c", "GET /n/a%23b%5Cc"],
  [{ uri: "/n{http.request.uri}" }, "/a#b?c={d}&&e=", "GET /n/a%23b?c=%7Bd%7D&e"],
  [{ uri: "/n{http.request.uri}" }, "/\xff%2f?", "GET /n/%FF/?"],
  [{ uri: "/n{http.request.uri.path.0}" }, "/a%23b%3fc=d", "GET /na"],
  // Dot segments from a client do not lead out of the folder that a rewrite puts in front of the path.
  [{ uri: "/public{http.request.uri}" }, "/../private?x", "GET /public/private?x"],
  [{ uri: "/public{http.request.uri.path}" }, "/a/..%2f../private", "GET /public/private"],
  [{ uri: "/public{http.request.uri}" }, "/a/../b", "GET /public/a/../b"],
  [{ uri: "{http.request.uri}" }, "/../a", "GET /../a"],
  [{ uri: "/100%" }, "/a", "GET /100%25"],
  [{ strip_path_prefix: "/a" }, "/a/b?x", "GET /b?x"],
  [{ strip_path_prefix: "a" }, "/A/b", "GET /b"],
  [{ strip_path_prefix: "/a" }, "/a", "GET /"],
  [{ strip_path_prefix: "/a" }, "/b/a", "GET /b/a"],
  [{ strip_path_prefix: "/a" }, "/a%2Fb", "GET /b"],
  [{ strip_path_prefix: "/a" }, "//a/b", "GET /b"],
  [{ strip_path_prefix: "/a b" }, "/a%20b/c", "GET /c"],
  [{ strip_path_prefix: "/a%2f" }, "/a%2F/c", "GET /c"],
  [{ strip_path_prefix: "/a%2fb" }, "/a/b/c", "GET /a/b/c"],
  [{ strip_path_prefix: "/a" }, "/a%2e%2e/private", "GET /private"],
  [{ strip_path_prefix: "/a" }, "/a..%2fprivate", "GET /private"],
  [{ strip_path_prefix: "/a" }, "/a/x/%2E%2e/b", "GET /b"],
  [{ strip_path_prefix: "/a" }, "/a/b%2fc", "GET /b%2fc"],
  [{ strip_path_prefix: "/a" }, "/a%2fb%2fc", "GET /b/c"],
  [{ strip_path_prefix: "/a%2" }, "/a%252/b", "GET /b"],
  [{ strip_path_prefix: "/a" }, "//x//y", "GET /x/y"],
  [{ strip_path_prefix: "/café" }, "/CAF%C3%89/x", "GET /x"],
  [{ strip_path_prefix: "/café" }, "/caf\xc3\xa9/x", "GET /x"],
  [{ strip_path_prefix: "/é" }, "/%C3", "GET /%C3"],
  [{ strip_path_prefix: "/a%" }, "/a%25b", "GET /b"],
  [{ strip_path_suffix: "/%2e" }, "/a/%2e", "GET /a"],
  [{ strip_path_suffix: "é" }, "/a%c3%a9", "GET /a"],
  [{ strip_path_suffix: ".html" }, "/a.HTML?x", "GET /a?x"],
  [{ strip_path_suffix: "/b" }, "/a/b", "GET /a"],
  [{ strip_path_suffix: "c" }, "/a%63", "GET /a"],
  [{ uri_substring: [{ find: "a", replace: "b" }] }, "/a/a?a=a", "GET /b/b?b=b"],
  [{ uri_substring: [{ find: "a", replace: "b", limit: 1 }] }, "/a/a?a=a", "GET /b/a?b=a"],
  [{ uri_substring: [{ find: "", replace: "b" }] }, "/a", "GET /a"],
  [{ uri_substring: [{ find: "a", replace: "é #?" }] }, "/a%2f?a", "GET /%C3%A9%20%23%3F/?%C3%A9%20%23?"],
  [{ path_regexp: [{ find: "/(\\w)/(\\w)", replace: "/$2/$1" }] }, "/a/b?x", "GET /b/a?x"],
  [{ path_regexp: [{ find: "/{2,}", replace: "/" }] }, "//a///b", "GET /a/b"],
  // A change that leaves a bad escape is made to the decoded path.
  [{ path_regexp: [{ find: "[A-Z]", replace: "x" }] }, "/Ab%2Bc", "GET /xb+c"],
  [{ path_regexp: [{ find: "[A-Z]", replace: "x" }] }, "/caf%C3%A9/B", "GET /caf%C3%A9/x"],
  [{ uri_substring: [{ find: "a", replace: "" }] }, "/a%2fa%3a", "GET //:"],
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
  [{ query: { delete: ["a"] } }, "/?", "GET /?"],
  [{ query: { delete: [""] } }, "/?=1&a=1", "GET /?=1&a=1"],
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
  expect(exchange.original).toMatchObject({ method: "GET", target: { rawPath: "/a", query: "?x" } });
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
