import type { HeaderList } from "./header-list.ts";

/** The call to one upstream as a part of the request's trace. */
export interface UpstreamTrace {
  /** Writes the trace context into the request to the upstream, in place of the client's trace context. */
  inject(headers: HeaderList): void;
  /** @param outcome the upstream's status, or the error */
  end(outcome: number | Error): void;
}

/** The span interface that a tracing handler gives to inner handlers. */
export interface RequestTrace {
  /** @param address host and port of the upstream */
  startUpstream(address: string): UpstreamTrace;
}
