import { expect, test } from "vitest";
import { randomOf } from "wire/testing";
import { collect, type NetworkOptions, SimulatedNetwork } from "../../testing/simulated-network.ts";
import type { QuicStream } from "../streams/quic-stream.ts";

// Cases of the QUIC interop runner that no other test has.

/** A server that answers each stream with `bytes` bytes, and a client after its handshake. */
function connect(bytes: number, options: NetworkOptions): SimulatedNetwork {
  const network = new SimulatedNetwork({ readsAllFirst: true, ...options });
  network.onServerStream = (stream) => {
    collect(stream);
    stream.write(Buffer.alloc(bytes, 1));
    stream.end();
  };
  network.run(() => network.client.protocol !== "" && network.server.isHandshakeDone, 10_000);
  return network;
}

const open = (network: SimulatedNetwork) => network.client.connection.openStream("bidi");

function ask(stream: QuicStream | undefined) {
  if (stream === undefined) {
    throw new Error("no stream is allowed");
  }
  const answer = collect(stream);
  stream.write(Buffer.from("x"));
  stream.end();
  return answer;
}

const lengthOf = (pieces: readonly Buffer[]) => pieces.reduce((sum, piece) => sum + piece.length, 0);

test("longrtt: shakes hands and answers with 750 ms each way, and repeats no flight without need", () => {
  const network = connect(10_000, { delayMs: 750 });
  const answer = ask(open(network));
  network.run(() => answer.ended, 10_000);
  // Before the first measured round trip, a probe timeout of 999 ms repeats the first flight once.
  expect(network.now - 1_000).toBeLessThan(6_000);
  expect(network.sent.serverBytes).toBeLessThan(25_000);
});

test("blackhole: goes on after two seconds in which nothing arrived", () => {
  let isDead = false;
  const network = connect(2_000_000, { loses: () => isDead });
  const answer = ask(open(network));
  network.run(() => lengthOf(answer.bytes) > 300_000);
  isDead = true;
  network.pass(2_000);
  isDead = false;
  const from = network.now;
  network.run(() => answer.ended, 20_000);
  expect(lengthOf(answer.bytes)).toBe(2_000_000);
  expect(network.now - from).toBeLessThan(8_000);
});

test("handshakeloss: shakes hands and answers when 30 % of the datagrams are lost", () => {
  for (let run = 0; run < 20; run++) {
    const random = randomOf(run * 11 + 5);
    const network = connect(1_000, { loses: () => random(100) < 30 });
    const answer = ask(open(network));
    network.run(() => answer.ended, 25_000);
    expect(network.client.closed).toBeUndefined();
  }
});

test("handshakecorruption: damaged datagrams are as good as lost ones", () => {
  for (let run = 0; run < 10; run++) {
    const random = randomOf(run * 13 + 1);
    const network = connect(1_000, {
      loses: (datagram) => {
        if (random(100) < 30) {
          const at = random(datagram.length);
          datagram[at] = (datagram[at] as number) ^ (1 + random(255));
        }
        return false;
      },
    });
    const answer = ask(open(network));
    network.run(() => answer.ended, 25_000);
    expect(network.client.closed).toBeUndefined();
  }
});

test("multiplexing: answers 2,000 streams of one connection", () => {
  const network = connect(32, {});
  const answers: ReturnType<typeof ask>[] = [];
  while (answers.length < 2_000) {
    for (let stream = open(network); stream !== undefined; stream = open(network)) {
      answers.push(ask(stream));
    }
    network.run(() => answers.every(({ ended }) => ended));
    network.pass(50);
  }
  expect(answers.every(({ bytes }) => lengthOf(bytes) === 32)).toBe(true);
});
