// Attacks on the web server's HTTP/2, with a real process. The connection ends with the right error code, the process's
// memory stays limited, and other clients are served meanwhile.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import {
  clientPreface,
  encodeFrame,
  encodeHeaders,
  encodeRstStream,
  encodeSettings,
  encodeWindowUpdate,
  errorCodes,
  FrameReader,
  frameFlags,
  frameTypes,
  settingIds,
} from "http-protocols/http2";
import { afterAll, beforeAll, expect, test } from "vitest";
import { plainSite, startWebServer, type WebServer } from "./web-server.ts";

const nothing = Buffer.alloc(0);
/** Most bytes of memory that an attack may add to the process. */
const maxGrowthBytes = 150 * 1024 * 1024;

let server: WebServer;
beforeAll(async () => {
  server = await startWebServer(
    plainSite({ handler: "static_response", body: "x".repeat(100_000), headers: { "X-Own": ["1"] } }),
  );
});
afterAll(() => server?.close());

/** Resident bytes of a process; 0 when the system does not report them. */
function residentBytes(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** A client that ignores the rules of the protocol. */
class Attacker {
  readonly socket: Socket;
  readonly #ended = Promise.withResolvers<number>();
  frames = 0;
  /** Bytes of answers. */
  bodyBytes = 0;

  private constructor(socket: Socket, readsOn: boolean) {
    this.socket = socket;
    let code = -1;
    const reader = new FrameReader({
      frame: (type, _flags, _streamId, payload) => {
        this.frames++;
        if (type === frameTypes.data) {
          this.bodyBytes += payload.length;
        }
        if (type === frameTypes.goAway) {
          code = payload.readUInt32BE(4);
        }
      },
    });
    socket.on("data", (chunk: Buffer) => reader.push(chunk));
    socket.on("error", () => {});
    socket.on("close", () => this.#ended.resolve(code));
    if (!readsOn) {
      socket.pause();
    }
  }

  static async open(settings: Map<number, number> = new Map(), readsOn = true): Promise<Attacker> {
    const [host, port] = server.address.split(":");
    const socket = connect(Number(port), host);
    await once(socket, "connect");
    socket.write(Buffer.concat([clientPreface, encodeSettings(settings)]));
    return new Attacker(socket, readsOn);
  }

  /** The code of GOAWAY after the end of the connection; -1 without GOAWAY. */
  get ended(): Promise<number> {
    return this.#ended.promise;
  }

  /** Sends the same bytes repeatedly, until the connection has ended or the limit of rounds is reached. */
  async flood(makeBytes: (round: number) => Buffer, rounds: number): Promise<void> {
    for (let round = 0; round < rounds && !this.socket.destroyed && this.socket.writable; round++) {
      if (!this.socket.write(makeBytes(round))) {
        await Promise.race([once(this.socket, "drain").catch(() => {}), this.ended]);
      }
    }
  }
}

const requestBlock = encodeHeaders([
  { name: ":method", value: "GET" },
  { name: ":scheme", value: "http" },
  { name: ":path", value: "/" },
  { name: ":authority", value: "localhost" },
]);
const get = (streamId: number, more = 0) =>
  encodeFrame(frameTypes.headers, frameFlags.endHeaders | more, streamId, requestBlock);
const many = (count: number, make: (index: number) => Buffer) =>
  Buffer.concat(Array.from({ length: count }, (_, index) => make(index)));

/**
 * Runs an attack while another client sends requests. @returns the error code with which the attacker's connection
 * ended
 */
async function underAttack(attack: () => Promise<Attacker>): Promise<number> {
  const pid = server.process.pid;
  const before = residentBytes(pid);
  let highest = 0;
  let over = false;
  const others = (async () => {
    let served = 0;
    while (!over || served === 0) {
      const answer = await fetch(`http://${server.address}/`);
      expect((await answer.text()).length).toBe(100_000);
      highest = Math.max(highest, residentBytes(pid));
      served++;
    }
  })();
  let attacker: Attacker | undefined;
  try {
    attacker = await attack();
    return await attacker.ended;
  } finally {
    over = true;
    attacker?.socket.destroy();
    await others;
    expect(highest - before).toBeLessThan(maxGrowthBytes);
  }
}

const calm = errorCodes.enhanceYourCalm;
const perWrite = 100;
const nextStream = (round: number, index: number) => (round * perWrite + index) * 2 + 1;

const floods: readonly (readonly [name: string, code: number, make: (round: number) => Buffer])[] = [
  [
    "streams opened and reset at once (CVE-2023-44487)",
    calm,
    (round) =>
      many(perWrite, (index) => {
        const id = nextStream(round, index);
        return Buffer.concat([get(id, frameFlags.endStream), encodeRstStream(id, errorCodes.cancel)]);
      }),
  ],
  [
    "more streams than are allowed, never ended",
    calm,
    (round) => many(perWrite, (index) => get(nextStream(round, index))),
  ],
  [
    "malformed requests",
    calm,
    (round) =>
      many(perWrite, (index) =>
        encodeFrame(
          frameTypes.headers,
          frameFlags.endHeaders | frameFlags.endStream,
          nextStream(round, index),
          encodeHeaders([{ name: ":method", value: "GET" }]),
        ),
      ),
  ],
  [
    "PING (CVE-2019-9512)",
    calm,
    () => many(perWrite, () => encodeFrame(frameTypes.ping, 0, 0, Buffer.alloc(8))),
  ],
  ["SETTINGS (CVE-2019-9515)", calm, () => many(perWrite, () => encodeSettings(new Map([[4, 65_535]])))],
  [
    "PRIORITY (CVE-2019-9513)",
    calm,
    () => many(perWrite, () => encodeFrame(frameTypes.priority, 0, 1, Buffer.from([0, 0, 0, 3, 1]))),
  ],
  [
    "empty DATA (CVE-2019-9518)",
    calm,
    (round) =>
      Buffer.concat([
        round === 0 ? get(1) : nothing,
        many(perWrite, () => encodeFrame(frameTypes.data, 0, 1, nothing)),
      ]),
  ],
  [
    "empty CONTINUATION (CVE-2024-27316)",
    calm,
    (round) =>
      Buffer.concat([
        round === 0 ? encodeFrame(frameTypes.headers, frameFlags.endStream, 1, requestBlock) : nothing,
        many(perWrite, () => encodeFrame(frameTypes.continuation, 0, 1, nothing)),
      ]),
  ],
  [
    "CONTINUATION without end (CVE-2024-27316)",
    calm,
    (round) => {
      const fields = encodeHeaders([{ name: "x-more", value: "y".repeat(16_000) }]);
      return round === 0
        ? encodeFrame(frameTypes.headers, frameFlags.endStream, 1, requestBlock)
        : encodeFrame(frameTypes.continuation, 0, 1, fields);
    },
  ],
  [
    "WINDOW_UPDATE",
    calm,
    (round) =>
      Buffer.concat([round === 0 ? get(1) : nothing, many(perWrite, () => encodeWindowUpdate(1, 1))]),
  ],
  ["frames of no known type", calm, () => many(perWrite, () => encodeFrame(0x42, 0, 0, nothing))],
  ["a window grown past its limit", errorCodes.flowControlError, () => encodeWindowUpdate(0, 2 ** 31 - 1)],
  [
    "DATA past the window of the connection",
    errorCodes.flowControlError,
    (round) =>
      Buffer.concat([
        round === 0 ? Buffer.concat(Array.from({ length: 100 }, (_, index) => get(index * 2 + 1))) : nothing,
        many(perWrite, (index) => encodeFrame(frameTypes.data, 0, index * 2 + 1, Buffer.alloc(16_384))),
      ]),
  ],
];

test.each(floods)(
  "%s",
  async (_name, code, make) => {
    const ended = await underAttack(async () => {
      const attacker = await Attacker.open();
      await attacker.flood(make, 5_000);
      return attacker;
    });
    // A client that keeps sending may miss the code because of a reset; but the connection must end.
    expect([code, -1]).toContain(ended);
  },
  60_000,
);

test("a header bomb is refused, whatever little it was when packed", async () => {
  const bomb = await Attacker.open();
  // One long field in the table, then thousands of times a byte that refers to it.
  const value = Buffer.alloc(3_900, "v");
  const literal = Buffer.concat([
    Buffer.from([0x40, 1]),
    Buffer.from("x"),
    Buffer.from([0x7f, ...lengthRest(3_900)]),
    value,
  ]);
  const block = Buffer.concat([requestBlock, literal, Buffer.alloc(10_000, 0xbe)]);
  const flags = frameFlags.endHeaders | frameFlags.endStream;
  const before = residentBytes(server.process.pid);
  for (let index = 0; index < 50; index++) {
    bomb.socket.write(encodeFrame(frameTypes.headers, flags, index * 2 + 1, block));
  }
  while (bomb.frames < 50) {
    await once(bomb.socket, "data");
  }
  expect(bomb.bodyBytes).toBe(0);
  expect(residentBytes(server.process.pid) - before).toBeLessThan(maxGrowthBytes);
  bomb.socket.destroy();
  const answer = await fetch(`http://${server.address}/`);
  expect(answer.status).toBe(200);
});

/** The bytes of a length behind seven ones. Source: RFC 7541, section 5.1 */
function lengthRest(length: number): number[] {
  const bytes: number[] = [];
  let rest = length - 127;
  for (; rest >= 128; rest >>= 7) {
    bytes.push((rest & 127) | 128);
  }
  return [...bytes, rest];
}

test("clients that take nothing of what they asked for hold little memory (CVE-2019-9511, 9517)", async () => {
  const before = residentBytes(server.process.pid);
  const attackers: Attacker[] = [];
  for (let index = 0; index < 20; index++) {
    // Half of the attackers get no window; the others do not read from their socket.
    const windows = new Map([[settingIds.initialWindowSize, index % 2 === 0 ? 0 : 2 ** 31 - 1]]);
    const attacker = await Attacker.open(windows, index % 2 === 0);
    attacker.socket.write(encodeWindowUpdate(0, 2 ** 31 - 1 - 65_535));
    attacker.socket.write(many(250, (stream) => get(stream * 2 + 1, frameFlags.endStream)));
    attackers.push(attacker);
  }
  const answer = await fetch(`http://${server.address}/`);
  expect((await answer.text()).length).toBe(100_000);
  expect(residentBytes(server.process.pid) - before).toBeLessThan(maxGrowthBytes);
  for (const { socket } of attackers) {
    socket.destroy();
  }
});

test("a client that resets now and then and finishes the rest is not sent away", async () => {
  const client = await Attacker.open(new Map([[settingIds.initialWindowSize, 2 ** 31 - 1]]));
  client.socket.write(encodeWindowUpdate(0, 2 ** 31 - 1 - 65_535));
  for (let round = 0; round < 10; round++) {
    const before = client.frames;
    client.socket.write(
      many(20, (index) => {
        const id = (round * 20 + index) * 2 + 1;
        return index % 2 === 0
          ? get(id, frameFlags.endStream)
          : Buffer.concat([get(id), encodeRstStream(id, errorCodes.cancel)]);
      }),
    );
    while (client.frames < before + 10) {
      await once(client.socket, "data");
    }
  }
  expect(client.socket.destroyed).toBe(false);
  client.socket.destroy();
});
