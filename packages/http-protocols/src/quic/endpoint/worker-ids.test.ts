import { createHmac, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { SimulatedNetwork } from "../../testing/simulated-network.ts";
import { WorkerIds } from "./worker-ids.ts";

const key = randomBytes(16);

const shortPacket = (id: Buffer) => Buffer.concat([Buffer.of(0x41), id, randomBytes(30)]);

test("finds the worker of an id with the key, and without it as often as by chance", () => {
  const ids = new WorkerIds(key, 7);
  const other = new WorkerIds(key, 200);
  const stranger = new WorkerIds(randomBytes(16), 7);
  let byChance = 0;
  const firstBytes = new Set<number>();
  for (let round = 0; round < 500; round++) {
    const id = ids.issue();
    expect(id).toHaveLength(8);
    firstBytes.add(id[0] as number);
    expect(other.workerOf(shortPacket(id))).toBe(7);
    byChance += stranger.workerOf(shortPacket(id)) === 7 ? 1 : 0;
  }
  expect(byChance).toBeLessThan(20);
  // The number itself is not visible in any ID.
  expect(firstBytes.size).toBeGreaterThan(100);
});

test("names no worker for packets whose id the client may have chosen", () => {
  const ids = new WorkerIds(key, 3);
  const long = (first: number, id: Buffer) =>
    Buffer.concat([Buffer.of(first, 0, 0, 0, 1, id.length), id, randomBytes(40)]);
  expect(ids.workerOf(long(0xe0, ids.issue()))).toBe(3);
  expect(ids.workerOf(long(0xc0, ids.issue()))).toBeUndefined();
  expect(ids.workerOf(long(0xd0, ids.issue()))).toBeUndefined();
  expect(ids.workerOf(long(0xe0, randomBytes(9)))).toBeUndefined();
  expect(ids.workerOf(Buffer.alloc(0))).toBeUndefined();
  expect(ids.workerOf(shortPacket(ids.issue()).subarray(0, 8))).toBeUndefined();
});

/** Key of the workers' numbers of an endpoint with this secret. */
const deriveKey = (secret: Buffer) => createHmac("sha256", secret).update("worker").digest();

test("hands packets of another worker over, once and to it alone", () => {
  const secret = randomBytes(32);
  const handed: { datagram: Buffer; index: number }[] = [];
  const network = new SimulatedNetwork({ server: { key: secret, worker: 2 } });
  const other = new SimulatedNetwork({
    server: {
      key: secret,
      worker: 5,
      onForeign: (index, datagram) => {
        handed.push({ datagram, index });
        return index === 2;
      },
    },
  });
  network.run(() => network.client.protocol !== "" && network.server.isHandshakeDone);
  network.client.connection.openStream("bidi")!.write(Buffer.alloc(100));
  const [sent] = network.client.connection.takeDatagrams(network.now);
  const moved = { address: "198.51.100.7", port: 9 };
  const before = { ...other.endpoint.counts };
  other.endpoint.receive(Buffer.from(sent!.bytes), moved, 0);
  expect(handed).toEqual([{ datagram: sent!.bytes, index: 2 }]);
  expect(other.endpoint.counts).toEqual({ ...before, foreign: 1 });
  // A forged packet names a worker by chance, mostly one that does not exist: it gets a reset.
  const forged = Buffer.concat([
    Buffer.of(0x40),
    new WorkerIds(deriveKey(secret), 9).issue(),
    randomBytes(40),
  ]);
  other.endpoint.receive(forged, moved, 0);
  expect(handed.splice(1)).toMatchObject([{ index: 9 }]);
  expect(other.endpoint.counts).toEqual({ ...before, foreign: 1, resets: before.resets + 1 });
  // The connection follows its client, although another worker received the packet.
  network.endpoint.receive(handed[0]!.datagram, moved, network.now);
  expect(network.server.address).toEqual(moved);
  expect(handed).toHaveLength(1);
});
