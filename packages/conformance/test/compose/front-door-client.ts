import { connect } from "node:http2";
import { request } from "node:https";
import { status } from "@grpc/grpc-js";
import { grpcFrame } from "../bad-input/raw-grpc.ts";

const deadlineMs = 10_000;

/** A client that trusts only the authority of the front door. */
export class FrontDoorClient {
  readonly #port: number;
  readonly #authority: string;

  /** @param authority the root certificate as PEM */
  constructor(port: number, authority: string) {
    this.#port = port;
    this.#authority = authority;
  }

  /** Sends one request over HTTPS; a body is JSON. @throws Error when there is no complete answer */
  async ask(path: string, body?: unknown): Promise<{ status: number; text: string }> {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
    const call = request(
      {
        host: "localhost",
        port: this.#port,
        path,
        ca: this.#authority,
        method: body === undefined ? "GET" : "POST",
        headers: body === undefined ? {} : { "Content-Type": "application/json" },
        signal: AbortSignal.timeout(deadlineMs),
      },
      async (response) => {
        try {
          const chunks: Buffer[] = await response.toArray();
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
        } catch (error) {
          reject(error);
        }
      },
    );
    call.on("error", reject);
    call.end(body === undefined ? undefined : JSON.stringify(body));
    return await promise;
  }

  /** Makes one unary call over TLS. @returns the name of its status. @throws Error when it ends without a status */
  async callGrpc(path: string, message: Uint8Array): Promise<string> {
    const session = connect(`https://localhost:${this.#port}`, { ca: this.#authority });
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    session.on("error", reject);
    const stream = session.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      te: "trailers",
    });
    const fields: Record<string, unknown> = {};
    stream.setTimeout(deadlineMs, () => session.destroy(new Error(`no answer within ${deadlineMs} ms`)));
    stream.on("response", (headers) => Object.assign(fields, headers));
    stream.on("trailers", (headers) => Object.assign(fields, headers));
    stream.on("error", reject);
    stream.on("close", () => {
      const code = fields["grpc-status"];
      if (code === undefined) {
        reject(new Error(`HTTP ${fields[":status"]} without a status of gRPC`));
      } else {
        resolve(status[Number(code)] ?? String(code));
      }
    });
    stream.resume();
    stream.end(grpcFrame(message));
    return await promise.finally(() => session.destroy());
  }
}
