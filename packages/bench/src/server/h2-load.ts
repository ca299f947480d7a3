import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import {
  clientPreface,
  defaultWindowBytes,
  encodeFrame,
  encodeHeaders,
  encodeSettings,
  encodeWindowUpdate,
  FrameReader,
  frameFlags,
  frameTypes,
  maxWindowBytes,
  settingIds,
} from "http-protocols/http2";
import type { WrkResult } from "./wrk.ts";

/** A load over HTTP/2: a number of connections, each with a constant number of streams. */
export interface H2Load {
  readonly url: string;
  readonly connections: number;
  readonly streams: number;
  readonly seconds: number;
  /** A gRPC message to send with each request; undefined for GET. */
  readonly message?: Buffer;
}

const statusOk = 0x88;
const nothing = Buffer.alloc(0);

function requestBlock(url: URL, isGrpc: boolean): Buffer {
  return encodeHeaders([
    { name: ":method", value: isGrpc ? "POST" : "GET" },
    { name: ":scheme", value: url.protocol.slice(0, -1) },
    { name: ":path", value: url.pathname },
    { name: ":authority", value: url.host },
    ...(isGrpc
      ? [
          { name: "content-type", value: "application/grpc" },
          { name: "te", value: "trailers" },
        ]
      : []),
  ]);
}

/** One connection that sends the next request as soon as one is answered. */
class LoadConnection {
  readonly #socket: Socket;
  readonly #block: Buffer;
  readonly #body: Buffer | undefined;
  #streamId = -1;
  #out: Buffer[] = [];
  #windowBytes = 0;
  requests = 0;
  failed = 0;

  constructor(socket: Socket, load: H2Load) {
    this.#socket = socket;
    this.#block = requestBlock(new URL(load.url), load.message !== undefined);
    this.#body = load.message;
    const reader = new FrameReader({
      frame: (type, flags, streamId, payload) => this.#frame(type, flags, streamId, payload),
    });
    socket.on("error", () => {
      this.failed++;
    });
    socket.on("data", (chunk: Buffer) => {
      reader.push(chunk);
      this.#flush();
    });
    const settings = new Map([
      [settingIds.enablePush, 0],
      [settingIds.initialWindowSize, maxWindowBytes],
    ]);
    this.#out.push(
      clientPreface,
      encodeSettings(settings),
      encodeWindowUpdate(0, maxWindowBytes - defaultWindowBytes),
    );
    for (let index = 0; index < load.streams; index++) {
      this.#ask();
    }
    this.#flush();
  }

  #ask(): void {
    this.#streamId += 2;
    const end = this.#body === undefined ? frameFlags.endStream : 0;
    this.#out.push(encodeFrame(frameTypes.headers, frameFlags.endHeaders | end, this.#streamId, this.#block));
    if (this.#body !== undefined) {
      this.#out.push(encodeFrame(frameTypes.data, frameFlags.endStream, this.#streamId, this.#body));
    }
  }

  #frame(type: number, flags: number, _streamId: number, payload: Buffer): void {
    if (type === frameTypes.settings && (flags & frameFlags.ack) === 0) {
      this.#out.push(encodeFrame(frameTypes.settings, frameFlags.ack, 0, nothing));
    } else if (type === frameTypes.data) {
      this.#windowBytes += payload.length;
      if (this.#windowBytes > maxWindowBytes / 4) {
        this.#out.push(encodeWindowUpdate(0, this.#windowBytes));
        this.#windowBytes = 0;
      }
    } else if (type === frameTypes.rstStream || type === frameTypes.goAway) {
      this.failed++;
    }
    const endsStream =
      type === frameTypes.rstStream ||
      ((type === frameTypes.data || type === frameTypes.headers) && (flags & frameFlags.endStream) !== 0);
    if (endsStream) {
      this.requests++;
      this.#ask();
    }
  }

  #flush(): void {
    if (this.#out.length > 0 && this.#socket.writable) {
      this.#socket.write(Buffer.concat(this.#out));
    }
    this.#out = [];
  }

  close(): void {
    this.#socket.removeAllListeners("error");
    this.#socket.on("error", () => {});
    this.#socket.destroy();
  }
}

async function open(url: URL): Promise<Socket> {
  const options = { host: url.hostname, port: Number(url.port), noDelay: true };
  if (url.protocol === "http:") {
    const socket = connect(options);
    await once(socket, "connect");
    return socket;
  }
  const socket = connectTls({
    ...options,
    ALPNProtocols: ["h2"],
    servername: url.hostname,
    rejectUnauthorized: false,
  });
  await once(socket, "secureConnect");
  return socket;
}

/** Checks that a server answers a request with 200 before the load begins. @throws Error when it does not */
async function probe(load: H2Load): Promise<void> {
  const socket = await open(new URL(load.url));
  const answer = Promise.withResolvers<void>();
  const reader = new FrameReader({
    frame: (type, _flags, _streamId, payload) => {
      if (type === frameTypes.headers && payload[0] === statusOk) {
        answer.resolve();
      } else if (type === frameTypes.headers) {
        answer.reject(new Error(`${load.url} does not answer with 200`));
      }
    },
  });
  socket.on("data", (chunk: Buffer) => reader.push(chunk));
  socket.on("close", () => answer.reject(new Error(`${load.url} closed the connection`)));
  const connection = new LoadConnection(socket, { ...load, streams: 1 });
  try {
    await answer.promise;
  } finally {
    connection.close();
  }
}

/** Runs a load of HTTP/2 from this process. @throws Error when the server cannot be reached or does not answer with 200 */
export async function runH2Load(load: H2Load): Promise<WrkResult> {
  await probe(load);
  const url = new URL(load.url);
  const sockets = await Promise.all(Array.from({ length: load.connections }, () => open(url)));
  const startedAt = performance.now();
  const connections = sockets.map((socket) => new LoadConnection(socket, load));
  await new Promise((resolve) => setTimeout(resolve, load.seconds * 1_000));
  const seconds = (performance.now() - startedAt) / 1_000;
  const requests = connections.reduce((sum, each) => sum + each.requests, 0);
  const failed = connections.reduce((sum, each) => sum + each.failed, 0);
  for (const connection of connections) {
    connection.close();
  }
  return { requests, requestsPerSecond: requests / seconds, failed };
}
