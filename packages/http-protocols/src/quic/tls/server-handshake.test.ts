import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { ClientHandshake, type ClientHandshakeOptions } from "../../testing/client-handshake.ts";
import type { Certificate } from "./handshake-messages.ts";
import { ServerHandshake, type ServerHandshakeOptions } from "./server-handshake.ts";
import type { CryptoLevel, HandshakeEvents } from "./tls-handshake.ts";

const pairs = {
  ed25519: generateKeyPairSync("ed25519"),
  p256: generateKeyPairSync("ec", { namedCurve: "P-256" }),
  p384: generateKeyPairSync("ec", { namedCurve: "P-384" }),
  rsa: generateKeyPairSync("rsa", { modulusLength: 2048 }),
  rsaPss: generateKeyPairSync("rsa-pss", { modulusLength: 2048, hashAlgorithm: "sha384" }),
};
const certificateOf = (name: keyof typeof pairs): Certificate => ({
  chain: [Buffer.from("a certificate"), Buffer.from("its issuer")],
  key: pairs[name].privateKey,
});

interface Side extends HandshakeEvents {
  readonly sent: [CryptoLevel, Buffer][];
  readonly secrets: Record<string, string>;
  parameters: string;
  protocol: string;
  error: unknown;
}

function newSide(): Side {
  const side: Side = {
    sent: [],
    secrets: {},
    parameters: "",
    protocol: "",
    error: undefined,
    onCrypto: (level, bytes) => side.sent.push([level, bytes]),
    onWriteSecret: (level, _, secret) => {
      side.secrets[`write ${level}`] = secret.toString("hex");
    },
    onReadSecret: (level, _, secret) => {
      side.secrets[`read ${level}`] = secret.toString("hex");
    },
    onTransportParameters: (bytes) => {
      side.parameters = bytes.toString();
    },
    onHandshakeDone: (protocol) => {
      side.protocol = protocol;
    },
    onHandshakeError: (error) => {
      side.error = error;
    },
  };
  return side;
}

function newHandshake(
  clientOptions: Partial<ClientHandshakeOptions>,
  serverOptions: Partial<ServerHandshakeOptions> = {},
  certificate: keyof typeof pairs = "p256",
) {
  const client = newSide();
  const server = newSide();
  const serverHandshake = new ServerHandshake(
    {
      protocols: ["h3"],
      chooseCertificate: (_, answer) => answer(certificateOf(certificate)),
      transportParameters: () => Buffer.from("of the server"),
      ...serverOptions,
    },
    server,
  );
  const clientHandshake = new ClientHandshake(
    {
      serverKey: pairs[certificate].publicKey,
      transportParameters: Buffer.from("of the client"),
      ...clientOptions,
    },
    client,
  );
  clientHandshake.start();
  const run = () => {
    while (client.sent.length + server.sent.length > 0) {
      for (const [level, bytes] of client.sent.splice(0)) {
        // In pieces, as CRYPTO frames may come.
        for (let at = 0; at < bytes.length; at += 100) {
          serverHandshake.receive(level, bytes.subarray(at, at + 100));
        }
      }
      for (const [level, bytes] of server.sent.splice(0)) {
        clientHandshake.receive(level, bytes);
      }
    }
  };
  return { client, server, clientHandshake, serverHandshake, run };
}

function expectDone({ client, server }: { client: Side; server: Side }): void {
  expect([client.protocol, server.protocol]).toEqual(["h3", "h3"]);
  expect([client.parameters, server.parameters]).toEqual(["of the server", "of the client"]);
  for (const level of ["handshake", "1rtt"]) {
    expect(client.secrets[`read ${level}`]).toBe(server.secrets[`write ${level}`]);
    expect(client.secrets[`write ${level}`]).toBe(server.secrets[`read ${level}`]);
  }
  expect(Object.keys(server.secrets)).toHaveLength(4);
}

test.each(Object.keys(pairs) as (keyof typeof pairs)[])("signs with a key of %s", (name) => {
  const handshake = newHandshake({}, {}, name);
  handshake.run();
  expectDone(handshake);
});

test.each([
  ["AES-128-GCM", [0x1301], 0x1301],
  ["AES-256-GCM", [0x1302], 0x1302],
  ["ChaCha20-Poly1305, which the client wants", [0x1303, 0x1301], 0x1303],
  ["AES-128-GCM, which has hardware", [0x1302, 0x1303, 0x1301], 0x1301],
])("uses %s", (_, suites, chosen) => {
  const handshake = newHandshake({ suites });
  handshake.run();
  expectDone(handshake);
  expect(handshake.clientHandshake.suite).toBe(chosen);
});

