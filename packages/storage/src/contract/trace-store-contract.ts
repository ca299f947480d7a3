import { afterAll, beforeAll, describe, it } from "vitest";
import type { TraceStore } from "../api/trace-store.ts";
import type { ContractContext } from "./contract-context.ts";
import { namesContract } from "./names-contract.ts";
import { roundTripContract } from "./round-trip-contract.ts";
import { samplingContract } from "./sampling-contract.ts";
import { searchContract } from "./search-contract.ts";
import { tagContract } from "./tag-contract.ts";
import { tenantContract } from "./tenant-contract.ts";
import { writeContract } from "./write-contract.ts";

export interface TraceStoreContract {
  /** Of the engine, for the report. */
  readonly name: string;
  /** Called once, before the first test. The store may hold data of other runs. */
  readonly open: () => TraceStore | Promise<TraceStore>;
  /** Tests that this engine cannot pass, by their full name, each with its reason. */
  readonly skip?: readonly { readonly test: string; readonly reason: string }[];
}

/**
 * What every engine promises, as tests for vitest. Tests share one store: each has services and traces of its own.
 * @throws Error when `skip` names a test that does not exist
 */
export function traceStoreContract({ name, open, skip = [] }: TraceStoreContract): void {
  describe(`trace store contract: ${name}`, () => {
    const reasons = new Map(skip.map(({ test, reason }) => [test, reason]));
    let store: TraceStore | undefined;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store?.close());

    const context: ContractContext = {
      store: () => {
        if (store === undefined) throw new Error("the store is not open");
        return store;
      },
      test: (test, run) => {
        const reason = reasons.get(test);
        reasons.delete(test);
        if (reason === undefined) it(test, run);
        else it.skip(`${test} (skipped: ${reason})`, run);
      },
    };
    for (const part of [
      roundTripContract,
      searchContract,
      tagContract,
      namesContract,
      writeContract,
      tenantContract,
      samplingContract,
    ])
      part(context);

    if (reasons.size > 0) throw new Error(`skip names unknown tests: ${[...reasons.keys()].join(", ")}`);
  });
}
