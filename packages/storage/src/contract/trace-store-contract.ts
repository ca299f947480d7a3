import { afterAll, beforeAll, describe, test } from "vitest";
import type { TraceStore } from "../api/trace-store.ts";
import type { OptionalParts } from "../api/unsupported.ts";
import { analysisContract } from "./analysis-contract.ts";
import { archiveContract } from "./archive-contract.ts";
import { catalogContract } from "./catalog-contract.ts";
import type { ContractContext } from "./contract-context.ts";
import { dependencyContract } from "./dependency-contract.ts";
import { metricsContract } from "./metrics-contract.ts";
import { namesContract } from "./names-contract.ts";
import { roundTripContract } from "./round-trip-contract.ts";
import { samplingContract } from "./sampling-contract.ts";
import { searchContract } from "./search-contract.ts";
import { tagContract } from "./tag-contract.ts";
import { tenantContract } from "./tenant-contract.ts";
import { traceqlContract } from "./traceql-contract.ts";
import { unsupportedContract } from "./unsupported-contract.ts";
import { writeContract } from "./write-contract.ts";

export interface TraceStoreContract {
  /** Name of the engine, for the test report. */
  readonly name: string;
  /** Called once, before the first test. The store may hold data of other runs. */
  readonly open: () => TraceStore | Promise<TraceStore>;
  /** Full names of tests that this engine cannot pass, each with a reason. */
  readonly skip?: readonly { readonly test: string; readonly reason: string }[];
  /** Parts that this engine lacks, each with a reason. Their tests are skipped. */
  readonly unsupported?: { readonly [Part in keyof OptionalParts]?: string };
}

const optionalContracts: { readonly [Part in keyof OptionalParts]: (context: ContractContext) => void } = {
  dependencies: dependencyContract,
  metrics: metricsContract,
  archive: archiveContract,
  analysis: analysisContract,
  catalog: catalogContract,
  traceql: traceqlContract,
  sampling: samplingContract,
};

/**
 * The contract of every engine, as tests for vitest. Tests share one store, so each test uses services and traces that
 * no other test uses.
 * @throws Error when `skip` names a test that does not exist
 */
export function traceStoreContract({ name, open, skip = [], unsupported = {} }: TraceStoreContract): void {
  describe(`trace store contract: ${name}`, () => {
    const reasons = new Map(skip.map(({ test, reason }) => [test, reason]));
    let store: TraceStore | undefined;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store?.close());

    const context: ContractContext = {
      store: () => {
        if (store === undefined) {
          throw new Error("the store is not open");
        }
        return store;
      },
      test: (name, run) => {
        const reason = reasons.get(name);
        reasons.delete(name);
        if (reason === undefined) {
          test(name, run);
        } else {
          test.skip(`${name} (skipped: ${reason})`, run);
        }
      },
    };
    for (const part of [
      roundTripContract,
      searchContract,
      tagContract,
      namesContract,
      writeContract,
      tenantContract,
    ]) {
      part(context);
    }
    const parts = Object.keys(optionalContracts) as (keyof OptionalParts)[];
    for (const part of parts) {
      const reason = unsupported[part];
      const skipAll: ContractContext = {
        ...context,
        test: (name, run) => test.skip(`${name} (skipped: ${reason})`, run),
      };
      optionalContracts[part](reason === undefined ? context : skipAll);
    }
    unsupportedContract(
      context,
      parts.filter((part) => unsupported[part] !== undefined),
    );

    if (reasons.size > 0) {
      throw new Error(`skip names unknown tests: ${[...reasons.keys()].join(", ")}`);
    }
  });
}
