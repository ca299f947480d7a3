import type { HostPort, Logger, ServerTls, TenantCheck } from "lifecycle";
import type { Pipeline } from "../pipeline/span-intake.ts";
import type { SamplingProvider } from "../sampling/sampling-provider.ts";
import type { BodyReader } from "./read-body.ts";
import type { UnfinishedBytes } from "./unfinished-bytes.ts";

export interface ReceiverContext extends Pipeline {
  /** Finds the tenant of a request; "" when tenancy is off. */
  readonly tenants: TenantCheck;
  /** Sampling strategies for clients. */
  readonly sampling: SamplingProvider;
  /** Bytes of running requests; one counter for all listeners, so that they share its limit. */
  readonly unfinished: UnfinishedBytes;
  /** Reads HTTP bodies within that limit. */
  readonly bodies: BodyReader;
  readonly log: Logger;
}

/** The address of a receiver, and the name of the address in options and messages. */
export interface ReceiverAddress {
  readonly address: HostPort;
  /** Name of the protocol, for messages. */
  readonly what: string;
  /** Option that sets the address, for messages. */
  readonly flag: string;
  /** TLS settings; plain text when absent. The listener closes the object on stop. */
  readonly tls?: ServerTls | undefined;
}

/** A listening receiver. */
export interface Receiver {
  /** Name of the receiver, for people: "OTLP over gRPC". */
  readonly what: string;
  /** Port in use, also when the option was port 0. */
  readonly port: number;
  /** Accepts no new connections and lets running calls end. When `signal` is aborted, they are cancelled. */
  stop(signal: AbortSignal): Promise<void>;
}
