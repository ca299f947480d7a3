import { Client, credentials, type ServiceError, status } from "@grpc/grpc-js";

export interface GrpcAnswer {
  /** Name of the status; `OK` for success. */
  readonly code: string;
  readonly details: string;
  readonly messages: readonly Buffer[];
}

const deadlineMs = 20_000;
const asItIs = (bytes: Buffer) => bytes;

/** Makes one call, unary or server-streaming, with unchanged bytes as the message. */
export async function grpcRequest(address: string, path: string, message: Uint8Array): Promise<GrpcAnswer> {
  const client = new Client(address, credentials.createInsecure());
  const messages: Buffer[] = [];
  try {
    return await new Promise((resolve) => {
      const stream = client.makeServerStreamRequest(path, asItIs, asItIs, Buffer.from(message), {
        deadline: Date.now() + deadlineMs,
      });
      stream.on("data", (bytes: Buffer) => messages.push(bytes));
      stream.on("error", ({ code, details }: ServiceError) =>
        resolve({ code: status[code] ?? String(code), details, messages }),
      );
      stream.on("end", () => resolve({ code: "OK", details: "", messages }));
    });
  } finally {
    client.close();
  }
}
