import { parseArgs } from "node:util";
import { findAdminModel } from "../src/admin-api/comparison/find-admin-model.ts";
import { compareOutcomes, runAllCommands } from "../src/command-line/compare-commands.ts";
import { readRecordedOutcomes, writeRecordedOutcomes } from "../src/command-line/recorded-outcomes.ts";

const help = `Runs the same command lines with the public model (Caddy 2.11) and ours, and compares exit codes and output.

Usage: npm run conformance -- commands [options]

  --peers <folder>  where caddy is (default: $PEERS, else packages/conformance/peers/bin)
  --record          keep what the public model does in packages/conformance/recorded-commands.json and end

Without the program, ours is compared with what was recorded. Exit code 0 when all differences are known ones.
`;

/** Runs the command `commands`. @returns the exit code */
export async function commandsCommand(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      peers: { type: "string" },
      record: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const program = findAdminModel(values.peers);
  if (program === undefined && values.record) {
    console.error("the public model's program, caddy, is not here: --help says where it is looked for");
    return 2;
  }
  const theirs = program === undefined ? readRecordedOutcomes() : await runAllCommands(program);
  if (values.record) {
    writeRecordedOutcomes(theirs);
    console.log(`recorded ${Object.keys(theirs).length} outcomes`);
    return 0;
  }
  const { asked, unknown, stale } = compareOutcomes(theirs, await runAllCommands());
  for (const { question, ...outcomes } of unknown) {
    console.log(
      `${question}\n  theirs ${JSON.stringify(outcomes.theirs)}\n  ours   ${JSON.stringify(outcomes.ours)}`,
    );
  }
  for (const question of stale) {
    console.log(`no difference any more: ${question}`);
  }
  console.log(`${asked} command lines: ${unknown.length} unknown differences`);
  return unknown.length + stale.length === 0 ? 0 : 1;
}
