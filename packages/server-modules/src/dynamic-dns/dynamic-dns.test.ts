// Names that follow the address of this machine: the sources, the changes, the texts. BIND is the DNS server where it is there.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { DnsProvider } from "certificates/tls/dns/dns-provider";
import { createLogger } from "lifecycle";
import type { Storage } from "server-core/storage/storage";
import { expect, onTestFinished, test, vi } from "vitest";
import { provisionModule } from "../../../admin-server/src/testing/provision-module.ts";
import { RunningServer } from "../../../admin-server/src/testing/running-server.ts";
import { adaptServerfile, toServerfile } from "../../../admin-server/src/testing/serverfile.ts";
import { hasNamed, Named } from "../../../certificates/src/testing/named.ts";
import { AddressCheck } from "./dynamic-dns-app.ts";
import type { DynamicDnsConfig } from "./dynamic-dns-config.ts";
import { ipSources, type PublicAddress, publicAddress } from "./ip-source.ts";
import { KnownAddresses } from "./known-addresses.ts";
import { isWanted } from "./wanted-ranges.ts";

const { signal } = new AbortController();

/** A check over records in memory; names that it has not set are looked up at nobody. */
function checkOf(config: DynamicDnsConfig, ...sources: (PublicAddress[] | Error)[]) {
  const calls: string[] = [];
  const files = new Map<string, Buffer>();
  const storage = {
    load: async (key: string) => files.get(key),
    store: async (key: string, value: string) => void files.set(key, Buffer.from(value)),
  } as unknown as Storage;
  const provider: DnsProvider = {
    present: async (name, value, ttl, type) => void calls.push(`+ ${name} ${type} ${value} ${ttl}`),
    remove: async (name, value, type) => void calls.push(`- ${name} ${type} ${value}`),
  };
  const known = new KnownAddresses(storage, []);
  const tools = {
    provider,
    known,
    log: createLogger({ name: "test", level: "fatal", encoding: "json" }),
    sources: sources.map((given, index) => ({
      name: `source ${index}`,
      source: {
        addresses: async () => {
          if (given instanceof Error) {
            throw given;
          }
          return given;
        },
      },
    })),
  };
  return { calls, known, provider, check: new AddressCheck(config, tools) };
}

const [v4, v6] = ["192.0.2.7", "2001:DB8:0::7"].map((text) => publicAddress(text)) as PublicAddress[];

test("names get the addresses, the old ones go after the new ones came, and equal ones stay", async () => {
  const domains = { "Example.test": ["@", "www"], "other.test": null };
  const { calls, known, check } = checkOf({ domains, ttl: 60_000 }, [
    v4 as PublicAddress,
    v6 as PublicAddress,
  ]);
  for (const name of ["example.test", "www.example.test", "other.test"]) {
    await known.set(name, "A", name === "other.test" ? "192.0.2.7" : "192.0.2.6");
    await known.set(name, "AAAA", "2001:db8::7");
  }
  await check.run(signal);
  await check.run(signal);
  expect(calls).toEqual([
    "+ example.test A 192.0.2.7 60",
    "- example.test A 192.0.2.6",
    "+ www.example.test A 192.0.2.7 60",
    "- www.example.test A 192.0.2.6",
  ]);
});

test("the first source that knows an address of a kind that is wanted counts", async () => {
  const config = { domains: { "a.test": ["@"] }, versions: { ipv6: false } };
  const { calls, known, check } = checkOf(
    config,
    new Error("away"),
    [v6 as PublicAddress],
    [v4 as PublicAddress],
  );
  await known.set("a.test", "A", "192.0.2.1");
  await check.run(signal);
  expect(calls).toEqual(["+ a.test A 192.0.2.7 300", "- a.test A 192.0.2.1"]);
});

test("without an address nothing changes, and the reasons are said", async () => {
  const { calls, check } = checkOf({ domains: { "a.test": ["@"] } }, new Error("away"), []);
  await expect(check.run(signal)).rejects.toThrow("source 0: away; source 1: no address");
  expect(calls).toEqual([]);
});

