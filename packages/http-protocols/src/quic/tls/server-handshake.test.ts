import { generateKeyPairSync, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { ClientHandshake, type ClientHandshakeOptions } from "../../testing/client-handshake.ts";
import { selfSignedCertificate } from "../../testing/self-signed-der.ts";
import type { Certificate } from "./handshake-messages.ts";
import { ServerHandshake, type ServerHandshakeOptions } from "./server-handshake.ts";
import { openTicket } from "./session-tickets.ts";
import type { CryptoLevel, HandshakeEvents, HandshakePeer } from "./tls-handshake.ts";

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
  peer: HandshakePeer | undefined;
  error: unknown;
}

function newSide(): Side {
  const side: Side = {
    sent: [],
    secrets: {},
    parameters: "",
    protocol: "",
    peer: undefined,
    error: undefined,
    onCrypto: (level, bytes) => side.sent.push([level, bytes]),
    onWriteSecret: (level, _, secret) => {
      side.secrets[`write ${level}`] = secret.toString("hex");
    },
    onReadSecret: (level, _, secret) => {
      side.secrets[`read ${level}`] = secret.toString("hex");
    },
    onEarlyData: () => {},
    onTransportParameters: (bytes) => {
      side.parameters = bytes.toString();
    },
    onHandshakeDone: (protocol, peer) => {
      side.protocol = protocol;
      side.peer = peer;
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

/** Tickets with keys and a time that a test changes. */
function newTickets() {
  const state = { keys: [randomBytes(48)], time: 1_000_000 };
  return { state, tickets: { keys: () => state.keys, now: () => state.time, lifetimeSeconds: 60 } };
}

/** A session, and the ticket that its client got. */
function ticketOf(
  serverOptions: Partial<ServerHandshakeOptions>,
  client: Partial<ClientHandshakeOptions> = {},
) {
  const handshake = newHandshake({ serverName: "shop.example", ...client }, serverOptions);
  handshake.run();
  expectDone(handshake);
  return handshake.clientHandshake.ticket;
}

test.each([
  ["AES-128-GCM", [0x1301], {}],
  ["AES-256-GCM", [0x1302], {}],
  ["a HelloRetryRequest", [0x1301], { groups: [0x17], shares: [] }],
])("resumes a session by its ticket with %s", (_, suites, options) => {
  const { tickets } = newTickets();
  const ticket = ticketOf({ tickets }, { suites })!;
  let signed = 0;
  const resumed = newHandshake(
    { serverName: "shop.example", suites, ticket, ...options },
    {
      tickets,
      chooseCertificate: (_hello, answer) => {
        signed++;
        answer({ ...certificateOf("p256"), chain: [] });
      },
    },
  );
  resumed.run();
  expectDone(resumed);
  expect(resumed.clientHandshake.resumed).toBe(true);
  expect(resumed.server.peer).toMatchObject({ resumed: true, serverName: "shop.example" });
  expect(signed).toBe(1);
  // Each session brings a ticket for the next.
  expect(resumed.clientHandshake.ticket!.ticket.equals(ticket.ticket)).toBe(false);
});

test.each<[string, (state: { keys: Buffer[]; time: number }) => void, Partial<ClientHandshakeOptions>]>([
  ["an old ticket", (state) => (state.time += 60_000), {}],
  ["a ticket of keys that are gone", (state) => (state.keys = [randomBytes(32)]), {}],
  ["a ticket without any keys", (state) => (state.keys = []), {}],
  ["a ticket for another name", () => {}, { serverName: "other.example" }],
  ["a ticket for another hash", () => {}, { suites: [0x1302] }],
])("makes a whole handshake for %s", (_, change, options) => {
  const { state, tickets } = newTickets();
  const ticket = ticketOf({ tickets }, { suites: [0x1301] })!;
  change(state);
  const handshake = newHandshake({ serverName: "shop.example", ticket, ...options }, { tickets });
  handshake.run();
  expectDone(handshake);
  expect([handshake.clientHandshake.resumed, handshake.server.peer?.resumed]).toEqual([false, false]);
});

test("keeps a ticket alive while its key is among the old ones", () => {
  const { state, tickets } = newTickets();
  const ticket = ticketOf({ tickets })!;
  state.keys = [randomBytes(32), ...state.keys];
  const handshake = newHandshake({ serverName: "shop.example", ticket }, { tickets });
  handshake.run();
  expect(handshake.clientHandshake.resumed).toBe(true);
});

test("refuses a client that has a ticket without its secret, and reads no changed ticket", () => {
  const { tickets } = newTickets();
  const ticket = ticketOf({ tickets })!;
  const stolen = newHandshake(
    { serverName: "shop.example", ticket: { ...ticket, psk: Buffer.alloc(32) } },
    { tickets },
  );
  expect(() => stolen.run()).toThrow(expect.objectContaining({ code: 0x100 + 51 }));
  for (let index = 0; index < ticket.ticket.length; index++) {
    const changed = Buffer.from(ticket.ticket);
    changed[index] = (changed[index] as number) ^ 1;
    expect(openTicket(tickets, changed)).toBeUndefined();
  }
});

const clientCertificate = selfSignedCertificate();

/** A server that requests certificates. */
function askingServer(required: boolean, verdict: string | undefined = undefined) {
  const seen: (readonly Buffer[])[] = [];
  const options: Partial<ServerHandshakeOptions> = {
    tickets: newTickets().tickets,
    chooseCertificate: (_, answer) =>
      answer({
        ...certificateOf("p256"),
        clientAuthentication: {
          required,
          verify: (chain, decide) => {
            seen.push(chain);
            decide(verdict);
          },
        },
      }),
  };
  return { options, seen };
}

test("takes a client's certificate, and gives such clients no ticket", () => {
  const { options, seen } = askingServer(true);
  const handshake = newHandshake({ certificate: clientCertificate }, options);
  handshake.run();
  expectDone(handshake);
  expect(seen).toEqual([clientCertificate.chain]);
  expect(handshake.server.peer?.certificates).toEqual(clientCertificate.chain);
  expect(handshake.clientHandshake.ticket).toBeUndefined();
});

test("asks for the certificate again, whatever ticket the client has", () => {
  const { options, seen } = askingServer(true);
  const ticket = ticketOf({ tickets: options.tickets })!;
  const handshake = newHandshake(
    { serverName: "shop.example", ticket, certificate: clientCertificate },
    options,
  );
  handshake.run();
  expect([handshake.clientHandshake.resumed, seen.length]).toEqual([false, 1]);
});

test("lets a client without a certificate in where none is required", () => {
  const { options, seen } = askingServer(false);
  const handshake = newHandshake({}, options);
  handshake.run();
  expectDone(handshake);
  expect(seen).toEqual([[]]);
});

test.each<[string, () => ReturnType<typeof newHandshake>, number]>([
  ["without a certificate", () => newHandshake({}, askingServer(true).options), 116],
  [
    "whose certificate is not accepted",
    () => newHandshake({ certificate: clientCertificate }, askingServer(true, "revoked").options),
    42,
  ],
  [
    "without the key of its certificate",
    () =>
      newHandshake(
        { certificate: { ...clientCertificate, key: pairs.p256.privateKey } },
        askingServer(true).options,
      ),
    51,
  ],
  [
    "that signs by a key of another kind",
    () =>
      newHandshake(
        { certificate: { ...clientCertificate, key: pairs.ed25519.privateKey } },
        askingServer(true).options,
      ),
    47,
  ],
  [
    "whose certificate is none",
    () =>
      newHandshake(
        { certificate: { ...clientCertificate, chain: [Buffer.from("no DER")] } },
        askingServer(false).options,
      ),
    42,
  ],
])("refuses a client %s", (_, start, alert) => {
  const handshake = start();
  expect(() => handshake.run()).toThrow(expect.objectContaining({ code: 0x100 + alert }));
  expect(handshake.server.protocol).toBe("");
});

test("waits for a verdict that comes later", () => {
  let decide: (problem: string | undefined) => void = () => {};
  const verify = (_: readonly Buffer[], answer: typeof decide) => {
    decide = answer;
  };
  const start = () =>
    newHandshake(
      { certificate: clientCertificate },
      {
        chooseCertificate: (_, answer) =>
          answer({ ...certificateOf("p256"), clientAuthentication: { required: true, verify } }),
      },
    );
  const accepted = start();
  accepted.run();
  expect(accepted.server.protocol).toBe("");
  decide(undefined);
  expect(accepted.server.protocol).toBe("h3");
  const refused = start();
  refused.run();
  decide("revoked");
  expect(refused.server.error).toMatchObject({ code: 0x100 + 42 });
});
