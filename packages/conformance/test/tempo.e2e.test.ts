// Sends the same spans to Grafana Tempo and to our query service. The requests of its data source must get the same
// answers, except for known differences. docs/conformance.md explains how to get Tempo's program.

import { expect, test } from "vitest";
import { compareWithTempo, readKnownTempoDifferences } from "../src/tempo-api/compare-tempo.ts";
import { findTempo } from "../src/tempo-api/tempo-process.ts";
import { judge } from "../src/tracing-api/comparison/known-differences.ts";
import { verdictText } from "../src/tracing-api/comparison/verdict-text.ts";

const program = findTempo();

test.skipIf(program === undefined)(
  "our answers are those of Grafana Tempo, which runs here, but for known differences (skipped without tempo in $PEERS)",
  async () => {
    const { differences, questions } = await compareWithTempo(program ?? "");
    const verdict = judge(differences, readKnownTempoDifferences());
    if (verdict.unknown.length + verdict.stale.length > 0) {
      expect.fail(verdictText({ ...verdict, questions }, "known-tempo-differences.json"));
    }
  },
  900_000,
);
