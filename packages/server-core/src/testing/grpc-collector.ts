import { type Metadata, Server, ServerCredentials, type ServiceError, type status } from "@grpc/grpc-js";
import { bindServer } from "wire/grpc";
import { EventQueue } from "./event-queue.ts";

export interface GrpcExport {
  /** The method that was called. */
  readonly path: string;
  readonly message: Buffer;
  readonly metadata: Metadata;
}

/** The status of a refused export. */
export interface GrpcRefusal {
  readonly code: status;
  readonly details: string;
}

const signals = ["metrics.v1.MetricsService", "trace.v1.TraceService"];

/** For tests: a collector for OTLP over gRPC, with the library that most clients of collectors use. */
export class GrpcCollector {
  readonly exports = new EventQueue<GrpcExport>();
  /** Answers to the next exports, in order; when none is left, exports are accepted. */
  readonly refusals: GrpcRefusal[] = [];
  readonly port: number;
  readonly #server: Server;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
  }

  static async start(credentials = ServerCredentials.createInsecure(), port = 0): Promise<GrpcCollector> {
    const server = new Server();
    const bound = await bindServer(server, { host: "127.0.0.1", port }, credentials);
    const collector = new GrpcCollector(server, bound);
    for (const signal of signals) {
      const path = `/opentelemetry.proto.collector.${signal}/Export`;
      const bytes = (value: Buffer) => value;
      const definition = {
        path,
        requestStream: false,
        responseStream: false,
        requestSerialize: bytes,
        requestDeserialize: bytes,
        responseSerialize: bytes,
        responseDeserialize: bytes,
      };
      server.addService(
        { Export: definition },
        {
          Export(
            call: { request: Buffer; metadata: Metadata },
            done: (error: Partial<ServiceError> | null, answer?: Buffer) => void,
          ) {
            collector.exports.push({ path, message: call.request, metadata: call.metadata });
            const refusal = collector.refusals.shift();
            done(refusal ?? null, Buffer.alloc(0));
          },
        },
      );
    }
    return collector;
  }

  stop(): void {
    this.#server.forceShutdown();
  }
}
