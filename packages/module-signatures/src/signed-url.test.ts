import { createHmac } from "node:crypto";
import { makeExchange } from "http-engine/testing/make-exchange";
import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunningServer, siteConfig } from "../../admin-server/src/testing/running-server.ts";
import { adaptServerfile, toServerfile } from "../../admin-server/src/testing/serverfile.ts";
import { SignedUrl } from "./signed-url.ts";

const secret = "a-secret-that-nobody-sees";
const names = { query: "signature", header: "X-Signature", expires: "expires", issued: "issued" };

type Encoding = "hex" | "base64" | "base64url";
const signatureOf = (signed: string, encoding: Encoding = "hex", algorithm = "sha256") =>
  createHmac(algorithm, secret).update(signed).digest(encoding);
const withSignature = (url: string, signature: string) =>
  `${url}${url.includes("?") ? "&" : "?"}signature=${encodeURIComponent(signature)}`;

function judge(target: string, headers: readonly string[] = [], algorithm = "sha256", now = 1000) {
  return new SignedUrl(secret, algorithm, names).judge(makeExchange({ target, headers }), now);
}

describe("a signed URL", () => {
  test.each<[string, string]>([
    ["/file", "/file"],
    ["/file?expires=1000&issued=5", "/file?expires=1000&issued=5"],
    // Go sorts by name, and writes values in one way.
    ["/file?b=2&a=1&a=0&c", "/file?a=1&a=0&b=2&c="],
    ["/a%20b/%C3%A9?q=x%20y%2Bz*", "/a b/é?q=x+y%2Bz%2A"],
    ["/file?expires=%2B1000", "/file?expires=%2B1000"],
  ])("%s is signed as %s", (url, signed) => {
    for (const encoding of ["hex", "base64", "base64url"] as const) {
      expect(judge(withSignature(url, signatureOf(signed, encoding)))).toBe("good");
      expect(judge(url, ["X-Signature", signatureOf(signed, encoding)])).toBe("good");
    }
  });

  test.each(["sha256", "sha384", "sha512"])("%s", (algorithm) => {
    const url = withSignature("/file", signatureOf("/file", "base64url", algorithm));
    expect(judge(url, [], algorithm)).toBe("good");
    expect(judge(url, [], algorithm === "sha256" ? "sha512" : "sha256")).toBe("invalid signature");
  });

  const good = signatureOf("/file");
  test.each<[string, string]>([
    ["/file", "missing signature"],
    ["/file?signature=", "missing signature"],
    ["/file?signature=bogus", "invalid signature"],
    [`/file?signature=${good.slice(0, -1)}`, "invalid signature"],
    [`/file?signature=${good.slice(0, -1)}${good.endsWith("0") ? "1" : "0"}`, "invalid signature"],
    [`/file?signature=${good}00`, "invalid signature"],
    [`/other?signature=${good}`, "invalid signature"],
    [`/File?signature=${good}`, "invalid signature"],
    [`/file?x=1&signature=${good}`, "invalid signature"],
    [withSignature("/file?expires=999", signatureOf("/file?expires=999")), "URL has expired"],
    [withSignature("/file?expires=-1", signatureOf("/file?expires=-1")), "URL has expired"],
    [withSignature("/file?expires=9999", signatureOf("/file?expires=999")), "invalid signature"],
    [
      withSignature("/file?expires=999&expires=2000", signatureOf("/file?expires=999&expires=2000")),
      "URL has expired",
    ],
    [withSignature("/file?expires=soon", signatureOf("/file?expires=soon")), "invalid expires parameter"],
    [withSignature("/file?issued=now", signatureOf("/file?issued=now")), "invalid issued parameter"],
    // The time of a query must not become a part of the path.
    [withSignature("/file%3Fexpires=999", signatureOf("/file?expires=999")), "invalid signature"],
  ])("%s: %s", (url, verdict) => {
    expect(judge(url)).toBe(verdict);
  });
});

describe("a site", () => {
  let server: RunningServer;
  const respond = { handler: "static_response", body: "in" };
  beforeAll(async () => {
    process.env.SIGNED_URL_TEST = secret;
    server = await RunningServer.start(
      siteConfig(
        {
          match: [{ path: ["/handler"] }],
          handle: [{ handler: "signed_url", secret: "{env.SIGNED_URL_TEST}" }, respond],
        },
        { match: [{ path: ["/matcher"], signed_url: { secret } }], handle: [respond] },
      ),
    );
  });
  afterAll(async () => {
    delete process.env.SIGNED_URL_TEST;
    await server.close();
  });

  const later = Math.floor(Date.now() / 1000) + 3600;
  test.each<[string, string, number, string]>([
    ["/handler", "good", 200, "in"],
    ["/handler", "bad", 401, "Invalid signature\n"],
    ["/handler", "", 401, "Missing signature\n"],
    ["/matcher", "good", 200, "in"],
    ["/matcher", "bad", 403, ""],
    ["/matcher", "", 400, ""],
  ])("%s with %j", async (path, kind, status, text) => {
    const url = `${path}?expires=${later}`;
    const signature = kind === "good" ? signatureOf(url) : kind;
    const answer = await ask(server.site + withSignature(url, signature));
    expect([answer.status, answer.text]).toEqual([status, text]);
  });

  test.each([
    { handler: "signed_url" },
    { handler: "signed_url", secret: "" },
    { handler: "signed_url", secret: "{env.SIGNED_URL_NONE}" },
    { handler: "signed_url", secret, algorithm: "sha1" },
    { handler: "signed_url", secret, other: secret },
    { handler: "signed_url", secret: [secret] },
  ])("%j is refused, and the secret is not told", async (handler) => {
    const answer = await server.admin("POST", "/validate", siteConfig({ handle: [handler] }));
    expect(answer.error).not.toContain(secret);
    expect(answer.text).toContain('"valid":false');
    expect(answer.error).not.toBe("");
  });
});

const block = `:80 {
	signed_url key {
		algorithm sha512
		query_param s
		header X-S
		expires_param e
		issued_param i
	}
	respond in
}
`;
const matcher = `:80 {
	@signed {
		signed_url key {
			algorithm sha512
		}
	}
	respond @signed in
}
`;

test.each([block, matcher, ":80 {\n\tsigned_url key\n}\n"])("text %j there and back", async (text) => {
  const { result } = adaptServerfile(Buffer.from(text), {});
  expect(JSON.stringify(result)).toContain('"secret":"key"');
  const back = await toServerfile(result);
  expect(adaptServerfile(Buffer.from(back), {}).result).toEqual(result);
});

test.each([
  ["signed_url", "secret is required"],
  [`signed_url ${secret} ${secret}`, "signed_url takes one argument"],
  [`signed_url {\nsecret ${secret} ${secret}\n}`, "secret takes one argument"],
  [`signed_url ${secret} {\nsecret ${secret}\n}`, "secret already configured"],
  ["signed_url a {\nother b\n}", "unrecognized subdirective: other"],
  ["@a signed_url a {\nother b\n}", "unknown subdirective 'other'"],
  ["@a signed_url", "secret is required"],
])("refuses %j", (text, message) => {
  let told = "";
  try {
    adaptServerfile(Buffer.from(`:80 {\n${text}\n}\n`), {});
  } catch (error) {
    told = String(error);
  }
  expect(told).toContain(message);
  expect(told).not.toContain(secret);
});
