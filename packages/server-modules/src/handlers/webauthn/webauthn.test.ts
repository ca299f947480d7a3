import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";
import { adaptServerfile, toServerfile } from "../../../../admin-server/src/testing/serverfile.ts";
import { SoftwareKey } from "../../testing/software-key.ts";
import { signSession } from "../postauth2fa/session-token.ts";
import { Challenges, challengeLifetimeS, usedChallengeBytes } from "./challenges.ts";
import { KeyStore, type StoredKey } from "./key-store.ts";
import { messageType } from "./posted-message.ts";

describe("challenges", () => {
  const memory = new SharedArrayBuffer(usedChallengeBytes);
  const key = Buffer.alloc(32, "k");
  const [one, other] = [new Challenges(key, memory), new Challenges(key, memory)];

  test("count once, in all threads, for their user and purpose", () => {
    const challenge = one.create("ann", "sign_in");
    expect(one.take(challenge, "bob", "sign_in")).toBe(false);
    expect(one.take(challenge, "ann", "register")).toBe(false);
    expect(other.take(challenge, "ann", "sign_in")).toBe(true);
    expect([one.take(challenge, "ann", "sign_in"), other.take(challenge, "ann", "sign_in")]).toEqual([
      false,
      false,
    ]);
  });

  test.each(["", "x", "A".repeat(48), "A".repeat(10_000), "é".repeat(36)])("%j is none", (text) => {
    expect(one.take(text, "ann", "sign_in")).toBe(false);
  });

  test("end, and another key's are none", () => {
    const challenge = one.create("ann", "sign_in");
    expect(new Challenges(Buffer.alloc(32, "o"), memory).take(challenge, "ann", "sign_in")).toBe(false);
    vi.useFakeTimers({ now: Date.now() + challengeLifetimeS * 1000, toFake: ["Date"] });
    expect(one.take(challenge, "ann", "sign_in")).toBe(false);
    vi.useRealTimers();
  });

  test("thousands in five minutes", () => {
    const table = new Challenges(key, new SharedArrayBuffer(usedChallengeBytes));
    const taken = Array.from({ length: 4_000 }, () =>
      table.take(table.create("ann", "remove"), "ann", "remove"),
    );
    expect(taken.filter((isTaken) => !isTaken)).toEqual([]);
  });
});

describe("stored keys", () => {
  const folder = mkdtempSync(join(tmpdir(), "keys-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const keyOf = (id: string, counter: number): StoredKey => ({
    id,
    publicKey: new Uint8Array([1, 2, 3]),
    counter,
    transports: ["usb"],
    name: "</script>é",
    created: "2026-01-01T00:00:00.000Z",
  });

  test("come back, each user's apart; of two uses with the same counter one counts", async () => {
    const store = new KeyStore(join(folder, "example.com"));
    expect(await store.keysOf("../../ann")).toEqual([]);
    await store.add("../../ann", keyOf("a", 5));
    expect(await store.keysOf("../../ann")).toEqual([keyOf("a", 5)]);
    expect(await store.keysOf("bob")).toEqual([]);
    const uses = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => store.use("../../ann", keyOf("a", 5), 6 + index)),
    );
    expect(uses.filter(Boolean)).toEqual([true]);
    const [key] = await store.keysOf("../../ann");
    expect(key?.counter).toBe(6 + uses.indexOf(true));
    await store.remove("../../ann", "a");
    expect(await store.keysOf("../../ann")).toEqual([]);
    expect(await store.use("../../ann", keyOf("a", 0), 0)).toBe(false);
    expect(readdirSync(folder)).toEqual(["example.com"]);
  });

  test("a damaged file is an error, and never no key", async () => {
    const store = new KeyStore(join(folder, "damaged"));
    await store.add("ann", keyOf("a", 0));
    const [user = ""] = readdirSync(join(folder, "damaged"));
    const [name = ""] = readdirSync(join(folder, "damaged", user));
    const path = join(folder, "damaged", user, name);
    if (process.platform !== "win32") {
      expect(statSync(path).mode & 0o777).toBe(0o600);
    }
    for (const text of ["", "{", "{}", "x".repeat(20_000)]) {
      writeFileSync(path, text);
      await expect(store.keysOf("ann"), text.slice(0, 3)).rejects.toThrow("webauthn: ");
    }
  });
});

const signKey = Buffer.alloc(32, "k").toString("base64");
const origin = "https://app.example.com";
const rpId = "example.com";

