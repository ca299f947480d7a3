// For tests: small receivers that answer as the test requests, and store the spans that they accepted.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { Metadata, Server, ServerCredentials, status } from "@grpc/grpc-js";
import { statusDetails } from "http-protocols/testing";
import type { Span } from "wire/model";
import { encodeExportResponse, type TraceServiceHandlers, traceService } from "wire/otlp";
import { decodeTraces } from "wire/testing/decode-traces";

/** Answer of a receiver to one call; the receiver stores the batch when it accepts it. */
export type Behaviour =
  | { readonly accept: true; readonly rejectedSpans?: number }
  | { readonly code: number; readonly retryAfterMs?: number; readonly retryAfter?: string }
  /** Over HTTP: closes the connection without an answer. */
  | { readonly hangUp: true };

export interface TestReceiver {
  readonly endpoint: string;
  readonly accepted: Span[];
  /** Times of all calls in milliseconds. */
  readonly callTimes: number[];
  readonly connections: () => number;
  close(): Promise<void>;
}

/** @param behave returns the behaviour for the call with this number, which starts at 0 */
export async function openGrpcReceiver(behave: (call: number) => Behaviour): Promise<TestReceiver> {
  const accepted: Span[] = [];
  const callTimes: number[] = [];
  const server = new Server({ "grpc.max_receive_message_length": 64 * 1024 * 1024 });
  const handlers: TraceServiceHandlers = {
    export: (call, answer) => {
      const behaviour = behave(callTimes.length);
      callTimes.push(performance.now());
      if ("accept" in behaviour) {
        accepted.push(...decodeTraces(call.request));
        answer(null, { rejectedSpans: behaviour.rejectedSpans ?? 0, errorMessage: "" });
        return;
      }
      const { code, retryAfterMs } = "code" in behaviour ? behaviour : { code: status.UNKNOWN };
      const metadata = new Metadata();
      if (retryAfterMs !== undefined) {
        const delay = { seconds: Math.floor(retryAfterMs / 1000), nanos: (retryAfterMs % 1000) * 1e6 };
        metadata.set("grpc-status-details-bin", statusDetails(delay));
      }
      answer({ code, details: "as the test wants", metadata });
    },
  };
  server.addService(traceService, { ...handlers });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return {
    endpoint: `127.0.0.1:${port}`,
    accepted,
    callTimes,
    connections: () => 0,
    close: async () => server.forceShutdown(),
  };
}

/** @param behave returns the behaviour for the call with this number, which starts at 0 */
export async function openHttpReceiver(behave: (call: number) => Behaviour): Promise<TestReceiver> {
  const accepted: Span[] = [];
  const callTimes: number[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const behaviour = behave(callTimes.length);
    callTimes.push(performance.now());
    void answer(request, response, behaviour, accepted);
  }).listen(0, "127.0.0.1");
  server.on("connection", () => connections++);
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accepted,
    callTimes,
    connections: () => connections,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  behaviour: Behaviour,
  accepted: Span[],
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
  }
  const body = Buffer.concat(chunks);
  if ("hangUp" in behaviour) {
    request.socket.destroy();
  } else if ("code" in behaviour) {
    const { code, retryAfter } = behaviour;
    response
      .writeHead(code, retryAfter === undefined ? {} : { "retry-after": retryAfter })
      .end("as the test wants");
  } else if (request.url !== "/v1/traces" || request.headers["content-type"] !== "application/x-protobuf") {
    response.writeHead(404).end();
  } else {
    accepted.push(...decodeTraces(request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body));
    const { rejectedSpans = 0 } = behaviour;
    response.writeHead(200).end(encodeExportResponse({ rejectedSpans, errorMessage: "" }));
  }
}
