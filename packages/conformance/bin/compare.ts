import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { askOurs, askPublicModel, compareWithOurs } from "../src/tracing-api/comparison/compare.ts";
import { readKnownDifferences } from "../src/tracing-api/comparison/known-differences.ts";
import { builtPeersFolder, findPublicModel } from "../src/tracing-api/comparison/public-model.ts";
import { readRecordedAnswers, writeRecordedAnswers } from "../src/tracing-api/comparison/recorded-answers.ts";
import { renderKnownDifferences } from "../src/tracing-api/comparison/render-known-differences.ts";
import { verdictText } from "../src/tracing-api/comparison/verdict-text.ts";

const help = `Sends one corpus to the public model (Jaeger 1.62) and to our processes, over every protocol, and compares what
both answer to every question of the query API.

Usage: npm run conformance -- compare [options]

  --peers <folder>  where jaeger-all-in-one is (default: $PEERS, else packages/conformance/peers/bin,
                    where packages/conformance/peers/build.sh puts it)
  --recorded        compare with the recorded answers, also when the program is there
  --record          write the public model's answers to packages/conformance/recorded/ and end
  --write-docs      write docs/known-differences.md and end

Without the program, ours is compared with the recorded answers. Exit code 0 when all differences are known ones.
`;

/** Runs the command `compare`. @returns the exit code */
export async function compareCommand(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      peers: { type: "string" },
      recorded: { type: "boolean", default: false },
      record: { type: "boolean", default: false },
      "write-docs": { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  if (values["write-docs"]) {
    const docs = new URL("../../../docs/known-differences.md", import.meta.url);
    writeFileSync(docs, renderKnownDifferences(readKnownDifferences()));
    return 0;
  }
  const programs = values.recorded ? undefined : findPublicModel(values.peers);
  if (programs === undefined && (values.record || values.peers !== undefined)) {
    console.error(`no jaeger-all-in-one in ${values.peers ?? process.env.PEERS ?? builtPeersFolder}`);
    return 2;
  }
  if (programs === undefined) {
    console.log("The public model is not here: comparing with its recorded answers.");
  }
  const theirs = programs === undefined ? readRecordedAnswers() : await askPublicModel(programs);
  if (values.record) {
    writeRecordedAnswers(theirs);
    console.log(`recorded ${Object.keys(theirs).length} answers`);
    return 0;
  }
  const verdict = compareWithOurs(theirs, await askOurs(theirs));
  console.log(verdictText(verdict));
  return verdict.unknown.length + verdict.stale.length === 0 ? 0 : 1;
}
