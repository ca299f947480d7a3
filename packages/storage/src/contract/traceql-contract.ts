import { expect } from "vitest";
import type { ContractContext } from "./contract-context.ts";

/** What every engine that answers TraceQL promises. */
export function traceqlContract({ store, test }: ContractContext): void {
  test("traceql: there is a reader", async () => {
    expect(Object.keys(store().traceql)).toBeDefined();
  });
}
