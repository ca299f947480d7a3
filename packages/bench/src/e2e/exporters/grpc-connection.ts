import { connect } from "node:net";
import { gunzipSync } from "node:zlib";
import { type GrpcAnswer, grpcAnswerOf, grpcError, Http2Connection } from "http-protocols/grpc-client";
import { encodeHeaders } from "http-protocols/http2";

/** Where to send, and how long to wait for an answer. */
export interface GrpcConnectionSettings {
  /** `host:port` */
  readonly endpoint: string;
  /** `/package.Service/Method` */
  readonly path: string;
  readonly gzip: boolean;
  readonly timeoutMs: number;
}

const maxAnswerBytes = 1_048_576;
/** Longest wait for a connection; then the call has failed, and the next one tries again. */
const connectTimeoutMs = 1000;

function decompress(message: Buffer): Buffer {
  return gunzipSync(message, { maxOutputLength: maxAnswerBytes });
}

/** Unary calls of one method over one connection, which is opened by the first call that finds none. */
export class GrpcConnection {
  readonly #settings: GrpcConnectionSettings;
  readonly #headers: Buffer;
  #opening: Promise<Http2Connection> | undefined;
  #connection: Http2Connection | undefined;
  #isClosed = false;

  constructor(settings: GrpcConnectionSettings) {
    const { endpoint, path, gzip, timeoutMs } = settings;
    this.#settings = settings;
    this.#headers = encodeHeaders([
      { name: ":method", value: "POST" },
      { name: ":scheme", value: "http" },
      { name: ":path", value: path },
      { name: ":authority", value: endpoint },
      { name: "te", value: "trailers" },
      { name: "content-type", value: "application/grpc" },
      { name: "user-agent", value: "bench" },
      { name: "grpc-timeout", value: `${Math.ceil(timeoutMs)}m` },
      ...(gzip ? [{ name: "grpc-encoding", value: "gzip" }] : []),
    ]);
  }

  /** Never rejects. @param message with gRPC's prefix; must not change until the answer is there */
  async call(message: Buffer): Promise<GrpcAnswer> {
    try {
      const ready = this.#connection;
      return await this.#send(ready?.isReady ? ready : await this.#open(), message);
    } catch (error) {
      return grpcError("UNAVAILABLE", (error as Error).message, true);
    }
  }

  /** Calls under way fail. */
  close(): void {
    this.#isClosed = true;
    this.#connection?.destroy("the exporter was closed");
  }

  #send(connection: Http2Connection, message: Buffer): Promise<GrpcAnswer> {
    const { timeoutMs, gzip } = this.#settings;
    return new Promise((resolve) => {
      const stream = connection.request(this.#headers, message, (outcome) => {
        clearTimeout(timer);
        resolve(grpcAnswerOf(outcome, gzip ? decompress : undefined));
      });
      const timer = setTimeout(() => {
        connection.cancel(stream);
        resolve(grpcError("DEADLINE_EXCEEDED", `no answer within ${timeoutMs} ms`));
      }, timeoutMs);
    });
  }

  /** Several calls wait for the same connection. */
  #open(): Promise<Http2Connection> {
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  #connect(): Promise<Http2Connection> {
    const { hostname, port } = new URL(`http://${this.#settings.endpoint}`);
    const { promise, resolve, reject } = Promise.withResolvers<Http2Connection>();
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ""),
      port: Number(port || 80),
      noDelay: true,
    });
    const fail = (error: Error) => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    const timer = setTimeout(
      () => fail(new Error(`no connection within ${connectTimeoutMs} ms`)),
      connectTimeoutMs,
    );
    socket.once("error", fail);
    socket.once("connect", () => {
      const connection = new Http2Connection(socket, {
        onReady: () => {
          clearTimeout(timer);
          this.#connection = connection;
          if (this.#isClosed) {
            this.close();
          }
          resolve(connection);
        },
        onGoingAway: () => {},
        onEnd: (reason) => fail(new Error(reason)),
      });
    });
    return promise;
  }
}
