import { createCipheriv, createHmac, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hashSync } from "bcryptjs";
import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";
import { adaptServerfile, toServerfile } from "../../../../admin-server/src/testing/serverfile.ts";
import { AttemptTable, attemptTableBytes, maxWrongCodes } from "./attempt-table.ts";
import { readSession, signSession } from "./session-token.ts";
import { codeOf, periodOf, readSecret } from "./totp.ts";

const present = () => Math.floor(Date.now() / 30_000);

describe("codes", () => {
  // Source: RFC 6238, appendix B, SHA-1
  test.each([
    [59, "94287082"],
    [1_111_111_109, "07081804"],
    [1_111_111_111, "14050471"],
    [1_234_567_890, "89005924"],
    [2_000_000_000, "69279037"],
    [20_000_000_000, "65353130"],
  ])("at second %i: %s", (second, code) => {
    const secret = Buffer.from("12345678901234567890");
    expect(codeOf(secret, Math.floor(second / 30), 8)).toBe(code);
    expect(codeOf(secret, Math.floor(second / 30), 6)).toBe(code.slice(2));
    expect(periodOf(secret, code, 8, second * 1000)).toBe(Math.floor(second / 30));
    expect(periodOf(secret, code, 8, (second + 30) * 1000)).toBe(Math.floor(second / 30));
    expect(periodOf(secret, code, 8, (second + 90) * 1000)).toBeUndefined();
  });

  test.each([
    // Source: RFC 4648, section 10, and a secret as providers show it
    ["MZXW6YTBOI======MZXW6YTBOI", "foobafoobar".length, false],
    ["jbsw y3dp ehpk 3pxp", 10, true],
    ["JBSWY3DP", 0, false],
    ["JBSWY3DPEHPK3PX1", 0, false],
    ["", 0, false],
  ])("the secret %j", (text, length, isRight) => {
    const secret = readSecret(text);
    expect(secret?.length).toBe(isRight ? length : secret?.length);
    expect(secret !== undefined && secret.length >= 10).toBe(isRight || length === 11);
  });

  test.each(["", "12345", "1234567", "abcdef", "      ", "١٢٣٤٥٦", "1".repeat(5000)])(
    "%j is no code",
    (code) => {
      expect(periodOf(Buffer.alloc(20, "s"), code, 6, Date.now())).toBeUndefined();
    },
  );
});

describe("attempts", () => {
  test("five wrong codes in five minutes, in all threads; another user is not concerned", () => {
    const memory = new SharedArrayBuffer(attemptTableBytes);
    let now = 1_800_000_000_000;
    const [one, other] = [new AttemptTable(memory, () => now), new AttemptTable(memory, () => now)];
    for (let count = 0; count < maxWrongCodes; count++) {
      expect((count % 2 === 0 ? one : other).begin("ann")).toBe("may try");
    }
    now += 100_000;
    expect([one.begin("ann"), other.begin("ann"), one.begin("bob")]).toEqual([
      { waitS: 200 },
      { waitS: 200 },
      "may try",
    ]);
    now += 200_000;
    expect(one.begin("ann")).toBe("may try");
  });

  test("a code counts once, also in another thread, and a right one forgives the wrong ones", () => {
    const memory = new SharedArrayBuffer(attemptTableBytes);
    const [one, other] = [new AttemptTable(memory), new AttemptTable(memory)];
    for (let count = 1; count < maxWrongCodes; count++) {
      one.begin("ann");
    }
    expect([one.use("ann", 100), other.use("ann", 100), other.use("ann", 99), other.use("ann", 101)]).toEqual(
      [...[true, false, false, true]],
    );
    for (let count = 0; count < maxWrongCodes; count++) {
      expect(one.begin("ann")).toBe("may try");
    }
  });

  test("more users than places: none is left out", () => {
    const table = new AttemptTable(new SharedArrayBuffer(attemptTableBytes));
    for (let index = 0; index < 10_000; index++) {
      expect(table.begin(`user ${index}`)).toBe("may try");
      expect(table.use(`user ${index}`, 7)).toBe(true);
    }
  });
});

