import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { damagedMessage, randomOf } from "wire/testing";
import {
  encodeFrame,
  encodeGoAway,
  encodeRstStream,
  encodeSettings,
  encodeWindowUpdate,
  frameFlags,
  frameTypes,
  settingIds,
} from "../http2/frames.ts";
import { ScriptedServer } from "../testing/scripted-server.ts";
import { ClientConnection } from "./client-connection.ts";
import type { ClientStream } from "./client-stream.ts";

/** More by `FUZZ_ROUNDS=1000000 vitest run .fuzz.test`. */
const rounds = Number(process.env.FUZZ_ROUNDS ?? 500);
const timeoutMs = 20_000 + rounds * 10;

const settings = encodeSettings(
  new Map([
    [settingIds.maxConcurrentStreams, 10],
    [settingIds.initialWindowSize, 100],
  ]),
);

/** Frames of servers that answer three requests, on streams 1, 3 and 5. */
function conversations(): Buffer[] {
  const s = new ScriptedServer();
  const { padded, endHeaders, endStream } = frameFlags;
  const whole = s.headers(3, [":status", "200", "content-length", "2", "x-a", "v".repeat(60)]).subarray(9);
  return [
    [s.headers(1, [":status", "200"]), s.data(1, "body"), s.headers(1, ["x-sum", "5"], true)],
    [
      s.headers(5, [":status", "103"]),
      s.headers(5, [":status", "204", "x-b", "1"], true),
      encodeRstStream(1, 7),
      encodeWindowUpdate(3, 1_000),
      encodeWindowUpdate(0, 1_000),
    ],
    [
      encodeFrame(frameTypes.headers, 0, 3, whole.subarray(0, 20)),
      encodeFrame(frameTypes.continuation, endHeaders, 3, whole.subarray(20)),
      encodeFrame(frameTypes.data, padded | endStream, 3, Buffer.from("\x03ok\0\0\0")),
      encodeGoAway(3, 0),
      s.headers(1, [":status", "200"], true),
    ],
    [
      encodeSettings(new Map([[settingIds.initialWindowSize, 5]])),
      encodeFrame(frameTypes.ping, 0, 0, Buffer.alloc(8)),
      s.headers(1, [":status", "500"]),
      ...Array.from({ length: 6 }, () => s.data(1, "piece")),
      s.data(1, "", true),
    ],
  ].map((frames) => Buffer.concat([settings, ...frames]));
}

/** A listener that checks the order of its calls. */
class StrictListener {
  heads = 0;
  ends = 0;
  pauses: boolean;
  stream: ClientStream | undefined;

  constructor(pauses: boolean) {
    this.pauses = pauses;
  }

  interim(): void {
    expect([this.heads, this.ends]).toEqual([0, 0]);
  }

  head(): void {
    expect([this.heads++, this.ends]).toEqual([0, 0]);
  }

  data(): boolean {
    expect([this.heads, this.ends]).toEqual([1, 0]);
    return !this.pauses;
  }

  end(): void {
    expect([this.heads, this.ends++]).toEqual([1, 0]);
  }

  failed(): void {
    expect(this.ends++).toBe(0);
  }
}

test(
  "ends every request once whatever damaged frames a server sends",
  async () => {
    const random = randomOf(2027);
    const messages = conversations();
    const seen = { whole: 0, ended: 0 };
    for (let round = 0; round < rounds; round++) {
      const damaged = damagedMessage(messages, random);
      if (random(10) > 0) {
        settings.copy(damaged); // Behind wrong settings nothing is read: most keep theirs.
      }
      const server = new ScriptedServer();
      let closed = 0;
      const owner = { roomChanged() {}, leaving() {}, closed: () => closed++ };
      const connection = new ClientConnection(server, owner, { maxHeaderBytes: 4_000, windowBytes: 100_000 });
      const listeners = [0, 1, 2].map((index) => {
        const listener = new StrictListener(random(4) === 0);
        const pseudo = [":method", "POST", ":scheme", "http", ":path", "/"];
        const request = { pseudo, fields: [], isHead: false, endsStream: index === 1 };
        listener.stream = connection.request(request, listener);
        listener.stream?.write(Buffer.alloc(300));
        listener.stream?.end(["x-t", "1"]);
        return listener;
      });
      try {
        const cut = random(damaged.length);
        server.say(damaged.subarray(0, cut));
        server.say(damaged.subarray(cut));
        await turn();
        seen.ended += connection.takesRequests ? 0 : 1;
        seen.whole += listeners.filter(({ heads, ends }) => heads === 1 && ends === 1).length;
        server.destroy();
        await turn();
        for (const listener of listeners) {
          listener.pauses = false;
          listener.stream?.resume();
        }
        expect(
          listeners.map(({ ends }) => ends),
          "ends of each request",
        ).toEqual([1, 1, 1]);
        expect(closed).toBe(1);
      } catch (error) {
        throw new Error(`round ${round}: ${damaged.toString("hex")}`, { cause: error });
      }
    }
    expect(seen.whole).toBeGreaterThan(rounds / 10);
    expect(seen.ended).toBeGreaterThan(rounds / 20);
  },
  timeoutMs,
);
