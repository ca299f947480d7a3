// Sends the same corpus over every protocol to our processes and to the public model, and compares every answer of the
// query API. The page docs/conformance.md explains how to get the public model's program.

import { beforeAll, expect, test } from "vitest";
import type { Answers } from "../src/tracing-api/comparison/answers.ts";
import {
  askOurs,
  askPublicModel,
  type Comparison,
  compareWithOurs,
} from "../src/tracing-api/comparison/compare.ts";
import { findPublicModel } from "../src/tracing-api/comparison/public-model.ts";
import { readRecordedAnswers } from "../src/tracing-api/comparison/recorded-answers.ts";
import { verdictText } from "../src/tracing-api/comparison/verdict-text.ts";

const recorded = readRecordedAnswers();
let ours: Answers;

beforeAll(async () => {
  ours = await askOurs(recorded);
}, 150_000);

function expectNothingNew(comparison: Comparison): void {
  if (comparison.unknown.length + comparison.stale.length > 0) {
    expect.fail(verdictText(comparison));
  }
}

test("our answers are the recorded ones of the public model, but for known differences", () => {
  expectNothingNew(compareWithOurs(recorded, ours));
});

const programs = findPublicModel();

test.skipIf(programs === undefined)(
  "our answers are those of the public model, which runs here (skipped without jaeger-all-in-one in $PEERS)",
  async () => {
    expectNothingNew(compareWithOurs(await askPublicModel(programs ?? ""), ours));
  },
  120_000,
);