test.each([
  ["X25519", { groups: [0x1d] }, 0x1d, false],
  ["P-256", { groups: [0x17] }, 0x17, false],
  ["X25519MLKEM768", { groups: [0x11ec, 0x1d] }, 0x11ec, false],
  ["the group that has a key", { groups: [0x11ec, 0x1d, 0x17], shares: [0x17] }, 0x17, false],
  ["a HelloRetryRequest for X25519", { groups: [0x18, 0x1d], shares: [] }, 0x1d, true],
  ["a HelloRetryRequest for P-256", { groups: [0x17], shares: [] }, 0x17, true],
])("exchanges keys by %s", (_, options, group, retried) => {
  const handshake = newHandshake(options);
  handshake.run();
  expectDone(handshake);
  expect(handshake.clientHandshake).toMatchObject({ group, retried });
});

test("chooses the certificate by server name, also later", () => {
  const asked: unknown[] = [];
  let answerLater: (certificate: Certificate | undefined) => void = () => {};
  const handshake = newHandshake(
    { serverName: "Shop.Example", schemes: [0x0403] },
    {
      chooseCertificate: ({ serverName: name, signatureSchemes: schemes }, answer) => {
        asked.push(name, schemes);
        answerLater = answer;
      },
    },
  );
  handshake.run();
  expect(asked).toEqual(["shop.example", [0x0403]]);
  expect(handshake.client.protocol).toBe("");
  answerLater(certificateOf("p256"));
  handshake.run();
  expectDone(handshake);
  // A second answer does nothing.
  answerLater(undefined);
  expect(handshake.server.error).toBeUndefined();
});

test("reports that no certificate came later", () => {
  let answerLater: (certificate: Certificate | undefined) => void = () => {};
  const handshake = newHandshake({}, { chooseCertificate: (_, answer) => (answerLater = answer) });
  handshake.run();
  answerLater(undefined);
  expect(handshake.server.error).toMatchObject({ code: 0x100 + 112 });
});

test.each([
  ["no common protocol", { protocols: ["hq-interop"] }, 120],
  ["no common suite", { suites: [0x1304] }, 40],
  ["no common group", { groups: [0x1e], shares: [] }, 40],
  ["a key that it cannot verify", { schemes: [0x0804] }, 40],
  ["a server name that is none", { serverName: "a b" }, 47],
])("refuses a client with %s", (_, options, alert) => {
  expect(() => newHandshake(options).run()).toThrow(
    expect.objectContaining({ name: "QuicError", code: 0x100 + alert }),
  );
});

test("refuses a wrong Finished, messages out of order and bytes behind them", () => {
  const wrong = newHandshake({});
  const [, hello] = wrong.client.sent[0]!;
  expect(() => wrong.serverHandshake.receive("initial", Buffer.concat([hello, Buffer.of(1)]))).toThrow(
    expect.objectContaining({ code: 0x100 + 10 }),
  );
  const early = newHandshake({});
  const finished = Buffer.concat([Buffer.from("14000020", "hex"), Buffer.alloc(32)]);
  expect(() => early.serverHandshake.receive("handshake", finished)).toThrow(
    expect.objectContaining({ code: 0x100 + 10 }),
  );
  early.serverHandshake.receive("initial", early.client.sent[0]![1]);
  expect(() => early.serverHandshake.receive("handshake", finished)).toThrow(
    expect.objectContaining({ code: 0x100 + 51 }),
  );
  const done = newHandshake({});
  done.run();
  expect(() => done.serverHandshake.receive("1rtt", Buffer.from("1800000100", "hex"))).toThrow(
    expect.objectContaining({ code: 0x100 + 10 }),
  );
  expect(() => newHandshake({}).serverHandshake.receive("initial", Buffer.from("01ffffff", "hex"))).toThrow(
    expect.objectContaining({ code: 0x100 + 50 }),
  );
});

test.each([
  [0x1d, 32],
  [0x17, 65],
])("refuses a key of group %d whose bytes are zeros", (group, bytes) => {
  const { client, serverHandshake } = newHandshake({ groups: [group] });
  const hello = Buffer.from(client.sent[0]![1]);
  const at = hello.indexOf(Buffer.of(0, group, 0, bytes)) + 4;
  hello.fill(0, at, at + bytes);
  expect(() => serverHandshake.receive("initial", hello)).toThrow(
    expect.objectContaining({ code: 0x100 + 47 }),
  );
});
