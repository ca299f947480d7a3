import { createHmac, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { damagedMessage, randomOf } from "wire/testing";
import { startHttp3TestServer } from "../../testing/http3-test-server.ts";
import { collect, SimulatedNetwork, testCertificate } from "../../testing/simulated-network.ts";
import { initialKeys, retryIntegrityTag } from "../protection/initial-keys.ts";
import { openPacket, sealPacket } from "../protection/packet-keys.ts";
import { ByteWriter } from "../wire/byte-writer.ts";
import { readPacketHeader, readVersionlessHeader, writePacketHeader } from "../wire/packet-header.ts";
import { AddressTokens } from "./address-token.ts";
import { ServerEndpoint, type ServerEndpointOptions } from "./server-endpoint.ts";

/** `FUZZ_ROUNDS=1000000 vitest run server-endpoint` runs more rounds. */
const rounds = Number(process.env.FUZZ_ROUNDS ?? 2_000);
const address = { address: "192.0.2.1", port: 1_000 };
const key = randomBytes(32);
const firstId = Buffer.from("first-id");

function newEndpoint(options: Partial<ServerEndpointOptions> = {}) {
  const sent: Buffer[] = [];
  const faults: unknown[] = [];
  const endpoint = new ServerEndpoint(
    {
      protocols: ["h3"],
      chooseCertificate: (_, __, answer) => answer(testCertificate),
      onConnection: () => ({
        onConnected: () => {},
        onStream: () => {},
        onStreamClosed: () => {},
        onClosed: ({ fault }) => {
          if (fault !== undefined) {
            faults.push(fault);
          }
        },
      }),
      ...options,
    },
    { send: ({ bytes }) => sent.push(bytes), setDeadline: () => {}, wake: () => {} },
  );
  return { endpoint, sent, faults };
}

/** An Initial packet that fills its datagram, sealed as a client would. */
function initialPacket(payload: Buffer, id = firstId, token: Buffer = Buffer.alloc(0)): Buffer {
  const writer = new ByteWriter(1_300);
  const header = {
    type: "initial",
    destinationId: id,
    sourceId: Buffer.from("client"),
    token,
    numberBytes: 1,
  } as const;
  const lengthAt = writePacketHeader(writer, header);
  const numberAt = writer.length;
  writer.u8(0).bytes(payload);
  writer.zeros(Math.max(1_200 - 16 - writer.length, 0));
  const payloadEnd = writer.length;
  writer.zeros(16).patchVarint2(lengthAt, payloadEnd + 16 - numberAt);
  sealPacket(initialKeys(id).client, writer.written, { from: 0, numberAt, payloadEnd, packetNumber: 0 });
  return Buffer.from(writer.written);
}

/** The first datagram of a client. */
function clientInitial(): Buffer {
  let first: Buffer | undefined;
  const network = new SimulatedNetwork({
    loses: (datagram) => {
      first ??= Buffer.from(datagram);
      return true;
    },
  });
  network.pass(1);
  return first as Buffer;
}

test("answers another version with the one that it speaks", () => {
  const { endpoint, sent } = newEndpoint();
  const datagram = Buffer.concat(
    [Buffer.from("c01a2a3a4a08", "hex"), firstId, Buffer.from("02aabb", "hex")],
    1_200,
  );
  endpoint.receive(datagram, address, 0);
  expect(readVersionlessHeader(sent[0]!)).toEqual({
    version: 0,
    destinationId: Buffer.from("aabb", "hex"),
    sourceId: firstId,
  });
  expect(sent[0]!.subarray(-4).toString("hex")).toBe("00000001");
  // A short datagram could make the response longer than the request.
  endpoint.receive(datagram.subarray(0, 1_199), address, 0);
  expect(sent).toHaveLength(1);
  expect(endpoint.size).toBe(0);
});

test("answers packets of other versions a thousand times a second", () => {
  const { endpoint, sent } = newEndpoint();
  const datagram = Buffer.concat([Buffer.from("c01a2a3a4a08", "hex"), firstId, Buffer.of(0)], 1_200);
  for (let count = 0; count < 1_500; count++) {
    endpoint.receive(datagram, address, 10);
  }
  expect([sent.length, endpoint.counts.dropped]).toEqual([1_000, 500]);
  endpoint.receive(datagram, address, 1_010);
  expect(sent).toHaveLength(1_001);
});

test.each([
  ["a datagram below 1,200 bytes", clientInitial().subarray(0, 1_199)],
  ["an id below 8 bytes", initialPacket(Buffer.of(1), Buffer.from("short"))],
  [
    "a packet that was not sealed with the keys of its id",
    Buffer.concat([initialPacket(Buffer.of(1)).subarray(0, -1), Buffer.of(0)]),
  ],
  ["nothing", Buffer.alloc(0)],
])("keeps nothing for %s", (_, datagram) => {
  const { endpoint, sent } = newEndpoint();
  endpoint.receive(Buffer.from(datagram), address, 0);
  expect(endpoint.size).toBe(0);
  expect(sent).toEqual([]);
});

test("sends a Retry when many handshakes are under way, and takes the client that returns its token", () => {
  const { endpoint, sent } = newEndpoint({ retryFrom: 1 });
  endpoint.receive(initialPacket(Buffer.of(1), randomBytes(8)), address, 0);
  expect(endpoint.size).toBe(1);
  sent.length = 0;
  endpoint.receive(initialPacket(Buffer.of(1)), address, 1);
  expect(endpoint.size).toBe(1);
  const retry = sent[0] as Buffer;
  const header = readPacketHeader(retry, 0, 8)!;
  expect(header).toMatchObject({ type: "retry", destinationId: Buffer.from("client") });
  expect(retryIntegrityTag(firstId, retry.subarray(0, -16))).toEqual(retry.subarray(-16));
  const token = Buffer.from(header.token.subarray(0, -16));
  const again = initialPacket(Buffer.of(1), Buffer.from(header.sourceId), token);
  endpoint.receive(Buffer.from(again), { ...address, port: 2 }, 2);
  expect(endpoint.size).toBe(1);
  endpoint.receive(Buffer.from(again), address, 20_000);
  expect(endpoint.size).toBe(1);
  endpoint.receive(Buffer.from(again), address, 2);
  expect(endpoint.size).toBe(2);
  expect(endpoint.counts).toMatchObject({ retries: 1, refused: 2 });
});

test("binds tokens to an address and a time", () => {
  const tokens = new AddressTokens(randomBytes(32));
  const token = tokens.seal(address, firstId, 1_000);
  expect(tokens.open(token, address, 1_000)).toEqual({ originalId: firstId, sealedAt: 1_000 });
  expect(tokens.open(token, address, 16_001)).toBeUndefined();
  expect(tokens.open(token, { ...address, address: "192.0.2.2" }, 1_000)).toBeUndefined();
  expect(new AddressTokens(randomBytes(32)).open(token, address, 1_000)).toBeUndefined();
  for (let index = 0; index < token.length; index++) {
    const damaged = Buffer.from(token);
    damaged[index] = (damaged[index] as number) ^ 1;
    expect(tokens.open(damaged, address, 1_000)).toBeUndefined();
  }
  expect(tokens.open(token.subarray(0, 20), address, 1_000)).toBeUndefined();
});

test("believes a client that returns from the same address within a day, and asks others", () => {
  const state = { time: 1_000_000 };
  const { endpoint, sent } = newEndpoint({ retryFrom: 0, key, wallClock: () => state.time });
  const tokens = new AddressTokens(createHmac("sha256", key).update("address token").digest());
  const token = tokens.sealReturning(address, state.time);
  const knock = (from: typeof address) =>
    endpoint.receive(initialPacket(Buffer.of(1), randomBytes(8), token), from, 0);
  knock({ ...address, port: 77 });
  expect([endpoint.size, endpoint.counts.retries]).toEqual([1, 0]);
  knock({ ...address, address: "192.0.2.2" });
  state.time += 86_400_001;
  knock(address);
  // An old token is no reason to drop a client: it may accept a Retry.
  expect([endpoint.size, endpoint.counts.retries, endpoint.counts.dropped]).toEqual([1, 2, 0]);
  expect(sent.at(-1)![0]! & 0xf0).toBe(0xf0);
});

test("gives a client a token for its next connections, also through loss", () => {
  let lose = true;
  const network = new SimulatedNetwork({
    server: { key },
    loses: (datagram, fromServer) => {
      // The first datagram of the server that starts with a short header.
      const lost = fromServer && lose && (datagram[0]! & 0x80) === 0;
      lose &&= !lost;
      return lost;
    },
  });
  const seen: Buffer[] = [];
  network.client.onToken = (token) => seen.push(token);
  network.run(() => seen.length > 0);
  const tokens = new AddressTokens(createHmac("sha256", key).update("address token").digest());
  expect(tokens.isReturning(seen[0]!, network.clientAddress, Date.now())).toBe(true);
  expect(tokens.isReturning(seen[0]!, network.clientAddress, Date.now() + 90_000_000)).toBe(false);
});

test("answers no more connections than its limit", () => {
  const { endpoint, sent } = newEndpoint({ maxConnections: 2 });
  for (let index = 0; index < 5; index++) {
    endpoint.receive(initialPacket(Buffer.of(1), randomBytes(8)), address, 0);
  }
  expect([endpoint.size, endpoint.counts.refused]).toEqual([2, 3]);
  expect(sent.length).toBeGreaterThan(0);
});

test("refuses clients while too many handshakes are under way, of all or of one", () => {
  const { endpoint } = newEndpoint({ handshakeLimits: { total: 3, perClient: 2 } });
  for (const from of ["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.3"]) {
    endpoint.receive(initialPacket(Buffer.of(1), randomBytes(8)), { address: from, port: 1 }, 0);
  }
  expect([endpoint.size, endpoint.counts.refused]).toEqual([3, 2]);
  for (const connection of [...endpoint.connections]) {
    endpoint.onTimeout(connection, 10_001);
  }
  endpoint.receive(initialPacket(Buffer.of(1), randomBytes(8)), address, 10_002);
  expect([endpoint.size, endpoint.counts.refused]).toEqual([1, 2]);
});

test("tells a client that its connection is gone, with less than came, and not without end", () => {
  const { endpoint, sent } = newEndpoint({ key });
  const datagram = Buffer.concat([Buffer.of(0x41), firstId, randomBytes(40)]);
  endpoint.receive(Buffer.from(datagram), address, 0);
  const other = newEndpoint({ key });
  other.endpoint.receive(Buffer.from(datagram), address, 0);
  expect(sent[0]).toHaveLength(43);
  expect(sent[0]!.subarray(-16)).toEqual(other.sent[0]!.subarray(-16));
  expect(sent[0]![0]! & 0xc0).toBe(0x40);
  endpoint.receive(datagram.subarray(0, 21), address, 0);
  expect(sent).toHaveLength(1);
  for (let index = 0; index < 1_000; index++) {
    endpoint.receive(Buffer.from(datagram), address, 1);
  }
  expect(sent).toHaveLength(200);
});

test("lets a client that is told so forget its connection", () => {
  const network = new SimulatedNetwork({ server: { key } });
  network.run(() => network.client.protocol !== "" && network.server.isHandshakeDone);
  network.pass(200);
  const lost = newEndpoint({ key });
  network.client.connection.openStream("bidi")!.write(Buffer.alloc(100));
  const [datagram] = network.client.connection.takeDatagrams(network.now);
  lost.endpoint.receive(Buffer.from(datagram!.bytes), address, 0);
  network.client.connection.receive(lost.sent[0]!, address, network.now);
  expect(network.client.closed).toMatchObject({ by: "reset" });
});

test("survives damaged datagrams, and forgets every client of them", {
  timeout: 180_000 + rounds * 10,
}, () => {
  const random = randomOf(8_999);
  const hello = clientInitial();
  const header = readPacketHeader(hello, 0, 8)!;
  const cryptoFrames = [
    Buffer.concat([Buffer.from("0600", "hex"), Buffer.from("4104", "hex"), Buffer.alloc(260, 1)]),
    Buffer.from("060004010000000600040401ffffff", "hex"),
    Buffer.from("0600050100000105" + "0200000000" + "01", "hex"),
    Buffer.from("1c0a0600", "hex"),
  ];
  const { endpoint, sent, faults } = newEndpoint({
    retryFrom: 100_000,
    handshakeLimits: { total: Number.POSITIVE_INFINITY, perClient: Number.POSITIVE_INFINITY },
  });
  const seen = { connections: 0 };
  for (let round = 0; round < rounds; round++) {
    const id = randomBytes(8);
    const datagram =
      random(3) === 0
        ? damagedMessage([hello, initialPacket(Buffer.of(1)), sent.at(-1) ?? hello], random)
        : initialPacket(damagedMessage(cryptoFrames, random).subarray(0, 1_100), id);
    const before = endpoint.size;
    endpoint.receive(Buffer.from(datagram), address, round);
    seen.connections += endpoint.size > before ? 1 : 0;
    endpoint.receive(Buffer.from(datagram), address, round);
    sent.length = Math.min(sent.length, 50);
  }
  expect(header.type).toBe("initial");
  expect(seen.connections).toBeGreaterThan(rounds / 4);
  for (const connection of [...endpoint.connections]) {
    for (let at = connection.deadline(), turns = 0; at !== undefined && turns < 200; turns++) {
      endpoint.onTimeout(connection, at);
      at = connection.deadline();
    }
  }
  expect(endpoint.size).toBe(0);
  expect(faults).toEqual([]);
});

test("refuses new clients while it drains, and lets others go on", () => {
  const network = new SimulatedNetwork();
  network.run(() => network.client.protocol !== "" && network.server.isHandshakeDone);
  network.endpoint.refusesNew = true;
  network.endpoint.receive(clientInitial(), address, network.now);
  expect(network.endpoint.size).toBe(1);
  expect(network.endpoint.counts.refused).toBe(1);
  const received: Buffer[][] = [];
  network.onServerStream = (stream) => {
    received.push(collect(stream).bytes);
  };
  network.client.connection.openStream("bidi")!.write(Buffer.from("goes on"));
  network.run(() => received[0]?.[0] !== undefined);
  expect(received[0]?.[0]?.toString()).toBe("goes on");
});

test("tells a client that is refused at once", () => {
  const network = new SimulatedNetwork({ server: { maxConnections: 0 } });
  network.run(() => network.client.closed !== undefined);
  expect(network.client.closed).toMatchObject({ by: "peer", code: 0x02, application: false });
  expect(network.now).toBeLessThan(1_100);
});

test("a forged datagram from port 0, where no answer can go, gets none and costs nobody else anything", async () => {
  const unknownVersion = initialPacket(Buffer.alloc(0));
  unknownVersion.writeUInt32BE(0x1a2a3a4a, 1);
  const datagrams = [unknownVersion, initialPacket(Buffer.alloc(0)), Buffer.alloc(100, 0x40)];
  const { endpoint, sent } = newEndpoint();
  for (const datagram of datagrams) {
    endpoint.receive(Buffer.from(datagram), { address: "192.0.2.1", port: 0 }, 0);
  }
  expect([sent, endpoint.size, endpoint.counts.dropped]).toEqual([[], 0, 3]);
  const { server } = await startHttp3TestServer();
  for (const datagram of datagrams) {
    server.receive(Buffer.from(datagram), { address: "127.0.0.1", port: 0 });
  }
  await server.close();
});

test("tells a client whose token of a Retry is too old at once (RFC 9000, section 8.1.3)", () => {
  const { endpoint, sent } = newEndpoint({ retryFrom: 0, key });
  const tokens = new AddressTokens(createHmac("sha256", key).update("address token").digest());
  endpoint.receive(initialPacket(Buffer.of(1), firstId, tokens.seal(address, firstId, 0)), address, 20_000);
  const answer = sent[0] as Buffer;
  const header = readPacketHeader(answer, 0, 8);
  const opened = header && openPacket(initialKeys(firstId).server, answer, header, -1);
  expect(opened?.payload.subarray(0, 2)).toEqual(Buffer.of(0x1c, 0x0b));
  expect([sent.length, endpoint.size, endpoint.counts.retries]).toEqual([1, 0, 0]);
});
