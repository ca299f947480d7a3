import type { HostPort, Logger, ServerTls, TenantCheck } from "lifecycle";
import type { Pipeline } from "../pipeline/span-intake.ts";
import type { SamplingProvider } from "../sampling/sampling-provider.ts";
import type { BodyReader } from "./read-body.ts";
import type { UnfinishedBytes } from "./unfinished-bytes.ts";

/** What every receiver works with. */
export interface ReceiverContext extends Pipeline {
  /** Whose spans a request brings; it names nobody where tenancy is off. */
  readonly tenants: TenantCheck;
  /** What clients that ask are told to sample. */
  readonly sampling: SamplingProvider;
  /** Of requests under way: one for all listeners, so that they share its limit. */
  readonly unfinished: UnfinishedBytes;
  /** Reads bodies of HTTP, within that limit. */
  readonly bodies: BodyReader;
  readonly log: Logger;
}

/** Where a receiver listens, and what its address is called in options and messages. */
export interface ReceiverAddress {
  readonly address: HostPort;
  readonly what: string;
  readonly flag: string;
  /** Plain text where it is left out. The listener closes it when it stops. */
  readonly tls?: ServerTls | undefined;
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
