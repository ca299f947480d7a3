// The library needs this polyfill to find its algorithms, so this import must come first.
import "../../../material/reflect-metadata.ts";
import { createHash } from "node:crypto";
import dgram from "node:dgram";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { Extension } from "@peculiar/x509";
import { afterEach, describe, expect, test } from "vitest";
import { identifierOid } from "../../../acme/identifier-names.ts";
import { selfSigned } from "../../../testing/self-signed.ts";
import { AcmeProblem } from "../acme-problem.ts";
import { validateDns } from "./dns-challenge.ts";
import { validateHttp } from "./http-challenge.ts";
import { validateTlsAlpn } from "./tls-alpn-challenge.ts";
import { mayPass, type ValidationWays, type Validator } from "./validation.ts";

const keyAuthorization = "token.thumbprint";
const digest = createHash("sha256").update(keyAuthorization).digest();
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
  }
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

async function outcome(validate: Validator, name: string, ways: Partial<ValidationWays>): Promise<string> {
  const validation = { name, token: "token", keyAuthorization, signal: new AbortController().signal };
  try {
    await validate(validation, { httpPort: 9, tlsPort: 9, resolvers: [], ...ways });
    return "";
  } catch (error) {
    const { type, message } = error as Error & { type: string };
    return `${type}: ${message}`;
  }
}

describe("HTTP-01", () => {
  const answering = async (listener: RequestListener, name = "127.0.0.1") =>
    outcome(validateHttp, name, { httpPort: await listen(createServer(listener)) });

  test("is passed by the key authorization at the token's path, with space behind it too", async () => {
    const paths: string[] = [];
    const fault = await answering((request, response) => {
      paths.push(request.url ?? "");
      response.end(`${keyAuthorization}\n`);
    }, "localhost");
    expect([fault, paths]).toEqual(["", ["/.well-known/acme-challenge/token"]]);
  });

  test("follows redirects, though not everywhere", async () => {
    const fault = await answering((request, response) => {
      const here = request.url === "/there";
      response.writeHead(here ? 200 : 302, { Location: "/there" }).end(here ? keyAuthorization : "");
    });
    expect(fault).toBe("");
    expect(await answering((_, response) => response.writeHead(302, { Location: "/again" }).end())).toBe(
      "connection: more than 10 redirects",
    );
    for (const target of ["http://127.0.0.1:22/", "ftp://127.0.0.1/", "http://user@127.0.0.1/"]) {
      expect(await answering((_, response) => response.writeHead(302, { Location: target }).end())).toContain(
        "connection: redirected to",
      );
    }
  });

  test("is failed by anything else", async () => {
    expect(await answering((_, response) => response.end("other"))).toContain("incorrectResponse");
    expect(await answering((_, response) => response.end(keyAuthorization.padEnd(5_000, "x")))).toContain(
      "not the key authorization",
    );
    expect(await answering((_, response) => response.writeHead(404).end())).toContain("status 404");
    expect(await answering((_, response) => response.destroy())).toContain("connection: ");
  });
});

describe("TLS-ALPN-01", () => {
  async function shown(
    name: string,
    options: { extension?: Extension; protocols?: string[]; names?: string[] },
  ) {
    const { cert, key } = await selfSigned("", {
      names: options.names ?? [name],
      extensions: options.extension === undefined ? [] : [options.extension],
    });
    const server = createTlsServer({
      cert,
      key,
      ALPNProtocols: options.protocols ?? ["acme-tls/1"],
    });
    server.on("tlsClientError", () => {});
    server.on("secureConnection", (socket) => socket.on("error", () => {}));
    return outcome(validateTlsAlpn, name, { tlsPort: await listen(server) });
  }
  const good = new Extension(identifierOid, true, Buffer.concat([Buffer.from([4, 32]), digest]));

  test.each(["localhost", "127.0.0.1"])("is passed by a certificate for %s with the digest", async (name) => {
    expect(await shown(name, { extension: good })).toBe("");
  });

  test.each([
    ["no extension", {}, "critical acmeIdentifier"],
    [
      "another digest",
      { extension: new Extension(identifierOid, true, Buffer.alloc(34)) },
      "critical acmeIdentifier",
    ],
    ["one that is not critical", { extension: new Extension(identifierOid, false, good.value) }, "critical"],
    ["more names", { extension: good, names: ["localhost", "b.example"] }, "not for the name alone"],
    ["another protocol", { extension: good, protocols: ["http/1.1"] }, "connection: "],
  ])("is failed by %s", async (_, options, expected) => {
    expect(await shown("localhost", options)).toContain(expected);
  });
});

describe("DNS-01", () => {
  /** A DNS server that returns the same TXT records for every name. */
  async function zone(...texts: string[]): Promise<{ server: string; asked: string[]; close(): void }> {
    const socket = dgram.createSocket("udp4");
    const asked: string[] = [];
    socket.on("message", (query, from) => {
      const end = query.indexOf(0, 12);
      const labels: string[] = [];
      for (let at = 12; at < end; at += 1 + (query[at] ?? 0)) {
        labels.push(query.toString("latin1", at + 1, at + 1 + (query[at] ?? 0)));
      }
      asked.push(labels.join("."));
      const head = Buffer.from(query.subarray(0, end + 5));
      head.writeUInt16BE(0x8180, 2);
      head.writeUInt16BE(texts.length, 6);
      head.fill(0, 8, 12);
      const records = texts.map((text) =>
        Buffer.concat([
          Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 1, 0, text.length + 1, text.length]),
          Buffer.from(text),
        ]),
      );
      socket.send(Buffer.concat([head, ...records]), from.port, from.address);
    });
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    return { server: `127.0.0.1:${socket.address().port}`, asked, close: () => socket.close() };
  }

  test("is passed by one of several records", async () => {
    const { server, asked, close } = await zone("other", digest.toString("base64url"));
    expect(await outcome(validateDns, "a.example", { resolvers: [server] })).toBe("");
    expect(asked).toEqual(["_acme-challenge.a.example"]);
    close();
  });

  test("is failed by other records, and by none", async () => {
    const [other, none] = [await zone("other"), await zone()];
    expect(await outcome(validateDns, "a.example", { resolvers: [other.server] })).toContain(
      "incorrectResponse",
    );
    expect(await outcome(validateDns, "a.example", { resolvers: [none.server] })).toContain("dns: ");
    other.close();
    none.close();
  });
});

test("what could not be reached may be asked again, what answered wrongly not", async () => {
  expect(
    ["connection", "dns", "incorrectResponse"].map((type) => mayPass(new AcmeProblem(type as "dns", ""))),
  ).toEqual([true, true, false]);
});
