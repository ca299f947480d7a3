import { connect } from "node:http2";
import { status } from "@grpc/grpc-js";

export interface GrpcEnd {
  /** Name of the gRPC status; `HTTP <status>` without a gRPC status. */
  readonly code: string;
  readonly message: string;
  /** `grpc-status-details-bin`, decoded; empty when absent. */
  readonly details: Buffer;
}

/** A message with gRPC's header. `length` and `isCompressed` are written into the header, even when they are wrong. */
export function grpcFrame(
  message: Uint8Array,
  { length = message.length, isCompressed = false } = {},
): Buffer {
  const header = Buffer.alloc(5);
  header.writeUInt8(isCompressed ? 1 : 0, 0);
  header.writeUInt32BE(length, 1);
  return Buffer.concat([header, message]);
}

/**
 * Makes one call with an unchanged body, which no client checks. @param address host:port @param path
 * `/package.Service/Method`
 */
export async function rawGrpc(
  address: string,
  path: string,
  body: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<GrpcEnd> {
  const session = connect(`http://${address}`);
  try {
    return await new Promise<GrpcEnd>((resolve, reject) => {
      session.on("error", reject);
      const stream = session.request({
        ":method": "POST",
        ":path": path,
        "content-type": "application/grpc",
        te: "trailers",
        ...headers,
      });
      const fields: Record<string, unknown> = {};
      stream.on("response", (response) => Object.assign(fields, response));
      stream.on("trailers", (trailers) => Object.assign(fields, trailers));
      // A server may answer and then refuse the rest of the body.
      stream.on("error", () => {});
      stream.on("close", () => {
        const code = fields["grpc-status"];
        resolve({
          code: code === undefined ? `HTTP ${fields[":status"]}` : (status[Number(code)] ?? String(code)),
          message: decodeURIComponent(String(fields["grpc-message"] ?? "")),
          details: Buffer.from(String(fields["grpc-status-details-bin"] ?? ""), "base64"),
        });
      });
      stream.resume();
      stream.end(body);
    });
  } finally {
    session.destroy();
  }
}