describe("sessions", () => {
  const key = Buffer.alloc(32, "k");
  const claims = { username: "ann", clientIP: "192.0.2.1", iat: 1_000, exp: 2_000 };
  const token = signSession(claims, key);
  const [head = "", body = "", signature = ""] = token.split(".");
  const unsigned = Buffer.from('{"alg":"none"}').toString("base64url");
  const signed = (text: string) => `${text}.${createHmac("sha256", key).update(text).digest("base64url")}`;

  test("come back as they were", () => {
    expect(readSession(token, key, 1_999_000)).toEqual(claims);
  });

  test.each([
    ["ended", token, key, 2_000_000],
    ["another key", token, Buffer.alloc(32, "x"), 0],
    ["no signature", `${head}.${body}.`, key, 0],
    ["algorithm none", `${unsigned}.${body}.`, key, 0],
    ["algorithm none, signed", signed(`${unsigned}.${body}`), key, 0],
    ["more parts", `${token}.x`, key, 0],
    [
      "other claims",
      `${head}.${Buffer.from(JSON.stringify({ ...claims, username: "bob" })).toString("base64url")}.${signature}`,
      key,
      0,
    ],
    ["no claims", signed(`${head}.bnVsbA`), key, 0],
    ["text", "x".repeat(10_000), key, 0],
    ["nothing", "", key, 0],
  ])("refused: %s", (_, text, used, now) => {
    expect(readSession(text, used, now)).toBeUndefined();
  });
});

