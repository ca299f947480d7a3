import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { plainText, type ZoneApi, zoneProvider } from "../api/zone-provider.ts";
import type { DnsProvider } from "../dns-provider.ts";
import { FakeApi, FakeZone } from "../testing/fake-api.ts";
import {
  cloudflareFake,
  digitaloceanFake,
  type Fake,
  linodeFake,
  ovhFake,
  porkbunFake,
  secret,
  vultrFake,
} from "../testing/record-fakes.ts";
import {
  azureFake,
  desecFake,
  gandiFake,
  godaddyFake,
  googleFake,
  hetznerFake,
} from "../testing/set-fakes.ts";
import { namecheapFake, route53Fake } from "../testing/xml-fakes.ts";
import { azureApi } from "./azure.ts";
import { cloudflareApi } from "./cloudflare.ts";
import { desecApi } from "./desec.ts";
import { digitaloceanApi } from "./digitalocean.ts";
import { gandiApi } from "./gandi.ts";
import { godaddyApi } from "./godaddy.ts";
import { googleclouddnsApi } from "./googleclouddns.ts";
import { hetznerApi } from "./hetzner.ts";
import { linodeApi } from "./linode.ts";
import { namecheapApi } from "./namecheap.ts";
import { ovhApi } from "./ovh.ts";
import { porkbunApi } from "./porkbun.ts";
import { route53Api } from "./route53.ts";
import { vultrApi } from "./vultr.ts";

interface Row {
  readonly name: string;
  readonly fake: () => Fake;
  /** @param token the secret to use @param base the fake's address */
  readonly open: (token: string, base: string) => ZoneApi<never>;
  /** Least TTL that the provider takes. */
  readonly minTtl: number;
  /** Words of a refused secret's error. */
  readonly refusal: RegExp;
}

const noAws = { environment: {}, metadata: "http://127.0.0.1:1", container: "http://127.0.0.1:1" };

// biome-ignore format: a table
const rows = [
  { name: "cloudflare", fake: () => cloudflareFake, open: (token, base) => cloudflareApi({ api_token: token }, base), minTtl: 60, refusal: /403: Authentication error \(10000\)/ },
  { name: "digitalocean", fake: () => digitaloceanFake, open: (token, base) => digitaloceanApi({ auth_token: token }, base), minTtl: 30, refusal: /401: Unable to authenticate you/ },
  { name: "linode", fake: () => linodeFake, open: (token, base) => linodeApi({ api_token: token, api_url: base }), minTtl: 300, refusal: /401: Invalid Token/ },
  { name: "vultr", fake: () => vultrFake, open: (token, base) => vultrApi({ api_token: token }, base), minTtl: 60, refusal: /401: Invalid API token/ },
  { name: "porkbun", fake: () => porkbunFake, open: (token, base) => porkbunApi({ api_key: "pk1", api_secret_key: token }, base), minTtl: 600, refusal: /400: Invalid API key/ },
  { name: "ovh", fake: () => ovhFake, open: (token, base) => ovhApi({ endpoint: base, application_key: token === secret ? "app" : token, application_secret: "s", consumer_key: "c" }), minTtl: 60, refusal: /403: This credential is not valid/ },
  { name: "hetzner", fake: () => hetznerFake, open: (token, base) => hetznerApi({ api_token: token }, base, 1), minTtl: 60, refusal: /401: unable to authenticate \(unauthorized\)/ },
  { name: "gandi", fake: () => gandiFake, open: (token, base) => gandiApi({ bearer_token: token }, base), minTtl: 300, refusal: /403: Access was denied/ },
  { name: "godaddy", fake: () => godaddyFake, open: (token, base) => godaddyApi({ api_token: `key:${token}` }, base), minTtl: 600, refusal: /401: Unauthorized/ },
  { name: "desec", fake: () => desecFake, open: (token, base) => desecApi({ token }, base), minTtl: 3600, refusal: /401: Invalid token/ },
  { name: "azure", fake: azureFake, open: (token, base) => azureApi({ subscription_id: "s", resource_group_name: "g", tenant_id: "tenant", client_id: "c", client_secret: token }, { management: base, login: base, metadata: base }), minTtl: 1, refusal: /401: invalid_client/ },
  { name: "googleclouddns", fake: () => googleFake, open: (token, base) => googleclouddnsApi({ gcp_project: "p" }, { dns: base, metadata: token === secret ? base : "http://127.0.0.1:1" }), minTtl: 1, refusal: /ECONNREFUSED/ },
  { name: "route53", fake: () => route53Fake, open: (token, base) => route53Api({ access_key_id: token === secret ? "AKID" : "other", secret_access_key: token, wait_for_route53_sync: true }, { ...noAws, api: base }, 1), minTtl: 1, refusal: /403: The security token included in the request is invalid/ },
  { name: "namecheap", fake: () => namecheapFake, open: (token, base) => namecheapApi({ api_key: token, user: "u", api_endpoint: base }, base), minTtl: 60, refusal: /API Key is invalid or API access has not been enabled \(1011102\)/ },
] as const satisfies readonly (Omit<Row, "open"> & { open: (token: string, base: string) => unknown })[];