describe.each([
  ["one thread", 0],
  ["two worker threads", 2],
])("a site, %s", (_, workers) => {
  let folder: string;
  let server: RunningServer;
  let cookie = "";

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "webauthn-"));
    const guard = (more: object = {}) => ({
      handler: "webauthn",
      rp_id: rpId,
      origins: [origin],
      sign_key: signKey,
      credentials_path: join(folder, "keys"),
      username_placeholder: "{http.request.header.X-User}",
      max_keys: 3,
      ...more,
    });
    const inside = { handler: "static_response", body: "in" };
    const config = siteConfig(
      { match: [{ path: ["/closed"] }], handle: [guard({ enrollment: "closed" }), inside] },
      { match: [{ path: ["/pin"] }], handle: [guard({ user_verification: "required" }), inside] },
      { handle: [guard(), inside] },
    );
    server = await RunningServer.start(config, {}, workers);
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  const get = (user: string, target = "/", headers: Record<string, string> = {}) =>
    ask(server.site, { target, headers: { ...(user === "" ? {} : { "X-User": user }), ...headers } });
  const post = async (
    user: string,
    message: object | string,
    headers: Record<string, string> = {},
    target = "/",
  ) => {
    const body = typeof message === "string" ? message : JSON.stringify(message);
    return await ask(server.site, {
      method: "POST",
      target,
      body,
      headers: {
        "X-User": user,
        "Content-Type": messageType,
        "Content-Length": String(Buffer.byteLength(body)),
        ...headers,
      },
    });
  };
  interface PageData {
    kind: string;
    removal: string;
    options: { challenge: string; allowCredentials?: { id: string }[]; excludeCredentials?: object[] };
  }
  const dataOf = (text: string): PageData =>
    JSON.parse(/type="application\/json">(.*?)<\/script>/.exec(text)?.[1] ?? "{}") as PageData;
  const challengeFor = async (user: string, target = "/", headers = {}) =>
    dataOf((await get(user, target, headers)).text).options.challenge;
  const enroll = async (user: string, key: SoftwareKey) =>
    await post(user, key.register({ challenge: await challengeFor(user), origin, rpId }, "first"));
  const cookieOf = ({ headers }: { headers: Record<string, unknown> }) =>
    String(headers["set-cookie"]).split(";")[0] ?? "";

  test("the first key, a sign-in, a session", async () => {
    const page = await get("ann");
    expect([page.status, dataOf(page.text).kind]).toEqual([200, "first"]);
    expect(page.headers["cache-control"]).toBe("no-store");
    expect(String(page.headers["content-security-policy"])).toContain("script-src 'nonce-");
    const key = new SoftwareKey();
    const made = await enroll("ann", key);
    expect([made.status, made.text]).toEqual([200, '{"ok":true}']);
    expect(String(made.headers["set-cookie"])).toMatch(
      /^passkey_sess=[^;]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    const asked = dataOf((await get("ann")).text);
    expect([asked.kind, asked.options.allowCredentials?.map(({ id }) => id)]).toEqual([
      "sign_in",
      [key.id.toString("base64url")],
    ]);
    const signed = await post("ann", key.signIn({ challenge: asked.options.challenge, origin, rpId }));
    expect(signed.status).toBe(200);
    cookie = cookieOf(signed);
    expect((await get("ann", "/", { Cookie: cookie })).text).toBe("in");
    expect((await get("bob", "/", { Cookie: cookie })).text).not.toBe("in");
  });

  test("a challenge counts once, and only for its user", async () => {
    const key = new SoftwareKey(false);
    await enroll("cat", key);
    const challenge = await challengeFor("cat");
    const message = key.signIn({ challenge, origin, rpId });
    expect((await post("cat", message)).status).toBe(200);
    expect((await post("cat", message)).status).toBe(403);
    const ofAnn = await challengeFor("ann");
    expect((await post("cat", key.signIn({ challenge: ofAnn, origin, rpId }))).status).toBe(403);
  });

  test.each([
    ["another origin", { origin: "https://app.example.com.evil.test" }],
    ["plain HTTP", { origin: "http://app.example.com" }],
    ["another port", { origin: "https://app.example.com:8443" }],
    ["another domain", { rpId: "evil.test" }],
    ["a made-up challenge", { challenge: Buffer.alloc(36, 7).toString("base64url") }],
  ])("refused: %s", async (name, wrong) => {
    const user = `user ${name}`;
    const key = new SoftwareKey();
    const bad = key.register({ challenge: await challengeFor(user), origin, rpId, ...wrong });
    const refused = await post(user, bad);
    expect([refused.status, refused.headers["set-cookie"]]).toEqual([403, undefined]);
    expect((await enroll(user, key)).status).toBe(200);
    const signed = await post(
      user,
      key.signIn({ challenge: await challengeFor(user), origin, rpId, ...wrong }),
    );
    expect([signed.status, signed.headers["set-cookie"]]).toEqual([403, undefined]);
  });

  test("a counter that does not grow is refused: the key was copied", async () => {
    const key = new SoftwareKey();
    await enroll("dan", key);
    const use = async () =>
      (await post("dan", key.signIn({ challenge: await challengeFor("dan"), origin, rpId }))).status;
    expect(await use()).toBe(200);
    key.counter -= 1;
    expect(await use()).toBe(403);
    key.counter += 5;
    expect(await use()).toBe(200);
  });

  test("another key's signature, and another user's key", async () => {
    const [own, strange] = [new SoftwareKey(), new SoftwareKey()];
    await enroll("eve", own);
    const challenge = await challengeFor("eve");
    expect((await post("eve", strange.signIn({ challenge, origin, rpId }))).text).toContain("not registered");
    strange.id.set(own.id);
    const forged = strange.signIn({ challenge: await challengeFor("eve"), origin, rpId });
    expect((await post("eve", forged)).status).toBe(403);
  });

  test("user verification is demanded where the site demands it", async () => {
    const key = new SoftwareKey();
    const message = async (isVerified: boolean) =>
      key.register({ challenge: await challengeFor("fay", "/pin"), origin, rpId, isVerified });
    expect((await post("fay", await message(false), {}, "/pin")).status).toBe(403);
    expect((await post("fay", await message(true), {}, "/pin")).status).toBe(200);
  });

  test("more keys only with a session, up to the limit; one can be removed, but never the last", async () => {
    const keys = [new SoftwareKey(), new SoftwareKey(), new SoftwareKey(), new SoftwareKey()];
    const session = { Cookie: cookieOf(await enroll("gus", keys[0] as SoftwareKey)) };
    const without = keys[1]?.register({ challenge: "A".repeat(48), origin, rpId }) ?? {};
    expect((await post("gus", without)).text).toContain("one of your passkeys first");
    const statuses: number[] = [];
    for (const key of keys.slice(1)) {
      const challenge = await challengeFor("gus", "/.passkeys", session);
      statuses.push((await post("gus", key.register({ challenge, origin, rpId }), session)).status);
    }
    expect(statuses).toEqual([200, 200, 409]);
    const left: number[] = [];
    for (const key of keys.slice(0, 3)) {
      const { text } = await get("gus", "/.passkeys", session);
      const { removal, options } = dataOf(text);
      left.push(options.excludeCredentials?.length ?? 0);
      const id = key.id.toString("base64url");
      const removed = await post("gus", { action: "remove", id, challenge: removal || "A" }, session);
      expect(removed.status).toBe(left.at(-1) === 1 ? 403 : 200);
    }
    expect(left).toEqual([3, 2, 1]);
    const again = keys[1]?.signIn({ challenge: await challengeFor("gus"), origin, rpId }) ?? {};
    expect((await post("gus", again)).text).toContain("not registered");
  });

  test("both keys removed at the same time: one stays at least", async () => {
    const keys = [new SoftwareKey(), new SoftwareKey()];
    const session = { Cookie: cookieOf(await enroll("jan", keys[0] as SoftwareKey)) };
    const second = { challenge: await challengeFor("jan", "/.passkeys", session), origin, rpId };
    expect((await post("jan", keys[1]?.register(second) ?? {}, session)).status).toBe(200);
    const orders = await Promise.all(
      keys.map(async (key) => ({
        action: "remove",
        id: key.id.toString("base64url"),
        challenge: dataOf((await get("jan", "/.passkeys", session)).text).removal,
      })),
    );
    await Promise.all(orders.map((order) => post("jan", order, session)));
    expect(dataOf((await get("jan")).text).options.allowCredentials?.length).toBeGreaterThan(0);
  });

  test("twenty first keys at the same time for one user: never more than the limit", async () => {
    const challenges = await Promise.all(Array.from({ length: 20 }, () => challengeFor("hal")));
    await Promise.all(
      challenges.map((challenge) => post("hal", new SoftwareKey().register({ challenge, origin, rpId }))),
    );
    const { options } = dataOf((await get("hal")).text);
    expect(options.allowCredentials?.length ?? 0).toBeLessThanOrEqual(3);
  });

  test("a closed site registers no first key", async () => {
    expect((await get("ida", "/closed")).status).toBe(401);
    const challenge = await challengeFor("ida");
    const first = new SoftwareKey().register({ challenge, origin, rpId });
    expect((await post("ida", first, {}, "/closed")).status).toBe(403);
  });

  test("a session of another handler with the same sign_key counts for nothing", async () => {
    const now = Math.floor(Date.now() / 1000);
    const claims = { username: "ann", clientIP: "127.0.0.1", iat: now, exp: now + 3_000 };
    const token = signSession(claims, Buffer.from(signKey, "base64"));
    expect((await get("ann", "/", { Cookie: `passkey_sess=${token}` })).text).not.toBe("in");
  });

  test("requests without a user, without a session, and bodies that are no message", async () => {
    expect((await get("")).status).toBe(500);
    const api = await post("ann", "{}", { "Content-Type": "application/json" });
    expect([api.status, api.text]).toEqual([401, expect.stringContaining("Use your passkey")]);
    for (const body of [
      "",
      "{",
      "[]",
      '{"action":"x"}',
      '{"action":"sign_in","credential":{"id":1}}',
      "null",
    ]) {
      expect((await post("ann", body)).status, body).toBe(400);
    }
    expect((await post("ann", "x".repeat(70_000))).status).toBe(413);
    const deep = `{"action":"sign_in","credential":{"id":"a","rawId":"a","type":"public-key","response":{"clientDataJSON":"a","authenticatorData":"a","signature":"a"}}}`;
    expect((await post("ann", deep)).status).toBe(403);
  });

  test("a name is shown as text", async () => {
    const user = "<i>\u0000</script>";
    const { text } = await get(Buffer.from("<i></script>").toString("latin1"));
    expect(user).not.toBe("");
    expect(text).toContain("&#60;i&#62;");
    expect(text).not.toContain("<i></script>");
  });

  test.each([
    [{ sign_key: "c2hvcnQ=" }, "sign_key: no base64 of 32 bytes or more"],
    [{ rp_id: "https://example.com" }, "rp_id is no domain"],
    [{ rp_id: "Example.com" }, "rp_id is no domain"],
    [{ origins: ["https://evil.test"] }, "neither rp_id nor below it"],
    [{ origins: ["https://notexample.com"] }, "neither rp_id nor below it"],
    [{ origins: ["https://app.example.com/"] }, "no origin such as"],
    [{ user_verification: "always" }, "user_verification"],
    [{ enrollment: "never" }, "enrollment"],
    [{ max_keys: 51 }, "max_keys"],
    [{ path: "keys" }, "path does not start with a slash"],
    [{ other: 1 }, "other"],
  ])("a config with %j is refused", async (more, message) => {
    const handler = { handler: "webauthn", rp_id: rpId, origins: [origin], sign_key: signKey, ...more };
    const { text } = await server.admin("POST", "/validate", siteConfig({ handle: [handler] }));
    expect(text).toContain(message);
  });
});

