import { generateKeyPairSync, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { ClientHandshake, type ClientHandshakeOptions } from "../../testing/client-handshake.ts";
import type { Certificate } from "./handshake-messages.ts";
import { ServerHandshake, type ServerHandshakeOptions } from "./server-handshake.ts";
import { SingleUseSerials, singleUseBytes } from "./single-use-serials.ts";
import type { CryptoLevel } from "./tls-handshake.ts";

const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
const certificate: Certificate = { chain: [Buffer.from("a certificate")], key: pair.privateKey };

/** A server with the state that all its threads share. */
function newServer() {
  const state = {
    terms: "65536" as string | undefined,
    time: 1_000_000,
    keys: [randomBytes(48)],
    ofClients: false,
  };
  const serials = new SingleUseSerials(new SharedArrayBuffer(singleUseBytes));
  const options: ServerHandshakeOptions = {
    protocols: ["h3"],
    transportParameters: () => Buffer.from("of the server"),
    tickets: { keys: () => state.keys, now: () => state.time, lifetimeSeconds: 3_600 },
    earlyData: { serials, terms: () => state.terms },
    chooseCertificate: (_, answer) =>
      answer(
        state.ofClients
          ? {
              ...certificate,
              clientAuthentication: {
                required: false,
                authorities: [],
                verify: (_chain, ok) => ok(undefined),
              },
            }
          : certificate,
      ),
  };
  return { state, serials, options };
}

/** Runs a handshake. `early` is what the server reads early data with; "" for none. */
function shake(options: ServerHandshakeOptions, client: Partial<ClientHandshakeOptions> = {}) {
  const sent: Record<"client" | "server", [CryptoLevel, Buffer][]> = { client: [], server: [] };
  let early: string | undefined;
  let done = 0;
  const eventsOf = (side: "client" | "server") => ({
    onCrypto: (level: CryptoLevel, bytes: Buffer) => sent[side].push([level, Buffer.from(bytes)]),
    onWriteSecret: () => {},
    onReadSecret: () => {},
    onEarlyData: (_: unknown, secret: Buffer | undefined) => {
      early = secret?.toString("hex") ?? "";
    },
    onTransportParameters: () => {},
    onHandshakeDone: () => {
      done++;
    },
    onHandshakeError: (error: unknown) => {
      throw error;
    },
  });
  const server = new ServerHandshake(options, eventsOf("server"));
  const handshake = new ClientHandshake(
    {
      serverKey: pair.publicKey,
      serverName: "shop.example",
      transportParameters: Buffer.from("of the client"),
      ...client,
    },
    eventsOf("client"),
  );
  handshake.start();
  while (sent.client.length + sent.server.length > 0) {
    for (const [level, bytes] of sent.client.splice(0)) {
      server.receive(level, bytes);
    }
    for (const [level, bytes] of sent.server.splice(0)) {
      handshake.receive(level, bytes);
    }
  }
  expect(done).toBe(2);
  return { handshake, early, ticket: handshake.ticket! };
}

test("takes early data once for each ticket, and both sides have its secret", () => {
  const { options } = newServer();
  const { ticket, early } = shake(options);
  expect([ticket.earlyData, early]).toEqual([true, ""]);
  const first = shake(options, { ticket, sendsEarlyData: true });
  expect(first.early).toBe(first.handshake.earlySecret().toString("hex"));
  expect([first.handshake.earlyDataTaken, first.handshake.resumed]).toEqual([true, true]);
  // The session goes on without early data.
  const second = shake(options, { ticket, sendsEarlyData: true });
  expect([second.early, second.handshake.earlyDataTaken, second.handshake.resumed]).toEqual([
    "",
    false,
    true,
  ]);
  expect(shake(options, { ticket: first.ticket, sendsEarlyData: true }).handshake.earlyDataTaken).toBe(true);
});

test("takes no early data that the client does not offer, and its ticket stays unused", () => {
  const { options } = newServer();
  const { ticket } = shake(options);
  expect(shake(options, { ticket }).handshake.earlyDataTaken).toBe(false);
  expect(shake(options, { ticket, sendsEarlyData: true }).handshake.earlyDataTaken).toBe(true);
});

test.each<[string, (server: ReturnType<typeof newServer>) => void, Partial<ClientHandshakeOptions>, boolean]>(
  [
    ["settings that changed", ({ state }) => (state.terms = "16384"), {}, true],
    ["a config that takes none", ({ state }) => (state.terms = undefined), {}, true],
    ["a message that was held back for eleven seconds", ({ state }) => (state.time += 11_000), {}, true],
    ["a HelloRetryRequest", () => {}, { groups: [0x17], shares: [] }, true],
    ["another cipher suite of the same hash", () => {}, { suites: [0x1303] }, true],
    ["a server that asks for client certificates", ({ state }) => (state.ofClients = true), {}, false],
    ["a ticket of keys that are gone", ({ state }) => (state.keys = [randomBytes(48)]), {}, false],
  ],
)("drops the early data and goes on for %s", (_, change, client, resumed) => {
  const server = newServer();
  const { ticket } = shake(server.options, { suites: [0x1301] });
  change(server);
  const { handshake, early } = shake(server.options, { ticket, sendsEarlyData: true, ...client });
  expect([early, handshake.earlyDataTaken, handshake.resumed]).toEqual(["", false, resumed]);
});

test("takes none with a ticket of another process, whose memory of used tickets is gone", () => {
  const before = newServer();
  const after = newServer();
  after.state.keys = before.state.keys;
  shake(after.options);
  const { ticket } = shake(before.options);
  expect(shake(after.options, { ticket, sendsEarlyData: true }).handshake).toMatchObject({
    earlyDataTaken: false,
    resumed: true,
  });
});

test("gives tickets without early data while the config takes none", () => {
  const { options, state } = newServer();
  state.terms = undefined;
  const { ticket } = shake(options);
  state.terms = "65536";
  expect(ticket.earlyData).toBe(false);
  expect(shake(options, { ticket, sendsEarlyData: true }).handshake.earlyDataTaken).toBe(false);
});
