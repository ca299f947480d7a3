import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FakeApi, type FakeReply, type FakeRequest } from "../testing/fake-api.ts";
import { acmedns } from "./acmedns.ts";
import { duckdns } from "./duckdns.ts";

let api: FakeApi;
let answer: (request: FakeRequest) => FakeReply;
beforeEach(async () => {
  answer = () => ({ body: "OK" });
  api = await FakeApi.start((request) => answer(request));
});
afterEach(() => api.close());

describe("duckdns", () => {
  test.each([
    ["_acme-challenge.me.duckdns.org", undefined, "me.duckdns.org"],
    ["_acme-challenge.a.me.duckdns.org", undefined, "me.duckdns.org"],
    ["_acme-challenge.own.test", "me.duckdns.org", "me.duckdns.org"],
  ])("%s", async (record, override, domains) => {
    const dns = duckdns({ api_token: "t", override_domain: override }, api.origin);
    await dns.present(record, "text", 60);
    await dns.remove(record, "text");
    await dns.close?.();
    expect(api.requests.map(({ query }) => Object.fromEntries(query))).toEqual([
      { domains, token: "t", txt: "text" },
      { domains, token: "t", txt: "text", clear: "true" },
    ]);
  });

  test("what cannot be done is said, without the token", async () => {
    const dns = duckdns({ api_token: "secret" }, api.origin);
    answer = () => ({ body: "KO" });
    await expect(dns.present("_acme-challenge.me.duckdns.org", "text", 60)).rejects.toThrow(
      "duckdns: GET /update: me.duckdns.org: the token or the domain is not right (KO)",
    );
    await expect(dns.present("_acme-challenge.own.test", "text", 60)).rejects.toThrow(
      "override_domain names",
    );
    await expect(dns.present("a.me.duckdns.org", "b.test", 60, "CNAME")).rejects.toThrow("the type CNAME");
    await dns.close?.();
  });
});

describe("acmedns", () => {
  const account = () => ({ username: "u", password: "p", subdomain: "s", server_url: api.origin });

  test("one account for all", async () => {
    answer = () => ({ body: { txt: "text" } });
    const dns = acmedns(account());
    await dns.present("_acme-challenge.a.test", "text", 60);
    await dns.remove("_acme-challenge.a.test", "text");
    await dns.close?.();
    expect(api.requests).toHaveLength(1);
    expect(api.requests[0]).toMatchObject({
      method: "POST",
      parts: ["update"],
      headers: { "x-api-user": "u", "x-api-key": "p" },
      json: { subdomain: "s", txt: "text" },
    });
  });

  test("accounts by domain, also from a file", async () => {
    const folder = await mkdtemp(join(tmpdir(), "acmedns-"));
    const file = join(folder, "accounts.json");
    const config = { "a.test": account(), "b.test": { ...account(), subdomain: "of b" } };
    await writeFile(file, JSON.stringify({ ...config, "c.test": { ...account(), allowfrom: [] } }));
    for (const dns of [acmedns({ config }), acmedns({ config_file_path: file })]) {
      await dns.present("_acme-challenge.b.test", "text", 60);
      await expect(dns.present("_acme-challenge.other.test", "text", 60)).rejects.toThrow(
        "acmedns: there is no account for other.test",
      );
      await dns.close?.();
    }
    expect(api.requests.map(({ json }) => json.subdomain)).toEqual(["of b", "of b"]);
    await rm(folder, { recursive: true });
  });

  test("what is not whole is refused", () => {
    expect(() => acmedns({ username: "u" })).toThrow("needs username, password, subdomain and server_url");
    expect(() => acmedns({ config_file_path: "/nowhere" })).toThrow("/nowhere cannot be read as JSON");
  });

  test("a refusal of the server", async () => {
    answer = () => ({ status: 401, body: { error: "forbidden" } });
    const dns = acmedns(account());
    await expect(dns.present("_acme-challenge.a.test", "text", 60)).rejects.toThrow(
      "acmedns: POST /update: 401: forbidden",
    );
    await dns.close?.();
  });
});
