import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";

/** Takes upstreams out of use by what becomes of their requests: a module of one's own. */
export interface CircuitBreaker extends ModuleInstance {
  /** Whether the upstream gets no requests now. */
  isOpen(address: string): boolean;
  /** @param latencyMs time until the head of the response */
  record(address: string, status: number, latencyMs: number): void;
}

export const circuitBreakers: ModuleNamespace<CircuitBreaker> = {
  prefix: "http.reverse_proxy.circuit_breakers",
};
