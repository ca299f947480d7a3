import { expectEqual, expectIncludes } from "../expect.ts";
import type { Suite } from "../suite.ts";

interface AdminAnswer {
  readonly status: number;
  readonly etag: string;
  readonly text: string;
}

async function call(
  base: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<AdminAnswer> {
  const response = await fetch(base + path, {
    method,
    headers: {
      // fetch sends Sec-Fetch-Mode like a browser, so the admin API requires an Origin that it knows.
      Origin: base,
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return { status: response.status, etag: response.headers.get("etag") ?? "", text: await response.text() };
}

async function expectStatus(expected: number, ...args: Parameters<typeof call>): Promise<AdminAnswer> {
  const answer = await call(...args);
  expectEqual(answer.status, expected, `${args[1]} ${args[2]} (${answer.text.trim()})`);
  return answer;
}

const server = "/config/apps/http/servers/conformance";

/** Adds a server to the running configuration, calls `run`, and always restores the previous configuration. */
function inside(run: (base: string) => Promise<void>) {
  return async ({ admin }: { admin: string }) => {
    const before = (await call(admin, "GET", "/config/")).text;
    try {
      // An empty config has no parents for the server; PUT creates them.
      await call(admin, "DELETE", server);
      await expectStatus(200, admin, "PUT", server, {
        listen: ["127.0.0.1:0"],
        routes: [{ "@id": "conformance-route", handle: [{ handler: "static_response", body: "one" }] }],
      });
      await run(admin);
    } finally {
      if (before.trim() === "null") {
        await call(admin, "DELETE", "/config/");
      } else {
        await call(admin, "POST", "/load", before);
      }
    }
  };
}

/**
 * Cases for reading and changing the live configuration. Source: the admin API's specification, and observations of the
 * running public model.
 */
export const configTree: Suite = {
  name: "admin-api/config-tree",
  needs: ["admin"],
  cases: [
    {
      name: "any part is read by its path, with an Etag of path and hash",
      run: inside(async (base) => {
        const answer = await expectStatus(200, base, "GET", `${server}/routes/0/handle/0/body`);
        expectEqual(answer.text, '"one"\n', "body");
        expectEqual(
          /^"\/config\/apps\/http\/servers\/conformance\/routes\/0\/handle\/0\/body [0-9a-f]{16}"$/.test(
            answer.etag,
          ),
          true,
          answer.etag,
        );
      }),
    },
    {
      name: "PATCH replaces, PUT inserts, POST appends, DELETE removes",
      run: inside(async (base) => {
        await expectStatus(200, base, "PATCH", `${server}/routes/0/handle/0/body`, '"two"');
        await expectStatus(200, base, "PUT", `${server}/routes/0`, {
          handle: [{ handler: "static_response", body: "first" }],
        });
        await expectStatus(200, base, "POST", `${server}/routes`, {
          handle: [{ handler: "static_response", body: "last" }],
        });
        const routes = JSON.parse((await call(base, "GET", `${server}/routes`)).text) as {
          handle: { body: string }[];
        }[];
        expectEqual(
          routes.map((route) => route.handle[0]?.body),
          ["first", "two", "last"],
          "routes",
        );
        await expectStatus(200, base, "DELETE", `${server}/routes/0`);
        expectEqual(
          (await call(base, "GET", `${server}/routes/0/handle/0/body`)).text,
          '"two"\n',
          "after DELETE",
        );
      }),
    },
    {
      name: "an array is appended to element by element with /...",
      run: inside(async (base) => {
        const more = ["a", "b"].map((body) => ({ handle: [{ handler: "static_response", body }] }));
        await expectStatus(200, base, "POST", `${server}/routes/...`, more);
        const routes = JSON.parse((await call(base, "GET", `${server}/routes`)).text) as unknown[];
        expectEqual(routes.length, 3, "routes");
      }),
    },
    {
      name: "an object with @id is reached by it",
      run: inside(async (base) => {
        await expectStatus(200, base, "PATCH", "/id/conformance-route/handle/0/body", '"by id"');
        expectEqual((await call(base, "GET", `${server}/routes/0/handle/0/body`)).text, '"by id"\n', "body");
        await expectStatus(404, base, "GET", "/id/nobody");
      }),
    },
    {
      name: "If-Match with an old Etag answers 412 and changes nothing",
      run: inside(async (base) => {
        const path = `${server}/routes/0/handle/0/body`;
        const { etag } = await call(base, "GET", path);
        await expectStatus(200, base, "PATCH", path, '"two"', { "If-Match": etag });
        await expectStatus(412, base, "PATCH", path, '"three"', { "If-Match": etag });
        expectEqual((await call(base, "GET", path)).text, '"two"\n', "body");
      }),
    },
    {
      name: "a refused configuration names the field and leaves the old one running",
      run: inside(async (base) => {
        const before = (await call(base, "GET", "/config/")).text;
        const answer = await call(base, "POST", `${server}/routes`, {
          handle: [{ handler: "static_response", boddy: "typo" }],
        });
        expectEqual(answer.status >= 400, true, "refused");
        expectIncludes(answer.text, "boddy", "error");
        expectEqual((await call(base, "GET", "/config/")).text, before, "configuration");
      }),
    },
    ...(
      [
        ["PUT", `${server}/listen`, ["127.0.0.1:0"], 409, "key already exists: listen"],
        ["PATCH", `${server}/nothing`, [], 404, "key does not exist: nothing"],
        ["DELETE", `${server}/nothing`, undefined, 404, "key does not exist: nothing"],
        ["GET", `${server}/listen/9`, undefined, 400, "array index out of bounds: 9"],
        [
          "GET",
          `${server}/nothing/more`,
          undefined,
          400,
          "invalid traversal path at: config/apps/http/servers/conformance/nothing",
        ],
        ["OPTIONS", "/config/", undefined, 405, "method OPTIONS not allowed"],
      ] as const
    ).map(([method, path, body, status, text]) => ({
      name: `${method} ${path.replace(server, "…")} answers ${status}`,
      run: inside(async (base) => {
        const answer = await expectStatus(status, base, method, path, body);
        expectIncludes(answer.text, text, "error");
      }),
    })),
    {
      name: "a browser page of another site is refused",
      async run({ admin }) {
        const answer = await call(admin, "GET", "/config/", undefined, { Origin: "https://evil.example" });
        expectEqual(answer.status, 403, "status");
      },
    },
  ],
};
