import {
  Client,
  connectivityState,
  credentials,
  type MethodDefinition,
  type ServiceError,
} from "@grpc/grpc-js";
import type { Logger } from "lifecycle";
import type { PostSpansRequest, PostSpansResponse } from "wire/api-v2";
import { collectorService, withPublicNames } from "wire/grpc";

/** The public model's name of the service, if it has one: every collector of the kind answers it, ours too. */
const postSpans = (withPublicNames(collectorService).at(-1) ?? collectorService)
  .postSpans as MethodDefinition<PostSpansRequest, PostSpansResponse>;

const callTimeoutMs = 10_000;

const channelOptions = {
  // A collector that restarts is found again soon: grpc-js would wait up to two minutes.
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 500,
  // The reporter counts and paces its own retries.
  "grpc.enable_retries": 0,
  // A name with several addresses: all of them in turn.
  "grpc.service_config": JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
};

/** One collector. Connects at once, connects again whenever the connection is lost, and says so in the log. */
export class CollectorConnection {
  /** As configured. */
  readonly address: string;
  readonly #client: Client;
  readonly #log: Logger;
  #isAway = false;
  #isClosed = false;

  constructor(address: string, log: Logger) {
    this.address = address;
    this.#log = log;
    this.#client = new Client(address, credentials.createInsecure(), channelOptions);
    this.#watch();
  }

  get isConnected(): boolean {
    return (
      !this.#isClosed && this.#client.getChannel().getConnectivityState(false) === connectivityState.READY
    );
  }

  /** @returns the error of the call, undefined when the collector took the spans */
  postSpans(request: PostSpansRequest): Promise<ServiceError | undefined> {
    return new Promise((resolve) => {
      this.#client.makeUnaryRequest(
        postSpans.path,
        postSpans.requestSerialize,
        postSpans.responseDeserialize,
        request,
        { deadline: Date.now() + callTimeoutMs },
        (error) => resolve(error ?? undefined),
      );
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#client.close();
  }

  #watch(): void {
    const channel = this.#client.getChannel();
    const state = channel.getConnectivityState(true); // Connects when it is idle.
    this.#logChange(state);
    channel.watchConnectivityState(state, Number.POSITIVE_INFINITY, () => {
      if (!this.#isClosed) {
        this.#watch();
      }
    });
  }

  #logChange(state: connectivityState): void {
    if (state === connectivityState.TRANSIENT_FAILURE && !this.#isAway) {
      this.#isAway = true;
      this.#log.warn(`collector ${this.address} is away: trying again until it is back`);
    } else if (state === connectivityState.READY && this.#isAway) {
      this.#isAway = false;
      this.#log.info(`collector ${this.address} is back`);
    }
  }
}
