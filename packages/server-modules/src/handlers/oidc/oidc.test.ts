import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { ask, type HttpAnswer } from "server-core/testing/ask";
import { freePorts } from "server-core/testing/free-ports";
import { UpstreamServer } from "server-core/testing/upstream-server";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { RunningServer } from "../../../../admin-server/src/testing/running-server.ts";
import { clientId, clientSecret, IdentityProvider } from "../../testing/identity-provider.ts";

let running: RunningServer;
let provider: IdentityProvider;
let site: string;
beforeAll(async () => {
  const [port = 0] = await freePorts(1);
  site = `http://127.0.0.1:${port}`;
  provider = await IdentityProvider.start([site], ["/oidc/callback", "/ui/oidc/callback"]);
  running = await RunningServer.start(null, {}, 2);
});
afterAll(async () => {
  await running.close();
  await provider.close();
});
beforeEach(() => {
  provider.user = { sub: "ann", email: "ann@example.test", email_verified: true, groups: ["ops", "dev"] };
  provider.tokenLifetimeS = 3600;
  provider.refusesRefresh = false;
  provider.grants.length = 0;
});

/** Loads a site that requires a login. The site answers with the user and the fields of the request after the login. */
function load(handler: object = {}, before: object[] = []) {
  const { host } = new URL(site);
  const shown =
    "{http.auth.user.id} {http.auth.user.groups} user={http.request.header.X-User} cookies={http.request.header.Cookie}";
  const guard = {
    handler: "oidc",
    issuer: provider.issuer,
    client_id: clientId,
    client_secret: clientSecret,
  };
  return running.admin("POST", "/load", {
    apps: {
      http: {
        servers: {
          s: {
            listen: [host],
            routes: [
              {
                handle: [
                  ...before,
                  { ...guard, headers: { "X-User": "email" }, ...handler },
                  { handler: "static_response", body: `${shown} {http.request.uri}` },
                ],
              },
            ],
          },
        },
      },
    },
  });
}

/** The parts of a browser that a login needs: cookies by host, and redirects. */
class Browser {
  readonly jar = new Map<string, Map<string, string>>();
  /** `Set-Cookie` values that came. */
  readonly set: string[] = [];

