import { expect, test } from "vitest";
import type { Exchange } from "../../../http/exchange.ts";
import { makeAnswering } from "../../../testing/make-exchange.ts";
import { provisionHandler } from "../../../testing/provision-module.ts";

const answer = (status: number, body: string) => (exchange: Exchange) => {
  exchange.responseHeaders.push(
    "Content-Length",
    String(body.length),
    "Content-Type",
    "text/plain",
    "Etag",
    '"a"',
    "X-Kept",
    "1",
  );
  exchange.respond(status, body);
};

async function intercepted(rules: object[], next: (exchange: Exchange) => void | Promise<void>) {
  const handler = await provisionHandler("intercept", { handle_response: rules });
  const made = makeAnswering();
  await handler.handle(made.exchange, next);
  return made;
}

const replace = {
  match: { status_code: [5] },
  routes: [
    {
      handle: [
        {
          handler: "static_response",
          status_code: 503,
          body: "sorry: {http.intercept.status_code} {http.intercept.header.x-kept}",
        },
      ],
    },
  ],
};

test("a response that matches is replaced, with its own length", async () => {
  const made = await intercepted([replace], answer(502, "a long technical text"));
  expect([made.status(), made.body().toString()]).toEqual([503, "sorry: 502 1"]);
  expect([made.header("content-length"), made.header("etag"), made.header("x-kept")]).toEqual([
    "12",
    undefined,
    "1",
  ]);
});

test("its fields have names in any case, and all their values", async () => {
  const made = await intercepted(
    [
      {
        match: { status_code: [4] },
        routes: [
          {
            handle: [
              {
                handler: "static_response",
                body: "{http.intercept.header.X-Two} {http.intercept.header.x-two}",
              },
            ],
          },
        ],
      },
    ],
    (exchange) => {
      exchange.responseHeaders.push("X-Two", "1", "X-Two", "2");
      exchange.respond(404);
    },
  );
  expect(made.body().toString()).toBe("1,2 1,2");
});

test("one in pieces too", async () => {
  const made = await intercepted([replace], async (exchange) => {
    exchange.writeHead(500);
    exchange.write(Buffer.from("a"));
    await new Promise(setImmediate);
    exchange.finish("b");
  });
  expect(made.body().toString()).toBe("sorry: 500 ");
});

test("others pass", async () => {
  const made = await intercepted([replace], answer(200, "fine"));
  expect([made.status(), made.body().toString(), made.header("etag")]).toEqual([200, "fine", '"a"']);
});

test("only the status may be replaced; the first rule counts", async () => {
  const made = await intercepted(
    [{ match: { headers: { "X-Kept": ["1"] } }, status_code: "404" }, replace],
    answer(502, "body"),
  );
  expect([made.status(), made.body().toString()]).toEqual([404, "body"]);
});

test("routes that do not answer leave the status", async () => {
  const made = await intercepted([{ routes: [] }], answer(404, "secret"));
  expect([made.status(), made.body().toString(), made.header("content-length")]).toEqual([404, "", "0"]);
});
