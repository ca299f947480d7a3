import type { OptionalParts } from "../api/unsupported.ts";
import { type ContractContext, expectStorageError, rowsOf } from "./contract-context.ts";

const range = { startUnixNano: 0n, endUnixNano: 1n };

const calls: { readonly [Part in keyof OptionalParts]: (part: OptionalParts[Part]) => Promise<unknown> } = {
  dependencies: (part) => part.getDependencies(range),
  metrics: (part) =>
    part.getCallRates({
      ...{ services: ["s"], spanKinds: ["server"], groupByOperation: false },
      ...{ startUnixMs: 0, endUnixMs: 1, stepMs: 1, ratePerMs: 1 },
    }),
  archive: (part) => part.writer.writeSpans(rowsOf(), { deduplicationToken: "t" }),
  analysis: (part) => part.getHeatMap({ range, columns: 1 }),
  traceql: (part) =>
    part.search({
      query: {
        type: "search",
        pipeline: {
          type: "pipeline",
          stages: [{ type: "filter", condition: { type: "static", value: { type: "bool", value: true } } }],
        },
        hints: [],
      },
      ...{ range, limit: 1, spansPerSpanset: 1 },
    }),
  catalog: (part) => part.names({ range, limit: 1 }),
  sampling: (part) => part.latestProbabilities(),
};

/** Unsupported parts report that they are unsupported. */
export function unsupportedContract(
  { store, test }: ContractContext,
  parts: readonly (keyof OptionalParts)[],
): void {
  for (const part of parts) {
    const call = calls[part] as (store: unknown) => Promise<unknown>;
    test(`${part} is not supported, and says so`, () =>
      expectStorageError(call(store()[part]), "STORAGE_UNSUPPORTED"));
  }
}