test("a name that fails does not hold up the others, and is tried again", async () => {
  const { calls, known, provider, check } = checkOf({ domains: { "a.test": ["x", "y"] } }, [
    v4 as PublicAddress,
  ]);
  await known.set("x.a.test", "A", "192.0.2.1");
  await known.set("y.a.test", "A", "192.0.2.1");
  const present = vi.spyOn(provider, "present").mockRejectedValueOnce(new Error("refused"));
  await expect(check.run(signal)).rejects.toThrow("x.a.test: refused");
  await check.run(signal);
  expect(present.mock.calls.map(([name]) => name)).toEqual(["x.a.test", "y.a.test", "x.a.test"]);
  expect(calls.filter((each) => each.startsWith("-"))).toEqual([
    "- y.a.test A 192.0.2.1",
    "- x.a.test A 192.0.2.1",
  ]);
});

test.each([
  [{}, "10.0.0.1", true],
  [{ exclude: ["10.0.0.0/8"] }, "10.0.0.1", false],
  [{ include: ["10.0.0.0/8"] }, "10.0.0.1", true],
  [{ include: ["10.0.0.0/8"] }, "192.0.2.1", false],
  [{ include: ["10.0.0.0/8"], exclude: ["10.0.0.0/16"] }, "10.0.0.1", false],
  [{ include: ["10.0.0.0/24"], exclude: ["10.0.0.0/16"] }, "10.0.0.1", true],
  [{ exclude: ["2001:db8::/32"] }, "2001:db8::1", false],
])("ranges %j, address %s: %s", (ranges, ip, expected) => {
  expect(isWanted(ranges, ip)).toBe(expected);
});

