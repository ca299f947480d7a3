import { HttpError } from "http-engine/http-error";
import { makeAnswering } from "http-engine/testing/make-exchange";
import { expect, test } from "vitest";
import { provisionHandler } from "../../../../admin-server/src/testing/provision-module.ts";

test.each([
  [{}, 200, "", undefined],
  [{ body: "hi" }, 200, "hi", "text/plain; charset=utf-8"],
  [{ body: '{"a":[1]}' }, 200, '{"a":[1]}', "application/json"],
  [{ body: " [1, 2]\n" }, 200, " [1, 2]\n", "application/json"],
  [{ body: "{nope" }, 200, "{nope", "text/plain; charset=utf-8"],
  [{ body: "{http.request.method} {unknown}" }, 200, "GET {unknown}", "text/plain; charset=utf-8"],
  [{ body: "hi", headers: { "Content-Type": ["a/b"] } }, 200, "hi", "a/b"],
  [{ body: "hi", headers: { "content-type": null } }, 200, "hi", "text/plain; charset=utf-8"],
  [{ status_code: "404" }, 404, "", undefined],
  [{ status_code: "{http.vars.code}" }, 222, "", undefined],
  [{ status_code: 204 }, 204, "", undefined],
])("%j", async (config, status, body, type) => {
  const handler = await provisionHandler("static_response", config);
  const made = makeAnswering();
  made.exchange.vars.set("code", 222);
  await handler.handle(made.exchange, () => {});
  expect([made.status(), made.body().toString(), made.header("content-type")]).toEqual([status, body, type]);
  expect(made.header("content-length")).toBe(status === 204 ? undefined : String(body.length));
});

test("a type that is empty is none", async () => {
  const handler = await provisionHandler("static_response", { body: "hi" });
  const made = makeAnswering();
  made.exchange.responseHeaders.push("Content-Type", "");
  await handler.handle(made.exchange, () => {});
  expect(made.header("content-type")).toBe("text/plain; charset=utf-8");
});

test("a body keeps bytes of the path that are no UTF-8", async () => {
  const handler = await provisionHandler("static_response", {
    body: "{http.request.uri.path} {http.request.uri}",
  });
  const made = makeAnswering({ target: "/\xff\xc3\xa9#" });
  await handler.handle(made.exchange, () => {});
  expect(made.body().toString("latin1")).toBe("/\xff\xc3\xa9# /%FF%C3%A9%23");
});

test("in error routes the status is that of the error", async () => {
  const handler = await provisionHandler("static_response", { body: "sorry" });
  const made = makeAnswering();
  made.exchange.error = new HttpError(503);
  await handler.handle(made.exchange, () => {});
  expect(made.status()).toBe(503);
});

test("103 sends hints and goes on", async () => {
  const handler = await provisionHandler("static_response", {
    status_code: 103,
    headers: { Link: ["</a>"] },
  });
  const made = makeAnswering();
  await handler.handle(made.exchange, (exchange) => exchange.respond(200, "then"));
  expect([made.status(), made.body().toString()]).toEqual([200, "then"]);
});

test.each([{ status_code: 99 }, { status_code: "x" }, { status_code: 1000 }])(
  "%j is refused",
  async (config) => {
    await expect(provisionHandler("static_response", config)).rejects.toThrow("is not a final status");
  },
);
