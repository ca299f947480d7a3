import type { Exchange } from "http-engine/exchange";
import { makeAnswering } from "http-engine/testing/make-exchange";
import { expect, test } from "vitest";
import { provisionHandler } from "../../../../admin-server/src/testing/provision-module.ts";

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
  expect(made.body().toString()).toBe("sorry: 500 {http.intercept.header.x-kept}");
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

test.each(["", "abc", "42"])(
  "a status that a placeholder does not give (%j) is an error of the server",
  async (value) => {
    const status_code = `{http.request.header.X-Status}${value}`;
    await expect(intercepted([{ status_code }], answer(404, "body"))).rejects.toMatchObject({ status: 500 });
  },
);

const setsField = { handler: "headers", response: { set: { "X-New": ["1"] }, delete: ["Etag"] } };

test.each<[string, object[]]>([
  ["no routes", []],
  ["only a field", [{ handle: [setsField] }]],
  ["only variables", [{ handle: [{ handler: "vars", a: "b" }] }]],
  ["a route that does not match", [{ match: [{ path: ["/no"] }], handle: [{ handler: "static_response" }] }]],
])("routes that do not answer keep status and body: %s", async (_, routes) => {
  const made = await intercepted([{ routes }], answer(404, "text"));
  expect([made.status(), made.body().toString(), made.header("content-length")]).toEqual([404, "text", "4"]);
  expect(made.header("x-kept")).toBe("1");
  const isSet = JSON.stringify(routes).includes("X-New");
  expect([made.header("x-new"), made.header("etag")]).toEqual(isSet ? ["1", undefined] : [undefined, '"a"']);
});

test.each<[number, string, string, string | undefined]>([
  [403, "GET", "text", "4"],
  [204, "GET", "", undefined],
  [403, "HEAD", "", "0"],
])(
  "an answer of %d without a body to %s keeps the body that there was, if it may have one",
  async (...row) => {
    const [status, method, body, length] = row;
    const routes = [{ handle: [{ handler: "static_response", status_code: status }] }];
    const handler = await provisionHandler("intercept", { handle_response: [{ routes }] });
    const made = makeAnswering({ method });
    await handler.handle(made.exchange, answer(200, method === "HEAD" ? "" : "text"));
    expect([made.status(), made.body().toString(), made.header("content-length")]).toEqual([
      status,
      body,
      length,
    ]);
  },
);

test("a body that has begun is not waited for", async () => {
  const routes = [{ handle: [setsField] }];
  const handler = await provisionHandler("intercept", { handle_response: [{ routes }] });
  const made = makeAnswering();
  await handler.handle(made.exchange, async (exchange) => {
    exchange.responseHeaders.push("Content-Type", "text/event-stream");
    exchange.writeHead(200);
    let text = "";
    for (const event of ["data: 1\n\n", "data: 2\n\n", "data: 3\n\n"]) {
      text += event;
      if (!exchange.write(Buffer.from(event))) {
        await new Promise<void>((resolve) => exchange.onceDrain(resolve));
      }
      expect(made.body().toString()).toBe(text);
    }
    exchange.finish();
  });
  expect([made.header("x-new"), made.exchange.status]).toEqual(["1", 200]);
});

test("a body without an end is given up for the answer of the routes", async () => {
  const handler = await provisionHandler("intercept", { handle_response: [replace] });
  const made = makeAnswering();
  const cut = new Error("the client is gone");
  await handler.handle(made.exchange, async (exchange) => {
    exchange.writeHead(500);
    expect(exchange.write(Buffer.from("endless"))).toBe(false);
    await new Promise((_, reject) => {
      exchange.onceDrain(() => reject(new Error("is not asked for more")));
      setImmediate(() => setImmediate(() => reject(cut)));
    });
  });
  expect([made.status(), made.body().toString()]).toEqual([503, "sorry: 500 {http.intercept.header.x-kept}"]);
});

test("a body that breaks before the routes have answered fails", async () => {
  const handler = await provisionHandler("intercept", { handle_response: [{ routes: [] }] });
  const made = makeAnswering();
  const failing = handler.handle(made.exchange, async (exchange) => {
    exchange.writeHead(200);
    exchange.write(Buffer.from("half"));
    throw new Error("broke");
  });
  await expect(failing).rejects.toThrow("broke");
  await new Promise(setImmediate);
  expect(made.status()).toBe(0);
});

test("an error of the routes is that of the request", async () => {
  const routes = [{ handle: [{ handler: "error", status_code: 418 }] }];
  for (const pieces of [1, 2]) {
    const handler = await provisionHandler("intercept", { handle_response: [{ routes }] });
    const made = makeAnswering();
    const failing = handler.handle(made.exchange, async (exchange) => {
      exchange.writeHead(200);
      if (pieces === 2) {
        exchange.write(Buffer.from("half"));
        await new Promise((resolve) => exchange.onceDrain(() => resolve(undefined)));
      }
      exchange.finish("rest");
    });
    await expect(failing).rejects.toMatchObject({ status: 418 });
  }
});
