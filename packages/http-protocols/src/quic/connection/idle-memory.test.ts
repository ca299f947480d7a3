import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { collect, SimulatedNetwork } from "../../testing/simulated-network.ts";

let collectGarbage: () => void;

beforeAll(() => {
  setFlagsFromString("--expose-gc");
  collectGarbage = runInNewContext("gc") as () => void;
});

afterAll(() => setFlagsFromString("--no-expose-gc"));

/** Bytes of buffers that are in use. Swept memory is counted at the next collection. */
function bufferBytes(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

/** Made outside of `idle`, whose functions keep the body of the answer. */
const nothing = () => {};

/** A server after a request and its answer. Its client is forgotten, because a client of tests keeps its hello. */
function idle(): SimulatedNetwork {
  const network = new SimulatedNetwork({ readsAllFirst: true });
  network.onServerStream = (stream) => {
    collect(stream);
    stream.write(Buffer.alloc(20_000));
    stream.end();
  };
  network.run(() => network.client.protocol !== "");
  const stream = network.client.connection.openStream("bidi")!;
  const answer = collect(stream);
  stream.end();
  network.run(() => answer.ended);
  network.pass(1_000);
  network.onServerStream = nothing;
  (network as { client: unknown }).client = undefined;
  return network;
}

test("an idle connection keeps neither packets nor the pools of small copies", () => {
  idle();
  const before = bufferBytes();
  const networks = Array.from({ length: 40 }, idle);
  const perConnection = (bufferBytes() - before) / networks.length;
  // Some 2 kB: IDs, tokens, keys. One pooled ID kept 64 KiB with the datagrams in it.
  expect(perConnection).toBeLessThan(4_000);
  expect(networks.every(({ server }) => server.isOpen)).toBe(true);
});
