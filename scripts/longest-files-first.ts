// The order of test files. A long one that begins last leaves all workers but its own without work, for minutes.

import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Ends of paths of files that take more than a minute of a machine with two cores, the longest first. */
const longest = [
  "conformance/test/compose/compose.e2e.test.ts",
  "docs-site/test/examples/run-examples.e2e.test.ts",
  "tracing-ui/test/every-page.e2e.test.ts",
  "storage/src/engines/clickhouse/clickhouse-store.test.ts",
  "conformance/test/twins.e2e.test.ts",
  "bench/test/bench.e2e.test.ts",
  "admin-ui/test/pages.e2e.test.ts",
  "tracing-storage/test/point-reads.test.ts",
  "tracing-ui/test/failures.e2e.test.ts",
];

/** @returns the place among the longest, after them for all others */
function placeOf({ moduleId }: Pick<TestSpecification, "moduleId">): number {
  const place = longest.findIndex((end) => moduleId.endsWith(end));
  return place === -1 ? longest.length : place;
}

/** Long files first; the others by what vitest knows of their last run, or by their size. */
export class LongestFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
