import type { HostPort, Logger } from "lifecycle";
import type { Pipeline } from "../pipeline/span-intake.ts";

/** What every receiver works with. */
export interface ReceiverContext extends Pipeline {
  readonly log: Logger;
}

/** Where a receiver listens, and what its address is called in options and messages. */
export interface ReceiverAddress {
  readonly address: HostPort;
  readonly what: string;
  readonly flag: string;
}

/** A listening receiver. */
export interface Receiver {
  /** In words: "OTLP over gRPC". */
  readonly what: string;
  /** The port in fact, where 0 was asked for. */
  readonly port: number;
  /** Takes no new connections, lets calls under way end, and cuts them when `signal` is aborted. */
  stop(signal: AbortSignal): Promise<void>;
}
