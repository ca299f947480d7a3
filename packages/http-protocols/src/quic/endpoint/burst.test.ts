import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { testCertificate } from "../../testing/simulated-network.ts";
import { initialKeys } from "../protection/initial-keys.ts";
import { sealPacket } from "../protection/packet-keys.ts";
import { ByteWriter } from "../wire/byte-writer.ts";
import { readPacketHeader, writePacketHeader } from "../wire/packet-header.ts";
import { ServerEndpoint } from "./server-endpoint.ts";

/** Time without a response after which clients give up, in milliseconds. quic-go and Chromium wait for 5 seconds. */
const patienceMs = 5_000;
/** Times at which clients send their first packet again, in milliseconds after the first attempt; the pauses double. */
const repeatsMs = [0, 300, 900, 2_100, 4_500];

/** The first datagram of a client: a PING, so that the test needs no key exchange. */
function firstDatagram(id: Buffer, token: Buffer): Buffer {
  const writer = new ByteWriter(1_300);
  const lengthAt = writePacketHeader(writer, {
    type: "initial",
    destinationId: id,
    sourceId: id,
    token,
    numberBytes: 1,
  });
  const numberAt = writer.length;
  writer
    .u8(0)
    .u8(1)
    .zeros(1_200 - 16 - writer.length);
  const payloadEnd = writer.length;
  writer.zeros(16).patchVarint2(lengthAt, payloadEnd + 16 - numberAt);
  sealPacket(initialKeys(id).client, writer.written, { from: 0, numberAt, payloadEnd, packetNumber: 0 });
  return Buffer.from(writer.written);
}

interface Knock {
  readonly at: number;
  readonly client: number;
  readonly id: Buffer;
  readonly token: Buffer;
}

interface Burst {
  readonly clients: number;
  readonly retryFrom?: number;
  /** Time for reading one datagram. */
  readonly readMs: number;
  readonly handshakeMs: number;
}

/** Lets clients knock within a second, on a clock that only the server's work moves. @returns when each got its first answer */
function runBurst({ clients, readMs, handshakeMs, retryFrom = Number.POSITIVE_INFINITY }: Burst) {
  const answeredMs = new Map<number, number>();
  const beganMs = Array.from({ length: clients }, (_, client) => (1_000 * client) / clients);
  const knocks = beganMs.flatMap((at, index): Knock[] => {
    const client = index + 1; // also its port
    const id = randomBytes(8);
    return repeatsMs.map((after) => ({ at: at + after, client, id, token: Buffer.alloc(0) }));
  });
  knocks.sort((one, other) => other.at - one.at);
  const retried: Knock[] = [];
  let connected = 0;
  let now = 0;
  let waits = false;
  const endpoint = new ServerEndpoint(
    {
      protocols: ["h3"],
      chooseCertificate: (_, __, answer) => answer(testCertificate),
      handshakeLimits: { total: Number.POSITIVE_INFINITY, perClient: Number.POSITIVE_INFINITY },
      retryFrom,
      wallClock: () => now,
      onConnection: () => {
        connected++;
        return {
          onConnected: () => {},
          onStream: () => {},
          onStreamClosed: () => {},
          onClosed: () => {},
        };
      },
    },
    {
      send: ({ bytes, address }) => {
        const header = readPacketHeader(bytes, 0, 8);
        if (header?.type === "retry") {
          // The client continues immediately with the ID and the token of the server.
          const token = Buffer.from(header.token.subarray(0, -16));
          retried.push({ at: now, client: address.port, id: Buffer.from(header.sourceId), token });
        } else if (!answeredMs.has(address.port)) {
          answeredMs.set(address.port, now - (beganMs[address.port - 1] as number));
        }
      },
      setDeadline: () => {},
      wake: () => {},
      newcomer: () => {
        waits = true;
      },
    },
  );
  const nextKnock = () =>
    retried.shift() ?? ((knocks.at(-1)?.at ?? now + 1) <= now ? knocks.pop() : undefined);
  while (knocks.length > 0 || waits) {
    now = waits ? now : Math.max(now, knocks.at(-1)?.at ?? now);
    for (let knock = nextKnock(); knock !== undefined; knock = nextKnock()) {
      if (!answeredMs.has(knock.client)) {
        now += readMs;
        const address = { address: "192.0.2.1", port: knock.client };
        endpoint.receive(firstDatagram(knock.id, knock.token), address, now);
      }
    }
    if (waits) {
      const before = connected;
      waits = endpoint.admit(now);
      now += (connected - before) * handshakeMs;
    }
  }
  const { refused, retries } = endpoint.counts;
  return { answeredMs: [...answeredMs.values()], connected, refused, retries };
}

test.each([
  { clients: 1_000, readMs: 0.02, handshakeMs: 1, retries: 0 },
  { clients: 1_000, readMs: 0.1, handshakeMs: 6, retries: 0 },
  { clients: 500, readMs: 0.4, handshakeMs: 60, retries: 0 },
  // The first 100 need no Retry. Clients whose turn would come too late are refused before they get one.
  { clients: 500, readMs: 0.2, handshakeMs: 10, retries: 250, retryFrom: 100 },
])(
  "answers $clients clients in their time when a handshake takes $handshakeMs ms, with $retries Retries or more",
  { timeout: 180_000 },
  (burst) => {
    const { answeredMs, connected, refused, retries } = runBurst(burst);
    expect(answeredMs).toHaveLength(burst.clients);
    expect(Math.max(...answeredMs)).toBeLessThan(patienceMs);
    expect(connected + refused).toBeGreaterThanOrEqual(burst.clients);
    // The time that clients have is used.
    expect(connected).toBeGreaterThan(0.7 * Math.min(burst.clients, 3_500 / burst.handshakeMs));
    expect(retries).toBeGreaterThanOrEqual(burst.retries);
  },
);