  async ask(url: string, headers: Record<string, string> = {}, method = "GET"): Promise<HttpAnswer> {
    const { origin, pathname } = new URL(url);
    const cookies = this.jar.get(origin) ?? new Map<string, string>();
    this.jar.set(origin, cookies);
    const sent = [...cookies]
      .filter(([name]) => pathname.startsWith(this.#paths.get(`${origin} ${name}`) ?? "/"))
      .map(([name, value]) => `${name}=${value}`);
    const answer = await ask(url, {
      method,
      headers: { Accept: "text/html", ...(sent.length > 0 ? { Cookie: sent.join("; ") } : {}), ...headers },
    });
    for (const line of answer.headers["set-cookie"] ?? []) {
      this.set.push(line);
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.#paths.set(`${origin} ${name}`, /path=([^;]+)/i.exec(line)?.[1] ?? "/");
      if (/max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) {
        cookies.delete(name);
      } else {
        cookies.set(name, value);
      }
    }
    return answer;
  }

  /** Follows redirects. @returns the last answer, and all addresses on the way */
  async visit(url: string): Promise<HttpAnswer & { readonly way: string[] }> {
    const way: string[] = [];
    for (let target = url; ; ) {
      const answer = await this.ask(target);
      way.push(target);
      const { location } = answer.headers;
      if (answer.status < 300 || answer.status > 399 || location === undefined || way.length > 15) {
        return { ...answer, way };
      }
      target = new URL(location, target).href;
    }
  }

  readonly #paths = new Map<string, string>();

  cookies(origin = site): Map<string, string> {
    return this.jar.get(origin) ?? new Map();
  }
}

async function signedIn(): Promise<Browser> {
  const browser = new Browser();
  expect((await browser.visit(`${site}/`)).status).toBe(200);
  return browser;
}

describe("a login", () => {
  beforeAll(() => load());

  test("leads over the provider back to what was asked for, and says who it is", async () => {
    const browser = new Browser();
    const first = await browser.ask(`${site}/search?q=1&x=%2F`);
    const login = new URL(first.headers.location ?? "");
    expect([first.status, login.origin, first.headers["cache-control"]]).toEqual([
      302,
      provider.issuer,
      "no-store",
    ]);
    expect(Object.fromEntries(login.searchParams)).toMatchObject({
      response_type: "code",
      client_id: clientId,
      redirect_uri: `${site}/oidc/callback`,
      scope: "openid profile email",
      code_challenge_method: "S256",
      state: expect.stringMatching(/^.{40,}$/),
      nonce: expect.stringMatching(/^.{40,}$/),
    });
    const answer = await browser.visit(`${site}/search?q=1&x=%2F`);
    expect(answer.way.at(-1)).toBe(`${site}/search?q=1&x=%2F`);
    expect(answer.text).toBe("ann ops,dev user=ann@example.test cookies= /search?q=1&x=%2F");
    expect(provider.grants).toEqual(["authorization_code"]);
    expect((await browser.ask(`${site}/more`)).text).toContain("ann ops,dev");
  });

  test("is kept in a sealed cookie that scripts cannot read, and in nothing else", async () => {
    const browser = await signedIn();
    const set = browser.set.filter((line) => line.startsWith("oidc="));
    expect(set).toEqual([
      expect.stringMatching(/^oidc=[\w.-]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/),
    ]);
    expect([...browser.cookies().keys()].filter((name) => name.startsWith("oidc_login"))).toHaveLength(0);
    const [header = ""] = (browser.cookies().get("oidc") ?? "").split(".");
    expect(JSON.parse(Buffer.from(header, "base64url").toString())).toMatchObject({
      alg: "dir",
      enc: "A256GCM",
    });
    for (const spoiled of [
      (text: string) =>
        text.replace(/\.(.)([^.]*)$/, (_, first, rest) => `.${first === "A" ? "B" : "A"}${rest}`),
      (text: string) => text.replace(/^[^.]+/, Buffer.from('{"alg":"none"}').toString("base64url")),
      () => "x",
    ]) {
      const cookies = browser.cookies();
      const before = cookies.get("oidc") ?? "";
      cookies.set("oidc", spoiled(before));
      expect((await browser.ask(`${site}/`)).status).toBe(302);
      cookies.set("oidc", before);
    }
  });

  test("is not demanded of programs: they get 401", async () => {
    for (const headers of [
      { Accept: "application/json" },
      { Accept: "text/html", "X-Requested-With": "XMLHttpRequest" },
      { Accept: "text/html", "Sec-Fetch-Mode": "cors" },
    ]) {
      const answer = await ask(`${site}/api/traces`, { headers });
      expect([answer.status, answer.headers["www-authenticate"], answer.headers.location]).toEqual([
        401,
        'Bearer realm="oidc"',
        undefined,
      ]);
    }
    expect((await new Browser().ask(`${site}/`, {}, "POST")).status).toBe(401);
  });

  test("does not believe what clients say of themselves", async () => {
    const browser = await signedIn();
    expect((await browser.ask(`${site}/`, { "X-User": "root@example.test" })).text).toContain(
      "user=ann@example.test",
    );
    expect((await ask(`${site}/`, { headers: { "X-User": "root@example.test" } })).status).toBe(401);
  });

  test.each(["//elsewhere.example/x", "/\\elsewhere.example", "/%5C%5Celsewhere.example"])(
    "does not lead elsewhere afterwards: %s",
    async (target) => {
      const browser = new Browser();
      const first = await ask(site, { target, headers: { Accept: "text/html" } });
      for (const line of first.headers["set-cookie"] ?? []) {
        const [name = "", value = ""] = line.split(";")[0]?.split("=") ?? [];
        browser.jar.set(site, new Map([[name, value]]));
      }
      const answer = await browser.visit(first.headers.location ?? "");
      expect(new URL(answer.way.at(-1) ?? "").origin).toBe(site);
    },
  );

  test("must end in the browser in which it began, once", async () => {
    const [browser, other] = [new Browser(), new Browser()];
    const { headers } = await browser.ask(`${site}/`);
    let back = headers.location ?? "";
    while (!back.startsWith(site)) {
      back = new URL((await browser.ask(back)).headers.location ?? "", back).href;
    }
    expect((await other.ask(back)).status).toBe(400);
    expect((await browser.ask(`${back}x`)).status).not.toBe(302);
    expect((await browser.ask(`${site}/oidc/callback`)).status).toBe(400);
    expect((await browser.ask(`${site}/oidc/callback?state=x&code=y`)).status).toBe(400);
  });

  test("does not end, and no session either, before the handshake of the client is done", async () => {
    const browser = new Browser();
    const headers = { "Early-Data": "1" };
    for (const path of ["/oidc/callback?state=x&code=y", "/oidc/logout"]) {
      expect((await browser.ask(`${site}${path}`, headers)).status).toBe(425);
    }
    expect((await browser.ask(`${site}/`, headers)).status).toBe(302);
  });

  test("that the provider refuses ends with its reason", async () => {
    const browser = new Browser();
    const { headers } = await browser.ask(`${site}/`);
    const state = new URL(headers.location ?? "").searchParams.get("state");
    const query = new URLSearchParams({ state: state ?? "", error: "access_denied", iss: provider.issuer });
    expect((await browser.ask(`${site}/oidc/callback?${query}`)).status).toBe(403);
  });

  test("begun in many tabs leaves few cookies behind", async () => {
    const browser = new Browser();
    for (let tab = 0; tab < 12; tab++) {
      await browser.ask(`${site}/${tab}`);
    }
    expect(browser.cookies().size).toBeLessThanOrEqual(5);
  });

  test("ends by a logout, here and at the provider", async () => {
    const browser = await signedIn();
    expect((await browser.ask(`${site}/oidc/logout`, { "Sec-Fetch-Site": "cross-site" })).status).toBe(403);
    const answer = await browser.ask(`${site}/oidc/logout`);
    const target = new URL(answer.headers.location ?? "");
    expect([answer.status, target.origin, target.searchParams.get("post_logout_redirect_uri")]).toEqual([
      302,
      provider.issuer,
      `${site}/`,
    ]);
    expect(target.searchParams.get("id_token_hint")).toMatch(/^[\w.-]+$/);
    expect(await provider.revocation.promise).toEqual({
      token: expect.stringMatching(/./),
      kind: "refresh_token",
    });
    expect(browser.cookies().size).toBe(0);
    expect((await browser.ask(`${site}/`)).status).toBe(302);
    expect((await new Browser().ask(`${site}/oidc/logout`)).headers.location).toBe("/");
  });
});

describe("who is let in", () => {
  test.each<[object[], object, number]>([
    [[{ claim: "groups", values: ["ops"] }], {}, 200],
    [[{ claim: "groups", values: ["admins"] }], {}, 403],
    [[{ claim: "email", values: ["*@example.test"] }], {}, 200],
    [[{ claim: "email", values: ["*@example.test"] }], { email: "ann@example.test.evil.example" }, 403],
    [[{ claim: "email", values: ["*@example.test"] }], { email_verified: false }, 403],
    [
      [
        { claim: "groups", values: ["ops"] },
        { claim: "sub", values: ["bob"] },
      ],
      {},
      403,
    ],
  ])("by %j, with %j: %d", async (allow, claims, status) => {
    expect((await load({ allow })).error).toBe("");
    provider.user = { ...provider.user, ...claims };
    expect((await new Browser().visit(`${site}/`)).status).toBe(status);
  });
});

describe("tokens", () => {
  test("are renewed by one request of many, and the session goes on", async () => {
    await load();
    provider.tokenLifetimeS = 1;
    const browser = await signedIn();
    provider.grants.length = 0;
    provider.tokenLifetimeS = 3600;
    provider.user = { ...provider.user, groups: ["late"] };
    const cookie = { Cookie: `oidc=${browser.cookies().get("oidc")}`, Connection: "close" };
    const answers = await Promise.all(Array.from({ length: 8 }, () => new Browser().ask(`${site}/`, cookie)));
    expect(answers.map(({ status, text }) => [status, text.split(" ")[1]])).toEqual(
      answers.map(() => [200, "late"]),
    );
    expect(provider.grants).toEqual(["refresh_token"]);
    expect(answers[0]?.headers["set-cookie"]?.[0]).toMatch(/^oidc=/);
  });

  test("that cannot be renewed any more end the session", async () => {
    await load();
    provider.tokenLifetimeS = 1;
    const browser = await signedIn();
    provider.refusesRefresh = true;
    expect((await browser.ask(`${site}/`)).status).toBe(302);
  });

  test("go to what comes after only where that is wanted", async () => {
    const upstream = await UpstreamServer.start((request, response) => {
      response.end(request.headers.authorization ?? "none");
    });
    const proxy = { handler: "reverse_proxy", upstreams: [{ dial: upstream.address }] };
    for (const [wanted, expected] of [
      [true, /^Bearer \S+$/],
      [false, /^none$/],
    ] as const) {
      const { host } = new URL(site);
      const guard = {
        handler: "oidc",
        issuer: provider.issuer,
        client_id: clientId,
        client_secret: clientSecret,
      };
      await running.admin("POST", "/load", {
        apps: {
          http: {
            servers: {
              s: { listen: [host], routes: [{ handle: [{ ...guard, pass_access_token: wanted }, proxy] }] },
            },
          },
        },
      });
      expect((await new Browser().visit(`${site}/`)).text).toMatch(expected);
    }
    await upstream.kill();
  });
});

describe("the config", () => {
  test("may put all of it below a base path, before which a prefix is stripped or not", async () => {
    expect((await load({ base_path: "/ui" }, [{ handler: "rewrite", strip_path_prefix: "/ui" }])).error).toBe(
      "",
    );
    const browser = new Browser();
    const answer = await browser.visit(`${site}/ui/search?q=1`);
    expect([answer.way.at(-1), answer.text]).toEqual([
      `${site}/ui/search?q=1`,
      "ann ops,dev user=ann@example.test cookies= /search?q=1",
    ]);
    expect(browser.set.some((line) => line.startsWith("oidc=") && line.includes("; Path=/ui; "))).toBe(true);
    expect((await browser.ask(`${site}/ui/oidc/logout`)).headers.location).toContain(
      encodeURIComponent(`${site}/ui/`),
    );
  });

  test("says by which address browsers come, and what cookies are like", async () => {
    const external = "https://traces.example.test";
    const cookie = { name: "sid", domain: "example.test" };
    await load({
      external_url: `${external}/`,
      cookie,
      scopes: ["email", "offline_access"],
      authorization_parameters: { prompt: "login" },
    });
    const answer = await new Browser().ask(`${site}/`);
    const { searchParams } = new URL(answer.headers.location ?? "");
    expect(Object.fromEntries(searchParams)).toMatchObject({
      redirect_uri: `${external}/oidc/callback`,
      scope: "openid email offline_access",
      prompt: "login",
    });
    expect(answer.headers["set-cookie"]?.[0]).toMatch(
      /^sid_login_[\w-]{10}=[\w.-]+; Path=\/; Domain=example\.test; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
    );
  });

  test.each<[object, string]>([
    [{ issuer: "http://id.example.test" }, "an https URL"],
    [{ callback_path: "//x" }, "begins with one slash"],
    [{ base_path: "/x/" }, "does not end with one"],
    [{ client_secret: "{env.NO_SUCH_VARIABLE_OF_OURS}" }, "client_secret is empty"],
    [{ cookie: { same_site: "none", secure: false } }, "only with secure"],
    [{ headers: { "X User": "sub" } }, "headers/X User"],
    [{ trusted_roots_pem_files: ["/nowhere.pem"] }, "/nowhere.pem: ENOENT"],
  ])("such as %j is refused: %s", async (handler, error) => {
    expect((await load(handler)).error).toContain(error);
  });

  test("may name fewer claims; a session too big for cookies is refused with the limit", async () => {
    provider.user = { ...provider.user, big: "x".repeat(20_000) };
    await load();
    expect((await new Browser().visit(`${site}/`)).status).toBe(500);
    await load({ claims: ["email"] });
    expect((await new Browser().visit(`${site}/`)).status).toBe(500); // the ID token has the claim, too
    provider.user = { ...provider.user, big: "x".repeat(3_000) };
    await load({ claims: ["email", "groups"] });
    const browser = await signedIn();
    expect([...browser.cookies().keys()].sort()).toEqual(["oidc", "oidc.1"]);
    expect((await browser.ask(`${site}/`)).text).toContain("ann ops,dev user=ann@example.test cookies= /");
  });

  test("with a provider that is away costs 502 for logins, and nothing for those who are signed in", async () => {
    await load();
    const browser = await signedIn();
    const away = { issuer: "http://127.0.0.1:9" };
    await load(away);
    expect((await new Browser().ask(`${site}/`)).status).toBe(502);
    await load({ client_id: clientId });
    expect((await browser.ask(`${site}/`)).status).toBe(200);
  });

  test("of another client does not take the sessions of this one", async () => {
    await load();
    const browser = await signedIn();
    await load({ client_id: "another" });
    expect((await browser.ask(`${site}/`)).status).toBe(302);
  });
});

test("keys stay in the storage, for their owner only", async () => {
  await load();
  await signedIn();
  const folder = join(running.configFolder, "data/server/session_keys");
  expect(await readdir(folder)).toEqual(["oidc.json"]);
  expect(((await stat(join(folder, "oidc.json"))).mode & 0o777).toString(8)).toBe("600");
  const { keys } = JSON.parse(await readFile(join(folder, "oidc.json"), "utf8"));
  expect(keys).toHaveLength(1);
  expect((await running.admin("GET", "/config/")).text).not.toContain(keys[0].key);
});