describe.each([
  ["one thread", 0],
  ["two worker threads", 2],
])("a site, %s", (_, workers) => {
  const secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
  const bytes = readSecret(secret) ?? Buffer.alloc(0);
  const encryptionKey = randomBytes(32);
  const signKey = randomBytes(32).toString("base64");
  let folder: string;
  let server: RunningServer;
  const header = (user: string) => ({
    Authorization: `Basic ${Buffer.from(`${user}:pw`).toString("base64")}`,
  });
  const get = (target: string, user: string, headers: Record<string, string> = {}) =>
    ask(server.site, { target, headers: { ...header(user), ...headers } });
  const post = (target: string, user: string, code: string, headers: Record<string, string> = {}) => {
    const body = `totp_code=${encodeURIComponent(code)}`;
    const fields = {
      "Content-Type": "application/x-www-form-urlencoded",
      "Content-Length": String(body.length),
    };
    return ask(server.site, {
      method: "POST",
      target,
      body,
      headers: { ...header(user), ...fields, ...headers },
    });
  };
  const cookieOf = ({ headers }: { headers: Record<string, unknown> }) =>
    String(headers["set-cookie"]).split(";")[0] ?? "";

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "2fa-"));
    const nonce = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", encryptionKey, nonce);
    const text = Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]).toString(
      "base64",
    );
    const users = {
      ann: { totp_secret: secret },
      bob: { totp_secret_encrypted: text, totp_code_length: 8 },
      cat: { totp_secret: secret },
      dan: { totp_secret: secret },
    };
    writeFileSync(join(folder, "2fa.json"), JSON.stringify(users));
    writeFileSync(
      join(folder, "form.html"),
      "<b nonce={{.Nonce}}>{{.Username}} {{.TOTPCodeLength}} {{.ErrorMessage}}</b>",
    );
    const password = hashSync("pw", 4);
    const accounts = [...Object.keys(users), "eve", "<i>"].map((username) => ({ username, password }));
    const handler = (more: object = {}) => ({
      handler: "postauth2fa",
      secrets_file_path: join(folder, "2fa.json"),
      sign_key: signKey,
      encryption_key: encryptionKey.toString("base64"),
      ...more,
    });
    const basic = { handler: "authentication", providers: { http_basic: { accounts, hash_cache: {} } } };
    const inside = { handler: "static_response", body: "in {http.auth.user.id}" };
    const config = siteConfig(
      { match: [{ path: ["/bare"] }], handle: [handler(), inside] },
      {
        match: [{ path: ["/own/*"] }],
        handle: [
          basic,
          handler({
            form_template: join(folder, "form.html"),
            cookie_path: "/own",
            cookie_domain: "example.com",
            cookie_name: "own",
          }),
          inside,
        ],
      },
      { handle: [basic, handler(), inside] },
    );
    server = await RunningServer.start(config, {}, workers);
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  test("the form, a wrong code, the right one, and the way back", async () => {
    expect((await ask(server.site, { target: "/a" })).status).toBe(401);
    const first = await get("/a?x=1", "ann");
    expect([first.status, first.text]).toEqual([200, expect.stringContaining("Code with 6 digits")]);
    expect(first.text).not.toContain("in ann");
    expect(first.headers["cache-control"]).toBe("no-store");
    const nonce = /nonce="([^"]+)"/.exec(first.text)?.[1] ?? "";
    expect(String(first.headers["content-security-policy"])).toContain(`'nonce-${nonce}'`);
    const wrong = await post("/a?x=1", "ann", "000000");
    expect([wrong.status, wrong.headers["set-cookie"]]).toEqual([200, undefined]);
    expect(wrong.text).toContain('role="alert"');
    const right = await post("/a?x=1", "ann", codeOf(bytes, present(), 6));
    expect([right.status, right.headers.location]).toEqual([302, "/a?x=1"]);
    expect(String(right.headers["set-cookie"])).toMatch(
      /^cpa_sess=[^;]+; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    const Cookie = cookieOf(right);
    expect((await get("/a", "ann", { Cookie })).text).toBe("in ann");
    // A session is its user's.
    expect((await get("/a", "cat", { Cookie })).text).toContain("Code with 6 digits");
  });

  test("a code is taken once", async () => {
    const code = codeOf(bytes, present(), 6);
    expect((await post("/", "cat", code)).status).toBe(302);
    expect((await post("/", "cat", code)).status).toBe(200);
  });

  test("an encrypted secret, with eight digits", async () => {
    expect((await post("/", "bob", codeOf(bytes, present(), 6))).status).toBe(200);
    expect((await post("/", "bob", codeOf(bytes, present(), 8).replace(/^..../, "$& "))).status).toBe(302);
  });

  test("after five wrong codes the right one has to wait", async () => {
    for (let count = 0; count < maxWrongCodes; count++) {
      expect((await post("/", "dan", "000000")).status).toBe(200);
    }
    const late = await post("/", "dan", codeOf(bytes, present(), 6));
    expect(late.status).toBe(429);
    expect(Number(late.headers["retry-after"])).toBeGreaterThan(200);
  });

  test("a user without a secret, and a request without a user, do not come in", async () => {
    expect((await get("/", "eve")).status).toBe(401);
    expect((await ask(server.site, { target: "/bare" })).status).toBe(500);
    expect((await post("/", "ann", "1".repeat(10_000))).status).toBe(413);
  });

  test("the way back never leads to another host", async () => {
    const code = codeOf(bytes, present() + 1, 6);
    expect((await post("//evil.example/x", "ann", code)).headers.location).toBe("/evil.example/x");
  });

  test("a form of one's own, and a cookie for some paths of a domain", async () => {
    const { text } = await get("/own/x", "cat");
    expect(text).toMatch(/^<b nonce=\S+>cat 6 <\/b>$/);
    const { headers } = await post("/own/x", "cat", codeOf(bytes, present() + 1, 6));
    expect(String(headers["set-cookie"])).toMatch(/^own=.*; Path=\/own; Domain=example\.com; HttpOnly/);
  });

  test("a session counts for its address, is renewed in its second half, and ends", async () => {
    const key = Buffer.from(signKey, "base64");
    const now = Math.floor(Date.now() / 1000);
    const claims = { username: "ann", clientIP: "127.0.0.1", iat: now, exp: now + 3_000 };
    const withToken = (more: object) =>
      get("/a", "ann", { Cookie: `cpa_sess=${signSession({ ...claims, ...more }, key)}` });
    expect(await withToken({}).then(({ text, headers }) => [text, headers["set-cookie"]])).toEqual([
      "in ann",
      undefined,
    ]);
    const renewed = await withToken({ exp: now + 1_000 });
    expect([renewed.text, cookieOf(renewed)]).toEqual(["in ann", expect.stringMatching(/^cpa_sess=/)]);
    expect((await withToken({ exp: now - 1 })).text).not.toContain("in ann");
    expect((await withToken({ clientIP: "192.0.2.1" })).text).not.toContain("in ann");
  });

  test.each([
    [{ sign_key: "c2hvcnQ=" }, "sign_key: no base64 of 32 bytes or more"],
    [{ sign_key: "{env.NOBODY_SETS_THIS}" }, "sign_key: no base64 of 32 bytes or more"],
    [{ encryption_key: undefined }, "its secret is encrypted, and there is no encryption_key"],
    [{ encryption_key: Buffer.alloc(32).toString("base64") }, "cannot be decrypted"],
    [{ secrets_file_path: undefined }, "there is neither secrets_file_path nor secrets"],
    [{ secrets: { ann: "{env.NOBODY_SETS_THIS}" } }, "no secret in base32 of at least 10 bytes"],
    [{ secrets_file_path: "/nowhere.json" }, "secrets_file_path: /nowhere.json"],
    [{ totp_code_length: 7 }, "totp_code_length is 6 or 8"],
    [{ form_template: "/nowhere.html" }, "form_template: /nowhere.html"],
    [{ cookie_path: "/; Domain=x" }, "cookie_path has a character"],
  ])("a config with %j is refused, and tells no secret", async (more, message) => {
    const handler = {
      handler: "postauth2fa",
      secrets_file_path: join(folder, "2fa.json"),
      sign_key: signKey,
      encryption_key: encryptionKey.toString("base64"),
      ...more,
    };
    const { text } = await server.admin("POST", "/validate", siteConfig({ handle: [handler] }));
    expect(text).toContain(message);
    expect(text).not.toContain(secret);
  });
});

