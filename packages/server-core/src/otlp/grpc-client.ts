import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from "node:http2";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { GrpcSettings } from "./grpc-settings.ts";

const gzipped = promisify(gzip);

/** Status codes after which the same may be sent again. Source: OTLP specification, "OTLP/gRPC Response" */
const repeatable = new Set([1, 4, 10, 11, 14, 15]);
const unavailable = 14;
const resourceExhausted = 8;
const retryInfoHeader = "grpc-status-details-bin";
/** An answer is a few bytes. */
const maxAnswerBytes = 1_048_576;
const frameHeaderBytes = 5;

/** A call that did not succeed. */
export class GrpcError extends Error {
  override readonly name = "GrpcError";
  readonly repeatable: boolean;

  constructor(status: number, message: string, mayRepeat = repeatable.has(status)) {
    super(`${message || "no reason given"} (gRPC status ${status})`);
    this.repeatable = mayRepeat;
  }
}

function decoded(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}

/** @throws GrpcError unless the call succeeded */
function check(fields: IncomingHttpHeaders): void {
  const status = Number(fields["grpc-status"]);
  if (status !== 0) {
    // Exhausted resources are worth another try only where the collector says when.
    const mayRepeat =
      status === resourceExhausted ? fields[retryInfoHeader] !== undefined : repeatable.has(status);
    throw new GrpcError(status, decoded(String(fields["grpc-message"] ?? "")), mayRepeat);
  }
}

/** Why an HTTP status is no answer of gRPC: something in between knows none. Undefined for 200. */
function faultOfStatus(status: number | undefined): GrpcError | undefined {
  return status === 200
    ? undefined
    : new GrpcError(unavailable, `HTTP status ${status}`, Number(status) >= 500);
}

/** @throws GrpcError unless the call ended well */
function checkEnd(end: IncomingHttpHeaders | undefined, fault: Error | undefined): void {
  if (fault !== undefined) {
    throw fault;
  }
  if (end === undefined) {
    throw new GrpcError(unavailable, "the connection ended before the answer");
  }
  check(end);
}

/** Unary calls to one collector, over one connection that is opened anew when it ends. ADR 007 has why not a library */
export class GrpcClient {
  readonly #settings: GrpcSettings;
  readonly #path: string;
  #session: ClientHttp2Session | undefined;

  /** @param path `/<service>/<method>` */
  constructor(settings: GrpcSettings, path: string) {
    this.#settings = settings;
    this.#path = path;
  }

  /** @throws GrpcError */
  async call(message: Uint8Array, timeoutMs: number): Promise<void> {
    const payload = this.#settings.gzip ? await gzipped(message) : message;
    const frame = Buffer.allocUnsafe(frameHeaderBytes + payload.length);
    frame.writeUInt8(this.#settings.gzip ? 1 : 0, 0);
    frame.writeUInt32BE(payload.length, 1);
    frame.set(payload, frameHeaderBytes);
    await this.#send(frame, timeoutMs);
  }

  close(): void {
    this.#session?.destroy();
    this.#session = undefined;
  }

  #open(): ClientHttp2Session {
    const present = this.#session;
    if (present !== undefined && !present.closed && !present.destroyed) {
      return present;
    }
    const { origin, ca, cert, key } = this.#settings;
    const session = connect(origin, {
      ...(ca && { ca }),
      ...(cert && { cert }),
      ...(key && { key }),
    });
    session.on("error", () => {}); // The call that was under way tells.
    session.once("goaway", () => session.close());
    session.unref();
    this.#session = session;
    return session;
  }

  #send(frame: Buffer, timeoutMs: number): Promise<void> {
    const session = this.#open();
    return new Promise((resolve, reject) => {
      const stream = session.request({
        ":method": "POST",
        ":path": this.#path,
        "content-type": "application/grpc",
        te: "trailers",
        "grpc-timeout": `${Math.ceil(timeoutMs)}m`,
        ...(this.#settings.gzip ? { "grpc-encoding": "gzip" } : {}),
        ...this.#settings.headers,
      });
      let bytes = 0;
      let end: IncomingHttpHeaders | undefined;
      let fault: Error | undefined;
      const timer = setTimeout(() => {
        fault = new GrpcError(4, `no answer in ${timeoutMs} ms`);
        stream.close(constants.NGHTTP2_CANCEL);
      }, timeoutMs);
      stream.on("error", (error) => {
        fault ??= new GrpcError(unavailable, error.message);
      });
      stream.on("response", (fields) => {
        const refused = faultOfStatus(fields[":status"]);
        if (refused !== undefined) {
          fault = refused;
          stream.close(constants.NGHTTP2_CANCEL);
        } else if (fields["grpc-status"] !== undefined) {
          end = fields;
        }
      });
      stream.on("trailers", (fields) => {
        end = fields;
      });
      stream.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > maxAnswerBytes) {
          fault = new GrpcError(resourceExhausted, "the answer is too large", false);
          stream.close(constants.NGHTTP2_CANCEL);
        }
      });
      stream.once("close", () => {
        clearTimeout(timer);
        try {
          checkEnd(end, fault);
          resolve();
        } catch (error) {
          reject(error as Error);
        }
      });
      stream.end(frame);
    });
  }
}
