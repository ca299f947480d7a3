import { expect, test } from "vitest";
import type { QuicStream } from "../quic/streams/quic-stream.ts";
import { SimulatedNetwork } from "../testing/simulated-network.ts";
import { frameTypes } from "./frame-reader.ts";
import { mergedPriority, readPriority } from "./priority.ts";
import { FieldSectionWriter } from "./qpack-encoder.ts";
import { Http3ServerSession } from "./server-session.ts";
import { encodeFrame } from "./settings.ts";

const settings = Buffer.from("000400", "hex");
const bodyBytes = 100_000;

test.each([
  ["", 3, false],
  ["u=0", 0, false],
  ["i", 3, true],
  ["u=5, i", 5, true],
  ["i=?0, u=7", 7, false],
  ["u=1;x=2,i;y", 1, true],
  ["u=8", 3, false],
  ["u=-1, i=1", 3, false],
  ['u="1", unknown=(1 2)', 3, false],
  ["u=1, u=2", 2, false],
  ["\0\xff", 3, false],
])("reads the field %j", (field, urgency, isIncremental) => {
  expect(readPriority(field)).toEqual({ urgency, isIncremental });
});

test("takes what an answer says over what its request said", () => {
  expect(mergedPriority("u=5, i", "u=1")).toEqual({ urgency: 1, isIncremental: true });
  expect(mergedPriority("u=5, i", "i=?0")).toEqual({ urgency: 5, isIncremental: false });
});

/**
 * A client that requests bodies of 100,000 bytes; `order` contains the stream of each datagram's bytes, without
 * repetitions.
 */
function connect(answerPriority?: string) {
  const order: number[] = [];
  const network = new SimulatedNetwork({
    server: {
      onConnection: (connection) => {
        network.serverConnections.push(connection);
        return new Http3ServerSession(connection, {
          onRequest: (request) => {
            const priority = request.id === 4 ? answerPriority : undefined;
            request.respond(200, priority === undefined ? [] : ["priority", priority]);
            request.write(Buffer.alloc(bodyBytes));
            request.end();
            return { onData: () => {}, onEnd: () => {}, onAbort: () => {}, onWritable: () => {} };
          },
        });
      },
    },
  });
  network.run(() => network.client.protocol !== "" && network.server.isHandshakeDone);
  const control = network.client.connection.openStream("uni") as QuicStream;
  control.write(settings);
  const received = new Map<number, number>();
  const ask = (priority: string | undefined) => {
    const stream = network.client.connection.openStream("bidi") as QuicStream;
    const { id } = stream;
    stream.handler = {
      onData: (bytes) => {
        received.set(id, (received.get(id) ?? 0) + bytes.length);
        stream.consume(bytes.length);
        if (order.at(-1) !== id) {
          order.push(id);
        }
      },
      onEnd: () => {},
      onReset: () => {},
      onStopSending: () => {},
      onWritable: () => {},
    };
    const section = new FieldSectionWriter()
      .add(":method", "GET")
      .add(":scheme", "https")
      .add(":authority", "shop.example")
      .add(":path", "/");
    if (priority !== undefined) {
      section.add("priority", priority);
    }
    stream.write(encodeFrame(frameTypes.headers, section.written));
    stream.end();
    return id;
  };
  const update = (id: number, field: string) =>
    control.write(encodeFrame(frameTypes.priorityUpdate, Buffer.concat([Buffer.of(id), Buffer.from(field)])));
  const all = (count: number) => () =>
    received.size === count && [...received.values()].every((bytes) => bytes > bodyBytes);
  return { network, order, ask, update, all, control };
}

test.each([
  { first: undefined, second: undefined, turns: true },
  { first: "i", second: "i", turns: true },
  { first: "u=3", second: "u=3", sequence: [0, 4] },
  { first: "u=5", second: "u=1", sequence: [4, 0] },
  { first: "u=5, i", second: "u=1, i", sequence: [4, 0] },
  { first: "u=3", second: "i", turns: true },
])(
  "sends two bodies of priorities $first and $second in their order",
  ({ first, second, sequence, turns }) => {
    const { network, order, ask, all } = connect();
    ask(first);
    ask(second);
    network.run(all(2));
    if (turns === true) {
      expect(order.length).toBeGreaterThan(10);
    } else {
      // The first packet may contain body bytes after the heads.
      expect(order.slice(-2)).toEqual(sequence);
      expect(order.length).toBeLessThan(6);
    }
  },
);

test("lets PRIORITY_UPDATE count above the request, before and after it comes", () => {
  const { network, order, ask, update, all } = connect();
  update(4, "u=0");
  network.pass(100);
  ask("u=2");
  ask("u=7");
  ask("u=3");
  update(8, "u=1");
  network.run(all(3));
  expect(order.slice(-3)).toEqual([4, 8, 0]);
});

test("lets an answer change its own priority", () => {
  const { network, order, ask, all } = connect("u=0");
  ask("u=2");
  ask("u=7");
  network.run(all(2));
  expect(order.slice(-2)).toEqual([4, 0]);
});

test.each([
  ["a stream of the server", "800f07000101", 0x108],
  ["a push", "800f07010104", 0x108],
  ["no stream", "800f070000", 0x106],
])("refuses PRIORITY_UPDATE of %s", (_, frame, code) => {
  const { network, control } = connect();
  control.write(Buffer.from(frame, "hex"));
  network.run(() => network.client.closed !== undefined);
  expect(network.client.closed).toMatchObject({ by: "peer", code });
});

test("keeps few priorities of requests that never come", () => {
  const { network, update, ask, all } = connect();
  for (let id = 4; id < 64; id += 4) {
    update(id, `u=1${",x".repeat(1_000)}`);
  }
  ask(undefined);
  network.run(all(1));
  expect(network.client.closed).toBeUndefined();
});