test("the text of the directive, there and back", async () => {
  const text = `:80 {
	basic_auth {
		ann $2a$04$abc
	}
	webauthn example.com {
		rp_name "My shop"
		origins https://example.com https://app.example.com:8443
		sign_key {env.KEY}
		credentials_path /var/lib/keys
		user_verification required
		enrollment closed
		max_keys 3
		path /account/keys
		session_inactivity_timeout 2h
		cookie_name sess
		cookie_path /
		cookie_domain example.com
		username_placeholder {http.auth.user.id}
	}
	respond in
}
`;
  const { result } = adaptServerfile(Buffer.from(text), {});
  const routes = JSON.stringify(result);
  expect(routes.indexOf('"authentication"')).toBeLessThan(routes.indexOf('"webauthn"'));
  expect(routes.indexOf('"webauthn"')).toBeLessThan(routes.indexOf('"static_response"'));
  expect(adaptServerfile(Buffer.from(await toServerfile(result)), {}).result).toEqual(result);
});

test.each([
  ["webauthn example.com {\n\tsign_key x\n\tpin 1\n}", "unrecognized webauthn subdirective 'pin'"],
  ["webauthn {\n\tsign_key x\n}", "wrong argument count"],
  ["webauthn example.com", "'sign_key' subdirective is required"],
  ["webauthn example.com {\n\tsign_key x\n\tmax_keys many\n}", "must be an integer"],
])("refuses %j", (directive, message) => {
  expect(() => adaptServerfile(Buffer.from(`:80 {\n${directive}\n}\n`), {})).toThrow(message);
});
