import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasNamed, Named } from "../../../../testing/named.ts";
import { zoneProvider } from "../../api/zone-provider.ts";
import { readAnswer } from "./dns-message.ts";
import { rfc2136Api } from "./rfc2136.ts";
import { type TsigKey, tsigAlgorithms } from "./tsig.ts";

describe.skipIf(!hasNamed)("a server that takes updates (needs BIND's named)", () => {
  let named: Named;
  beforeAll(async () => {
    named = await Named.start();
  });
  afterAll(() => named?.close());

  const provider = (key: Partial<TsigKey> = {}) => {
    const [host = "", port] = named.address.split(":");
    const given = { name: named.keyName, algorithm: "hmac-sha256", secret: Buffer.from(named.key, "base64") };
    return zoneProvider(rfc2136Api({ host, port: Number(port) }, { ...given, ...key }));
  };

  test("texts of a name come and go one by one, in the nearest zone", async () => {
    const dns = provider();
    const name = "_acme-challenge.a.sub.example.test";
    const long = "x".repeat(300);
    await dns.present(name, "one", 60);
    await dns.present(name, long, 60);
    expect(await named.texts(name)).toEqual(["one", long]);
    await dns.remove(name, "one");
    await dns.remove(name, "one");
    expect(await named.texts(name)).toEqual([long]);
    await dns.remove(name, long);
    expect(await named.texts(name)).toEqual([]);
    await dns.present("_acme-challenge.example.test", "of the zone above", 60);
    expect(await named.texts("_acme-challenge.example.test")).toEqual(["of the zone above"]);
  });

  test("a name record", async () => {
    const dns = provider();
    await dns.present("_proof.example.test", "check.authority.test", 60, "CNAME");
    expect(await named.resolver.resolveCname("_proof.example.test")).toEqual(["check.authority.test"]);
    await dns.remove("_proof.example.test", "check.authority.test", "CNAME");
    await expect(named.resolver.resolveCname("_proof.example.test")).rejects.toThrow();
  });

  test.each([
    [{ secret: Buffer.from("another") }, "the server refuses the key acme-key: BADSIG"],
    [{ name: "unknown" }, "the server refuses the key unknown: BADKEY"],
    [{ algorithm: "hmac-sha512" }, "the server refuses the key acme-key: BADKEY"],
  ])("a wrong key %#", async (key, message) => {
    await expect(provider(key).present("_a.example.test", "x", 60)).rejects.toThrow(message);
  });

  test("a name of no zone of the server", async () => {
    await expect(provider().present("_acme-challenge.a.elsewhere.test", "x", 60)).rejects.toThrow(
      "rfc2136: no zone of this account holds _acme-challenge.a.elsewhere.test",
    );
  });

  test("no answer of anybody but the server counts", async () => {
    const [host, port] = named.address.split(":");
    // Passes on all messages of client and server, and changes one bit of each response.
    const relay: Server = createServer((client) => {
      const server = connect({ host: host ?? "", port: Number(port) });
      client.on("error", () => {}).pipe(server);
      server
        .on("error", () => {})
        .on("data", (chunk: Buffer) => {
          chunk.writeUInt8(chunk.readUInt8(4) ^ 1, 4);
          client.write(chunk);
        });
    });
    relay.listen(0, "127.0.0.1");
    await once(relay, "listening");
    const address = { host: "127.0.0.1", port: (relay.address() as AddressInfo).port };
    const key = { name: named.keyName, algorithm: "hmac-sha256", secret: Buffer.from(named.key, "base64") };
    await expect(zoneProvider(rfc2136Api(address, key)).present("_a.example.test", "x", 60)).rejects.toThrow(
      "an answer with a wrong signature",
    );
    relay.close();
  });
});

describe.skipIf(!hasNamed)("every algorithm (needs BIND's named)", () => {
  test.each(Object.keys(tsigAlgorithms))("%s", async (algorithm) => {
    const server = await Named.start(algorithm);
    try {
      const [host = "", port] = server.address.split(":");
      const key = { name: server.keyName, algorithm, secret: Buffer.from(server.key, "base64") };
      await zoneProvider(rfc2136Api({ host, port: Number(port) }, key)).present("_a.example.test", "x", 60);
      expect(await server.texts("_a.example.test")).toEqual(["x"]);
    } finally {
      await server.close();
    }
  });
});

test.each([
  ["empty", Buffer.alloc(0)],
  ["half a header", Buffer.alloc(6)],
  ["a name that points to itself", Buffer.from("000084000001000000000000c00c", "hex")],
  ["a record that ends early", Buffer.from("00008400000000010000000000001000010000003c00ff", "hex")],
])("bytes that are no answer: %s", (_, bytes) => {
  expect(() => readAnswer(bytes)).toThrow("an answer that is no DNS message");
});
