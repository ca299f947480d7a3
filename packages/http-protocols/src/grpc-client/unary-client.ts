import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { gunzipSync } from "node:zlib";
import { encodeHeaders } from "../http2/encode-headers.ts";
import type { HeaderField } from "../http2/header-field.ts";
import { type GrpcAnswer, grpcAnswerOf, grpcError } from "./grpc-answer.ts";
import { Http2Connection } from "./http2-connection.ts";

/** The client's certificate and its trusted authorities, in PEM. */
export interface UnaryClientTls {
  /** Trusted CAs; undefined: Node's list. */
  readonly ca: Buffer | undefined;
  /** Certificate of the client, for mutual TLS. */
  readonly cert: Buffer | undefined;
  /** Private key of `cert`. */
  readonly key: Buffer | undefined;
}

export interface UnaryClientSettings {
  /** `http://host:port` for plain text, `https://host:port` for TLS. */
  readonly origin: string;
  /** `/package.Service/Method` */
  readonly path: string;
  /** Metadata of every call; names in lower case. Names that gRPC itself uses are ignored. */
  readonly headers?: Readonly<Record<string, string>>;
  /** True when the caller compresses messages with gzip; answers may then be compressed too. */
  readonly gzip: boolean;
  /** TLS settings, used only for `https:`. */
  readonly tls?: UnaryClientTls;
  /** Milliseconds for connecting, unless the call's own limit is shorter. */
  readonly connectTimeoutMs?: number;
}

/** Size limit of a decompressed answer, against answers that expand enormously. */
const maxAnswerBytes = 1_048_576;
const closed = "the client was closed";

function decompress(message: Buffer): Buffer {
  return gunzipSync(message, { maxOutputLength: maxAnswerBytes });
}

/** Unary calls of one method over one connection. A call opens the connection when there is none. */
export class UnaryClient {
  readonly #settings: UnaryClientSettings;
  readonly #origin: URL;
  readonly #fields: Buffer;
  /** Header block for calls with the time limit `#blockTimeoutMs`. */
  #block = Buffer.alloc(0);
  #blockTimeoutMs = 0;
  #opening: Promise<Http2Connection> | undefined;
  #connection: Http2Connection | undefined;
  #socket: Socket | undefined;
  #isClosed = false;

  constructor(settings: UnaryClientSettings) {
    this.#settings = settings;
    this.#origin = new URL(settings.origin);
    this.#fields = encodeHeaders(fieldsOf(settings, this.#origin));
  }

  /** Makes a call; never rejects. @param message with gRPC's prefix; must not change until the promise resolves */
  async call(message: Buffer, timeoutMs: number): Promise<GrpcAnswer> {
    const ready = this.#connection;
    if (ready?.isReady) {
      return await this.#send(ready, message, timeoutMs);
    }
    if (this.#isClosed) {
      return grpcError("UNAVAILABLE", closed, true);
    }
    const startedAt = performance.now();
    try {
      const connection = await this.#open(timeoutMs);
      return await this.#send(connection, message, timeoutMs - (performance.now() - startedAt));
    } catch (error) {
      return grpcError("UNAVAILABLE", (error as Error).message, true);
    }
  }

  /** Closes the connection; running calls fail. */
  close(): void {
    this.#isClosed = true;
    this.#connection?.destroy(closed);
    this.#socket?.destroy(new Error(closed));
  }

  #send(connection: Http2Connection, message: Buffer, timeoutMs: number): Promise<GrpcAnswer> {
    return new Promise((resolve) => {
      const stream = connection.request(this.#blockFor(timeoutMs), message, (outcome) => {
        clearTimeout(timer);
        resolve(grpcAnswerOf(outcome, this.#settings.gzip ? decompress : undefined));
      });
      const timer = setTimeout(() => {
        connection.cancel(stream);
        resolve(grpcError("DEADLINE_EXCEEDED", `no answer in ${Math.round(timeoutMs)} ms`));
      }, timeoutMs);
    });
  }

  #blockFor(timeoutMs: number): Buffer {
    const wholeMs = Math.max(1, Math.ceil(timeoutMs));
    if (wholeMs !== this.#blockTimeoutMs) {
      this.#blockTimeoutMs = wholeMs;
      const timeout = encodeHeaders([{ name: "grpc-timeout", value: `${wholeMs}m` }]);
      this.#block = Buffer.concat([this.#fields, timeout]);
    }
    return this.#block;
  }

  /** Opens the connection. Calls that start while it opens wait for the same connection. */
  #open(timeoutMs: number): Promise<Http2Connection> {
    const limitMs = Math.min(timeoutMs, this.#settings.connectTimeoutMs ?? timeoutMs);
    this.#opening ??= this.#connect(limitMs).finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  #connect(limitMs: number): Promise<Http2Connection> {
    const { promise, resolve, reject } = Promise.withResolvers<Http2Connection>();
    const socket = this.#openSocket(() => {
      const connection = new Http2Connection(socket, {
        onReady: () => {
          clearTimeout(timer);
          this.#connection = connection;
          resolve(connection);
        },
        onGoingAway: () => {},
        onEnd: (reason) => fail(new Error(reason)),
      });
    });
    const fail = (error: Error) => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    const timer = setTimeout(
      () => fail(new Error(`no connection within ${Math.round(limitMs)} ms`)),
      limitMs,
    );
    socket.on("error", fail);
    // An idle connection keeps no process alive. A running call does, because of its timer.
    socket.unref();
    this.#socket = socket;
    return promise;
  }

  #openSocket(onConnected: () => void): Socket {
    const { protocol, hostname, port } = this.#origin;
    const host = hostname.replace(/^\[|\]$/g, "");
    if (protocol === "http:") {
      return connect({ host, port: Number(port || 80), noDelay: true }, onConnected);
    }
    const { ca, cert, key } = this.#settings.tls ?? {};
    const socket = connectTls({
      host,
      port: Number(port || 443),
      ALPNProtocols: ["h2"],
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    });
    socket.setNoDelay(true);
    socket.once("secureConnect", () => {
      if (socket.alpnProtocol === "h2") {
        onConnected();
      } else {
        socket.destroy(new Error("the server does not speak HTTP/2 over TLS (ALPN)"));
      }
    });
    return socket;
  }
}

/** Header fields of every call, except the timeout. */
function fieldsOf({ path, headers, gzip }: UnaryClientSettings, { protocol, host }: URL): HeaderField[] {
  const own = {
    ":method": "POST",
    ":scheme": protocol.slice(0, -1),
    ":path": path,
    ":authority": host,
    te: "trailers",
    "content-type": "application/grpc",
    ...(gzip ? { "grpc-encoding": "gzip" } : {}),
  };
  // The client's own fields come first, because pseudo-header fields must precede all other fields. They are spread
  // again at the end, so that metadata cannot replace them.
  return Object.entries({ ...own, ...headers, ...own }).map(([name, value]) => ({ name, value }));
}
