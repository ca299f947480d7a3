// The way of docs/access.md, "Behind a login". People sign in at an OpenID Connect provider, the package oidc-provider. The web
// server passes their groups on, and `tracing-query` gives them the roles of its access file. All are real processes.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  clientId,
  clientSecret,
  IdentityProvider,
} from "../../../server-modules/src/testing/identity-provider.ts";
import { eventually } from "../../src/expect.ts";
import { startWebServer, type WebServer } from "../proxy/web-server.ts";
import { openTracing, type TracingProcesses } from "./tracing-processes.ts";

const traceId = "a".repeat(32);
const folder = mkdtempSync(join(tmpdir(), "login-roles-"));
let tracing: TracingProcesses;
let provider: IdentityProvider;
let web: WebServer;

const access = `
marked-attributes: ["user.*"]
proxy: { addresses: [127.0.0.1, "::1"] }
grants:
  - { role: viewer, groups: [dev] }
  - { role: analyst, users: [lee@example.test] }
  - { role: admin, groups: [ops] }
`;

beforeAll(async () => {
  const file = join(folder, "access.yaml");
  writeFileSync(file, access);
  tracing = await openTracing({ query: ["--query.access-file", file, "--query.base-path", "/tracing"] });
  web = await startWebServer({});
  const site = `http://${web.address}`;
  provider = await IdentityProvider.start([site], ["/tracing/oidc/callback"]);
  await web.load({
    routes: [
      {
        match: [{ path: ["/tracing", "/tracing/*"] }],
        handle: [
          {
            handler: "oidc",
            ...{ issuer: provider.issuer, client_id: clientId, client_secret: clientSecret },
            base_path: "/tracing",
            headers: { "X-Forwarded-User": "email", "X-Forwarded-Groups": "groups" },
          },
          { handler: "reverse_proxy", upstreams: [{ dial: tracing.queryHttp }] },
        ],
      },
    ],
  });
  const attributes = [{ key: "user.id", value: { stringValue: "ann-the-customer" } }];
  const startTimeUnixNano = `${Date.now() - 1_000}000000`;
  const span = { traceId, spanId: "b".repeat(16), name: "login", startTimeUnixNano, attributes };
  const stored = await fetch(`http://${tracing.otlpHttp}/v1/traces`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      resourceSpans: [{ scopeSpans: [{ spans: [{ ...span, endTimeUnixNano: startTimeUnixNano }] }] }],
    }),
  });
  expect(stored.status).toBe(200);
}, 300_000);

afterAll(async () => {
  await web?.close();
  await provider?.close();
  await tracing?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Asks for a page. `fetch` would say that it is a script, and a script is not sent to a login. */
function visit(url: string, cookie: string): Promise<{ location: string | undefined; setCookie: string[] }> {
  const headers = { Accept: "text/html", ...(cookie === "" ? {} : { Cookie: cookie }) };
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, (answer) => {
      answer.resume();
      const { location, "set-cookie": setCookie = [] } = answer.headers;
      answer.on("end", () => resolve({ location, setCookie }));
    }).on("error", reject);
  });
}

/** Signs somebody in as a browser would. @returns the cookies of the site */
async function signIn(user: { sub: string; groups: readonly string[] }): Promise<string> {
  provider.user = { ...user, email: `${user.sub}@example.test`, email_verified: true };
  const jars = new Map<string, Map<string, string>>();
  let target = `http://${web.address}/tracing/`;
  for (let hops = 0; hops < 15; hops++) {
    const { origin } = new URL(target);
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    const Cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const { location, setCookie } = await visit(target, Cookie);
    for (const line of setCookie) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    if (location === undefined) {
      break;
    }
    target = new URL(location, target).href;
  }
  const own = jars.get(`http://${web.address}`) ?? new Map<string, string>();
  return [...own].map(([name, value]) => `${name}=${value}`).join("; ");
}

/** Asks the API through the web server. */
async function askAs(
  cookie: string,
  path: string,
  init: RequestInit & { headers?: Record<string, string> } = {},
): Promise<{ status: number; text: string }> {
  const headers = { ...init.headers, ...(cookie === "" ? {} : { Cookie: cookie }) };
  const answer = await fetch(`http://${web.address}/tracing/${path}`, { ...init, headers });
  return { status: answer.status, text: await answer.text() };
}

const trace = `api/traces/${traceId}`;
const search = `tempo/api/search?q=${encodeURIComponent('{ span.user.id = "ann-the-customer" }')}`;

test("the groups of a login decide what somebody sees, and may ask", async () => {
  const [viewer, analyst, admin] = [
    await signIn({ sub: "kim", groups: ["dev"] }),
    await signIn({ sub: "lee", groups: [] }),
    await signIn({ sub: "eve", groups: ["ops", "dev"] }),
  ];
  await eventually(async () => expect((await askAs(admin, trace)).status).toBe(200), 60_000);
  expect((await askAs(admin, trace)).text).toContain("ann-the-customer");
  expect((await askAs(admin, search)).status).toBe(200);
  for (const cookie of [viewer, analyst]) {
    const { status, text } = await askAs(cookie, trace);
    expect([status, text.includes("ann-the-customer"), text.includes("(hidden)")]).toEqual([
      200,
      false,
      true,
    ]);
    expect((await askAs(cookie, search)).status).toBe(403);
  }
  const statuses = [];
  for (const cookie of [viewer, analyst, admin]) {
    statuses.push((await askAs(cookie, `api/archive/${traceId}`, { method: "POST" })).status);
  }
  expect(statuses).toEqual([403, 200, 200]);
});

test("nobody passes without a login, without a grant, or with headers of their own", async () => {
  expect((await askAs("", trace)).status).toBe(401);
  const stranger = await signIn({ sub: "max", groups: ["sales"] });
  expect((await askAs(stranger, trace)).status).toBe(403);
  const kim = await signIn({ sub: "kim", groups: ["dev"] });
  for (const headers of [
    { "X-Forwarded-Groups": "ops" },
    { "x-forwarded-groups": "ops", "X-Forwarded-User": "eve@example.test" },
  ] as const) {
    expect((await askAs(stranger, trace, { headers })).status).toBe(403);
    expect((await askAs(kim, trace, { headers })).text).not.toContain("ann-the-customer");
  }
});
