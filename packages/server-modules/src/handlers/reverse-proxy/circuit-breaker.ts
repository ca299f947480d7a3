import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";

/** Takes upstreams out of use by what becomes of their requests: a module of one's own. */
export interface CircuitBreaker extends ModuleInstance {
  /**
   * Whether the upstream gets no requests now. Asked each time an upstream is chosen, so it must answer from
   * memory.
   */
  isOpen(address: string): boolean;
  /**
   * Called with the head of each response. A try that never got a head is not recorded; passive checks count
   * it.
   * @param latencyMs time until the head of the response
   */
  record(address: string, status: number, latencyMs: number): void;
}

/** The product has no module of this kind. A user's module is named by `circuit_breaker: { "type": "…" }`. */
export const circuitBreakers: ModuleNamespace<CircuitBreaker> = {
  prefix: "http.reverse_proxy.circuit_breakers",
};
