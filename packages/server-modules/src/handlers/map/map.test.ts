import { compileBodyTemplate } from "http-engine/placeholders";
import { makeExchange } from "http-engine/testing/make-exchange";
import { expect, test } from "vitest";
import { provisionHandler } from "../../../../admin-server/src/testing/provision-module.ts";

const config = {
  source: "{http.request.uri.path}",
  destinations: ["{first}", "{my.second}"],
  mappings: [
    { input: "/exact", outputs: ["one", 2] },
    { input: "/half", outputs: [null, "half"] },
    { input: "/method", outputs: ["{http.request.method}", true] },
    { input_regexp: "^/re/(?P<name>\\w+)", outputs: ["<$1>", "<$name>"] },
    { input_regexp: "^/h", outputs: ["later", "later"] },
  ],
  defaults: ["none", "{http.request.host}"],
};

test.each([
  ["/exact", "one 2"],
  ["/half", "later half"],
  ["/method", "GET true"],
  ["/re/abc", "<abc> <abc>"],
  ["/other", "none example.com"],
])("%s gives %s", async (target, expected) => {
  const handler = await provisionHandler("map", config);
  const exchange = makeExchange({ target });
  expect(compileBodyTemplate("{first}")(exchange)).toBe("{first}");
  await handler.handle(exchange, () => {});
  expect(compileBodyTemplate("{first} {my.second}")(exchange)).toBe(expected);
});

test("a placeholder in a captured group is the client's text, and stays text", async () => {
  const handler = await provisionHandler("map", {
    source: "{http.request.header.X}",
    destinations: ["{a}"],
    mappings: [{ input_regexp: "(.*)", outputs: ["<$1>"] }],
  });
  const exchange = makeExchange({ headers: ["X", "{http.request.host}"] });
  await handler.handle(exchange, () => {});
  expect(compileBodyTemplate("{a}")(exchange)).toBe("<{http.request.host}>");
});

test.each([
  [{ destinations: ["{a}"], mappings: [{ input: "x", outputs: [] }] }, "mapping has 0 outputs"],
  [{ destinations: ["a"] }, "destination must be a placeholder"],
  [{ destinations: ["{a}"], defaults: ["1", "2"] }, "2 defaults but there are 1 destinations"],
  [
    { destinations: ["{a}"], mappings: [{ input: "x", input_regexp: "x", outputs: [1] }] },
    "cannot have both",
  ],
  [{ destinations: ["{a}"], mappings: [{ input_regexp: "(", outputs: [1] }] }, "regular expression"],
  [
    {
      destinations: ["{a}"],
      mappings: [
        { input: "/x", outputs: [1] },
        { input: "/x", outputs: [2] },
      ],
    },
    "duplicate input",
  ],
])("%j is refused", async (wrong, message) => {
  await expect(provisionHandler("map", wrong)).rejects.toThrow(message);
});