test("simple_http takes an address of the first endpoint that gives one", async () => {
  const answers: Record<string, [number, string]> = {
    "/down": [500, "192.0.2.1"],
    "/page": [200, "<html>"],
    "/long": [200, `${" ".repeat(300)}192.0.2.1`],
    "/good": [200, " 192.0.2.9\n"],
  };
  const server = createServer((request, response) => {
    const [status, text] = answers[request.url ?? ""] ?? [404, ""];
    response.writeHead(status).end(text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const endpoints = Object.keys(answers).map((path) => base + path);
  const source = await provisionModule(ipSources, "simple_http", { endpoints });
  expect(await source.addresses({ versions: { ipv6: false } }, signal)).toEqual([
    { ip: "192.0.2.9", type: "A" },
  ]);
  const bad = await provisionModule(ipSources, "simple_http", { endpoints: endpoints.slice(0, 3) });
  const asked = bad.addresses({ versions: { ipv6: false } }, signal);
  await expect(asked).rejects.toThrow(/status 500[\s\S]*<html>[\s\S]*over the limit of 256 bytes/);
});

test("interface and static give the first address of each kind", async () => {
  const own = await provisionModule(ipSources, "interface", { name: "lo" });
  expect(await own.addresses({ include: ["127.0.0.0/8"] }, signal)).toEqual([{ ip: "127.0.0.1", type: "A" }]);
  expect(await own.addresses({}, signal)).toEqual([]);
  const none = await provisionModule(ipSources, "interface", { name: "odd0" });
  await expect(none.addresses({}, signal)).rejects.toThrow("there is no interface odd0");
  const given = await provisionModule(ipSources, "static", {
    ips: ["2001:db8::1", "192.0.2.1", "192.0.2.2"],
  });
  expect(await given.addresses({}, signal)).toEqual([
    { ip: "192.0.2.1", type: "A" },
    { ip: "2001:db8::1", type: "AAAA" },
  ]);
});

test.skipIf(!hasNamed)("a server keeps the records of a real DNS server (needs BIND's named)", async () => {
  const named = await Named.start();
  onTestFinished(() => named.close());
  const provider = {
    ...{ name: "rfc2136", server: named.address, key: named.key },
    ...{ key_name: named.keyName, key_alg: "hmac-sha256" },
  };
  const config = (ips: string[], more: object = {}) => ({
    apps: {
      dynamic_dns: {
        dns_provider: provider,
        domains: { "example.test": ["home"], "sub.example.test": ["@"] },
        ip_sources: [{ source: "static", ips }],
        resolvers: [named.address],
        ...more,
      },
    },
  });
  const running = await RunningServer.start(config(["192.0.2.1", "2001:db8::1"]));
  onTestFinished(() => running.close());
  const seen = async () => [
    ...(await named.resolver.resolve4("home.example.test")),
    ...(await named.resolver.resolve6("home.example.test").catch(() => [])),
    ...(await named.resolver.resolve4("sub.example.test").catch(() => [])),
  ];
  const wait = { timeout: 60_000, interval: 100 };
  await vi.waitFor(async () => expect(await seen()).toEqual(["192.0.2.1", "2001:db8::1", "192.0.2.1"]), wait);
  const answer = await running.admin("POST", "/load", config(["192.0.2.2"]));
  expect([answer.status, answer.error]).toEqual([200, ""]);
  await vi.waitFor(async () => expect(await seen()).toEqual(["192.0.2.2", "2001:db8::1", "192.0.2.2"]), wait);
});

test.each<[object, string]>([
  [{}, "a DNS provider is required"],
  [{ dns_provider: { name: "odd" } }, "dns.providers.odd"],
  [{ dns_provider: { name: "acmedns" } }, "acmedns has no address records"],
  [{ dns_provider: { name: "exec", command: ["x"] }, check_interval: "10ms" }, "check_interval"],
  [{ dns_provider: { name: "exec", command: ["x"] }, dynamic_domains: true }, "dynamic_domains"],
  [{ dns_provider: { name: "exec", command: ["x"] }, include: ["10.0.0.0"] }, "CIDR range"],
  [
    { dns_provider: { name: "exec", command: ["x"] }, ip_sources: [{ source: "upnp" }] },
    "upnp is not supported",
  ],
  [
    {
      dns_provider: { name: "exec", command: ["x"] },
      ip_sources: [{ source: "simple_http", endpoints: ["ftp://a"] }],
    },
    "URL of http or https",
  ],
])("%j is refused", async (config, message) => {
  const running = await RunningServer.start();
  onTestFinished(() => running.close());
  const answer = await running.admin("POST", "/load", { apps: { dynamic_dns: config } });
  expect([answer.status, answer.error]).toEqual([400, expect.stringContaining(message)]);
});

const text = `{
	dynamic_dns {
		provider duckdns {env.TOKEN}
		domains {
			example.com @ www
			example.net
		}
		ip_source simple_http https://icanhazip.com
		ip_source interface eth0
		ip_source static 192.0.2.1
		check_interval 5m
		versions ipv4
		ttl 1h
		include 192.0.2.0/24
		update_only
	}
}
`;

test("the text becomes the app and comes back", async () => {
  const { result } = adaptServerfile(Buffer.from(text), {});
  expect(JSON.parse(JSON.stringify(result))).toEqual({
    apps: {
      dynamic_dns: {
        dns_provider: { name: "duckdns", api_token: "{env.TOKEN}" },
        domains: { "example.com": ["@", "www"], "example.net": null },
        ip_sources: [
          { source: "simple_http", endpoints: ["https://icanhazip.com"] },
          { source: "interface", name: "eth0" },
          { source: "static", ips: ["192.0.2.1"] },
        ],
        check_interval: 300_000_000_000,
        versions: { ipv4: true, ipv6: false },
        ttl: 3_600_000_000_000,
        include: ["192.0.2.0/24"],
        update_only: true,
      },
    },
  });
  expect(adaptServerfile(Buffer.from(await toServerfile(result)), {}).result).toEqual(result);
});

test.each([
  ["versions ipv5", "Unsupported version: 'ipv5'"],
  ["versions", "Must specify at least one version"],
  ["odd", "odd"],
  ["ip_source odd", "dynamic_dns.ip_sources.odd"],
])("refuses the line %s", (line, message) => {
  expect(() => adaptServerfile(Buffer.from(`{\n\tdynamic_dns {\n\t\t${line}\n\t}\n}\n`), {})).toThrow(
    message,
  );
});
