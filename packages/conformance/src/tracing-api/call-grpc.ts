import { Client, credentials, type MethodDefinition, type ServiceError, status } from "@grpc/grpc-js";

const deadlineMs = 10_000;

/** Calls one method once, unary or server-streaming. @returns all messages @throws ServiceError with the gRPC code */
export async function callGrpc<Request, Response>(
  address: string,
  method: MethodDefinition<Request, Response>,
  request: Request,
): Promise<Response[]> {
  const client = new Client(address, credentials.createInsecure());
  try {
    return await new Promise((resolve, reject) => {
      const messages: Response[] = [];
      const stream = client.makeServerStreamRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
        { deadline: Date.now() + deadlineMs },
      );
      stream.on("data", (message: Response) => messages.push(message));
      stream.on("error", reject);
      stream.on("end", () => resolve(messages));
    });
  } finally {
    client.close();
  }
}

/** Waits for the error of a call. @returns its code and text */
export async function grpcErrorOf(call: Promise<unknown>): Promise<{ code: string; details: string }> {
  try {
    await call;
  } catch (error) {
    const { code, details } = error as ServiceError;
    return { code: status[code] ?? String(code), details };
  }
  return { code: "OK", details: "" };
}
