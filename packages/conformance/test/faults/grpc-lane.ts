import { type ClientHttp2Session, connect, constants } from "node:http2";
import { status } from "@grpc/grpc-js";
import { type GrpcEnd, grpcFrame } from "../bad-input/raw-grpc.ts";

/** One connection for gRPC calls, one after another; it is reopened after its end. The lane never retries. */
export class GrpcLane {
  readonly #url: string;
  readonly #deadlineMs: number;
  #session: ClientHttp2Session | undefined;

  constructor(address: string, deadlineMs: number) {
    this.#url = `http://${address}`;
    this.#deadlineMs = deadlineMs;
  }

  /** @throws Error when the call ends without a status */
  async call(path: string, message: Uint8Array): Promise<GrpcEnd> {
    const session = this.#connected();
    return await new Promise<GrpcEnd>((resolve, reject) => {
      const fields: Record<string, unknown> = {};
      const stream = session.request({
        ":method": "POST",
        ":path": path,
        "content-type": "application/grpc",
        te: "trailers",
      });
      const timer = setTimeout(() => {
        stream.close(constants.NGHTTP2_CANCEL);
        reject(new Error(`no answer within ${this.#deadlineMs} ms`));
      }, this.#deadlineMs);
      let reason = "the call ended without a status";
      stream.on("response", (headers) => Object.assign(fields, headers));
      stream.on("trailers", (headers) => Object.assign(fields, headers));
      stream.on("error", (error) => {
        reason = error.message;
      });
      stream.on("close", () => {
        clearTimeout(timer);
        const code = fields["grpc-status"];
        if (code === undefined) {
          if (session.closed || session.destroyed) {
            this.close();
          }
          reject(new Error(reason));
          return;
        }
        resolve({
          code: status[Number(code)] ?? String(code),
          message: decodeURIComponent(String(fields["grpc-message"] ?? "")),
          details: Buffer.from(String(fields["grpc-status-details-bin"] ?? ""), "base64"),
        });
      });
      stream.resume();
      stream.end(grpcFrame(message));
    });
  }

  close(): void {
    this.#session?.destroy();
    this.#session = undefined;
  }

  #connected(): ClientHttp2Session {
    if (this.#session === undefined || this.#session.closed || this.#session.destroyed) {
      this.#session = connect(this.#url);
      // Calls notice the error themselves.
      this.#session.on("error", () => {});
    }
    return this.#session;
  }
}