test("the text of the plug-in, there and back", async () => {
  const text = `:80 {
	basic_auth {
		ann $2a$04$abc
	}
	postauth_2fa {
		session_inactivity_timeout 2h
		secrets_file_path /etc/2fa.json
		secret ann {env.ANN_TOTP}
		secret "b c" JBSWY3DPEHPK3PXP
		cookie_name sess
		cookie_path /top-secret
		sign_key {env.KEY}
		totp_code_length 8
		ip_binding false
	}
	respond in
}
`;
  const { result } = adaptServerfile(Buffer.from(text), {});
  const routes = JSON.stringify(result);
  expect(routes).toContain('"handler":"postauth2fa"');
  expect(routes.indexOf('"authentication"')).toBeLessThan(routes.indexOf('"postauth2fa"'));
  expect(routes).toContain('"session_inactivity_timeout":7200000000000');
  expect(adaptServerfile(Buffer.from(await toServerfile(result)), {}).result).toEqual(result);
});

test.each([
  ["postauth_2fa {\n\tpin 1\n}", "unknown subdirective: pin"],
  ["postauth_2fa {\n\ttotp_code_length 7\n}", "either 6 or 8 digits"],
  ["postauth_2fa {\n\ttotp_code_length x\n}", "must be an integer"],
  ["postauth_2fa x", "wrong argument count"],
])("refuses %j", (directive, message) => {
  expect(() => adaptServerfile(Buffer.from(`:80 {\n${directive}\n}\n`), {})).toThrow(message);
});
