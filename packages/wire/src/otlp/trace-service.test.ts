import { Client, credentials, Server, ServerCredentials } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import { bindServer } from "../grpc/bind-server.ts";
import type { ExportOutcome } from "./export-response.ts";
import { type TraceServiceHandlers, traceService } from "./trace-service.ts";

test("hands the handler the request's bytes over a real connection", async () => {
  let received: Buffer | undefined;
  const handlers: TraceServiceHandlers = {
    export(call, callback) {
      received = call.request;
      callback(null, { rejectedSpans: 1, errorMessage: "why" });
    },
  };
  const server = new Server();
  server.addService(traceService, { ...handlers });
  const port = await bindServer(server, { host: "127.0.0.1", port: 0 }, ServerCredentials.createInsecure());
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  try {
    const { path, requestSerialize, responseDeserialize } = traceService.export;
    const outcome = await new Promise<ExportOutcome | undefined>((resolve, reject) => {
      client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        Buffer.from([1, 2, 255]),
        (error, value) => (error ? reject(error) : resolve(value)),
      );
    });
    expect(received).toEqual(Buffer.from([1, 2, 255]));
    expect(outcome).toEqual({ rejectedSpans: 1, errorMessage: "why" });
  } finally {
    client.close();
    server.forceShutdown();
  }
});