let api: FakeApi | undefined;
let zone: FakeZone;
let provider: DnsProvider | undefined;
beforeEach(() => {
  zone = new FakeZone();
});
afterEach(async () => {
  await provider?.close?.();
  await api?.close();
});

describe.each(rows as unknown as readonly Row[])("$name", ({ fake, open, minTtl, refusal }) => {
  const start = async (token = secret) => {
    const answer = fake();
    api = await FakeApi.start((request) => answer(request, zone));
    provider = zoneProvider(open(token, api.origin));
    return provider;
  };
  const texts = (label: string) => zone.of(label, "TXT").map(({ value }) => plainText(value));

  test("values of a name come and go one by one, and others stay", async () => {
    const dns = await start();
    zone.add("", "MX", "mail.example.com.", 300);
    zone.add("_acme-challenge.other", "TXT", '"of another"', 300);
    zone.add("_acme-challenge.a.b", "TXT", '"of another server"', 300);
    const name = "_acme-challenge.a.b.example.com";
    await Promise.all([dns.present(name, "one", 5), dns.present(name, "two", 5)]);
    expect(texts("_acme-challenge.a.b").sort()).toEqual(["of another server", "one", "two"]);
    expect(Math.min(...zone.of("_acme-challenge.a.b", "TXT").map(({ ttl }) => ttl))).toBeGreaterThanOrEqual(
      Math.min(minTtl, 300),
    );
    await dns.remove(name, "one");
    expect(texts("_acme-challenge.a.b").sort()).toEqual(["of another server", "two"]);
    await Promise.all([dns.remove(name, "two"), dns.remove(name, "two")]);
    expect(texts("_acme-challenge.a.b")).toEqual(["of another server"]);
    expect(texts("_acme-challenge.other")).toEqual(["of another"]);
    expect(zone.of("", "MX")).toHaveLength(1);
  });

  test("the only value of a name comes and goes, twice the same is one", async () => {
    const dns = await start();
    await dns.present("_acme-challenge.example.com", "only", 7200);
    await dns.remove("_acme-challenge.example.com", "another");
    expect(texts("_acme-challenge")).toEqual(["only"]);
    await dns.remove("_acme-challenge.example.com", "only");
    expect(zone.records).toEqual([]);
  });

  test("a name record", async () => {
    const dns = await start();
    await dns.present("_proof.example.com", "check.authority.test", 300, "CNAME");
    expect(zone.of("_proof", "CNAME").map(({ value }) => value.replace(/\.$/, ""))).toEqual([
      "check.authority.test",
    ]);
    await dns.remove("_proof.example.com", "check.authority.test", "CNAME");
    expect(zone.records).toEqual([]);
  });

  test("a name of no zone, and a wrong secret, which no error shows", async () => {
    const dns = await start();
    await expect(dns.present("_acme-challenge.elsewhere.test", "x", 60)).rejects.toMatchObject({
      code: "ACME",
      message: expect.stringMatching(/no zone of this account holds _acme-challenge\.elsewhere\.test$/),
    });
    await dns.close?.();
    await api?.close();
    const wrong = await start("wrong-token-of-forty-characters-01234567");
    const error = await wrong
      .present("_acme-challenge.example.com", "x", 60)
      .catch((fault: unknown) => fault);
    expect(error).toMatchObject({ code: "ACME", message: expect.stringMatching(refusal) });
    expect(String((error as Error).message)).not.toContain("wrong-token");
  });
});
