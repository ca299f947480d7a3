import type { Exchange } from "http-engine/exchange";
import { makeAnswering } from "http-engine/testing/make-exchange";
import { expect, test } from "vitest";
import { provisionHandler } from "../../../../admin-server/src/testing/provision-module.ts";

async function run(config: object, answer: (exchange: Exchange) => void, headers: readonly string[] = []) {
  const handler = await provisionHandler("headers", config);
  const made = makeAnswering({ headers });
  await handler.handle(made.exchange, answer);
  return made;
}

test("the host stays over HTTP/2, where it is in no field, and can be changed there", async () => {
  const changed = async (request: object) => {
    const handler = await provisionHandler("headers", { request });
    const { exchange } = makeAnswering();
    exchange.requestHeaders = ["x-a", "1"];
    await handler.handle(exchange, () => {});
    return [exchange.hostport, exchange.requestHeaders];
  };
  expect(await changed({ set: { "X-B": ["2"] } })).toEqual(["example.com", ["x-a", "1", "X-B", "2"]]);
  expect(await changed({ replace: { Host: [{ search: "example", replace: "other" }] } })).toEqual([
    "other.com",
    ["x-a", "1"],
  ]);
});

test("the host of an absolute target stays, and is what `Host` says", async () => {
  const handler = await provisionHandler("headers", { request: { set: { "X-B": ["2"] } } });
  const { exchange } = makeAnswering({ target: "http://a.test/x", headers: [], host: "b.test" });
  expect([exchange.hostport, exchange.header("host")]).toEqual(["a.test", "a.test"]);
  await handler.handle(exchange, () => {});
  expect([exchange.hostport, exchange.header("host")]).toEqual(["a.test", "a.test"]);
  for (const host of ["bad host", "a.test:80.", "a.test:80:80", "[::1"]) {
    expect(() => makeAnswering({ target: "http://a.test/", host })).toThrow("malformed Host");
    expect(() => makeAnswering({ host })).toThrow("malformed Host");
  }
});

test("a value of several lines is one line, and what can be no field is left out", async () => {
  const { header } = await run(
    { response: { set: { "X-Policy": ["a;\n\tb"], "": ["x"] }, add: { "X A": ["y"] } } },
    (exchange) => exchange.respond(200),
  );
  expect([header("x-policy"), header(""), header("x a")]).toEqual(["a; \tb", undefined, undefined]);
});

test("a regular expression finds characters of UTF-8, and blanks at the ends of a replacement count", async () => {
  const { header } = await run(
    {
      response: {
        deferred: true,
        replace: {
          "X-Name": [{ search_regexp: "^(.)(ü)", replace: "$1[$2]" }],
          "X-Old": [{ search_regexp: "(n)$", replace: "<$1> ä" }],
          "X-List": [{ search: ";", replace: "; " }],
          "X-End": [{ search: "b", replace: "  " }],
        },
      },
    },
    (exchange) => {
      exchange.responseHeaders.push(
        "X-Name",
        "J\xc3\xbcrgen",
        "X-Old",
        "J\xfcrgen",
        "X-List",
        "a;b",
        "X-End",
        "ab",
      );
      exchange.respond(200);
    },
  );
  expect([header("x-name"), header("x-old"), header("x-list"), header("x-end")]).toEqual([
    "J[\xc3\xbc]rgen",
    "J\xfcrge<n> \xc3\xa4",
    "a; b",
    "a",
  ]);
});

test("changes the request's fields in the order add, set, delete, replace", async () => {
  await run(
    {
      request: {
        add: { "X-Add": ["{http.request.method}"] },
        set: { "X-Set": ["new"] },
        delete: ["X-Gone", "*-Secret", "Pre-*", "*mid*"],
        replace: {
          "X-Text": [{ search: "a", replace: "b" }],
          "X-Re": [{ search_regexp: "(\\d+)", replace: "<$1>" }],
        },
      },
    },
    (exchange) => {
      expect(exchange.requestHeaders).toEqual([
        "Host",
        "example.com",
        "X-Text",
        "bbn",
        "X-Re",
        "n<12>",
        "X-Add",
        "GET",
        "X-Set",
        "new",
      ]);
      expect(exchange.stream.headers).toContain("X-Gone");
      exchange.respond(200);
    },
    [
      "X-Set",
      "old",
      "X-Gone",
      "1",
      "My-Secret",
      "2",
      "Pre-x",
      "3",
      "a-mid-b",
      "4",
      "X-Text",
      "aan",
      "X-Re",
      "n12",
    ],
  );
});

test("Host is a field of the request", async () => {
  await run({ request: { set: { Host: ["other.example:81"] } } }, (exchange) => {
    expect([exchange.hostport, exchange.host]).toEqual(["other.example:81", "other.example"]);
    exchange.respond(200);
  });
});

test("the star deletes all fields and replaces in all", async () => {
  const made = await run(
    {
      response: {
        delete: ["*"],
        set: { "X-A": ["a1"], "X-B": ["a2"] },
        replace: { "*": [{ search: "a", replace: "z" }] },
      },
    },
    (exchange) => exchange.respond(200),
  );
  expect([made.header("server"), made.header("x-a"), made.header("x-b")]).toEqual([undefined, "z1", "z2"]);
});

test("response fields are set at once, or when the head is sent", async () => {
  const answer = (exchange: Exchange) => {
    exchange.responseHeaders.push("X", "handler");
    exchange.respond(404);
  };
  expect((await run({ response: { set: { X: ["a"] } } }, answer)).exchange.responseHeaders).toEqual([
    "Server",
    "server",
    "X",
    "a",
    "X",
    "handler",
  ]);
  expect((await run({ response: { deferred: true, set: { X: ["a"] } } }, answer)).header("x")).toBe("a");
});

test.each([
  [{ status_code: [4] }, "a"],
  [{ status_code: [200] }, undefined],
  [{ headers: { Y: null } }, "a"],
  [{ headers: { Z: ["1*"] } }, "a"],
  [{ headers: { Z: null } }, undefined],
])("require %j", async (require, expected) => {
  const made = await run({ response: { require, set: { X: ["a"] } } }, (exchange) => {
    exchange.responseHeaders.push("Z", "12");
    exchange.respond(404);
  });
  expect(made.header("x")).toBe(expected);
});

test("a pattern may come from a placeholder", async () => {
  const replace = { X: [{ search_regexp: "^{http.vars.p}", replace: "-" }] };
  const handler = await provisionHandler("headers", { request: { replace } });
  const { exchange } = makeAnswering({ headers: ["X", "abc"] });
  exchange.vars.set("p", "[ab]+");
  await handler.handle(exchange, () => {});
  expect(exchange.header("x")).toBe("-c");
});

test.each([
  [{ request: { replace: { X: [{ search: "a", search_regexp: "b" }] } } }, "cannot specify both"],
  [{ request: { replace: { X: [{ search_regexp: "(" }] } } }, "regular expression"],
])("%j is refused", async (config, message) => {
  await expect(provisionHandler("headers", config)).rejects.toThrow(message);
});
