import { EventEmitter, once } from "node:events";
import { Server, ServerCredentials, type status } from "@grpc/grpc-js";
import type { Batch } from "wire/api-v2";
import { SamplingStrategyResponse } from "wire/api-v2";
import {
  bindServer,
  type CollectorServiceServer,
  collectorService,
  type SamplingManagerServer,
  samplingService,
  withPublicNames,
} from "wire/grpc";

/** A real gRPC server with `CollectorService`, which stores the received spans, and `SamplingManager`. */
export class CollectorUnderTest {
  readonly batches: Batch[] = [];
  /** Status with which the next calls are refused; undefined: calls are accepted. */
  refuseWith: status | undefined;
  refuseDetails = "the journal is full";
  refused = 0;
  port = 0;
  /** Sampling strategies by service. */
  strategies: Readonly<Record<string, Partial<SamplingStrategyResponse>>> = {};
  readonly #credentials: ServerCredentials;
  readonly #arrivals = new EventEmitter();
  #server = new Server();

  constructor(credentials: ServerCredentials = ServerCredentials.createInsecure()) {
    this.#credentials = credentials;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Listens on the earlier port, or first on a free port. */
  async start(): Promise<this> {
    this.#server = new Server();
    const handlers: CollectorServiceServer = {
      postSpans: ({ request }, callback) => {
        if (this.refuseWith !== undefined) {
          this.refused++;
          callback({ code: this.refuseWith, details: this.refuseDetails });
        } else {
          this.batches.push(request.batch!);
          callback(null, {});
        }
        this.#arrivals.emit("call");
      },
    };
    for (const definition of withPublicNames(collectorService)) {
      this.#server.addService(definition, handlers);
    }
    const sampling: SamplingManagerServer = {
      getSamplingStrategy: ({ request }, callback) =>
        callback(null, SamplingStrategyResponse.fromPartial(this.strategies[request.serviceName] ?? {})),
    };
    for (const definition of withPublicNames(samplingService)) {
      this.#server.addService(definition, sampling);
    }
    const { port } = this;
    this.port = await bindServer(this.#server, { host: "127.0.0.1", port }, this.#credentials);
    return this;
  }

  /** Breaks all connections, like a killed process. */
  kill(): void {
    this.#server.forceShutdown();
  }

  get spanNames(): string[] {
    return this.batches.flatMap(({ spans }) => spans.map(({ operationName }) => operationName));
  }

  /** Resolves when the condition is true. The condition is checked after each call. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await once(this.#arrivals, "call");
    }
  }
}
