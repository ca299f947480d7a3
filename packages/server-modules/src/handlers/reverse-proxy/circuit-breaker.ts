import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";

/**
 * A circuit breaker stops requests to an upstream, depending on the results of earlier requests. Users supply the
 * module.
 */
export interface CircuitBreaker extends ModuleInstance {
  /**
   * True while the upstream must not get requests. Called for each choice of an upstream, so the answer must come from
   * memory.
   */
  isOpen(address: string): boolean;
  /**
   * Called with the head of each response. An attempt that never got a head is not recorded; passive checks count it.
   * @param latencyMs time until the head of the response
   */
  record(address: string, status: number, latencyMs: number): void;
}

/**
 * The product itself contains no circuit breaker. A config names a user module with `circuit_breaker: { "type": "…" }`.
 */
export const circuitBreakers: ModuleNamespace<CircuitBreaker> = {
  prefix: "http.reverse_proxy.circuit_breakers",
};
