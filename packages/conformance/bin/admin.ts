import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { compareAdmin } from "../src/admin-api/comparison/compare-admin.ts";
import { findAdminModel } from "../src/admin-api/comparison/find-admin-model.ts";
import {
  readKnownAdminDifferences,
  renderKnownAdminDifferences,
} from "../src/admin-api/comparison/known-admin-differences.ts";
import { judge } from "../src/tracing-api/comparison/known-differences.ts";

const help = `Asks the admin API of the public model (Caddy 2.11) and ours the same, and compares what both answer and what
configuration runs afterwards. Starts both itself.

Usage: npm run conformance -- admin [options]

  --peers <folder>  where caddy is (default: $PEERS, else packages/conformance/peers/bin)
  --write-docs      write docs/known-admin-differences.md and end

Exit code 0 when all differences are known ones, 2 when the program is not there.
`;

/** Runs the command `admin`. @returns the exit code */
export async function adminCommand(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      peers: { type: "string" },
      "write-docs": { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  if (values["write-docs"]) {
    const docs = new URL("../../../docs/known-admin-differences.md", import.meta.url);
    writeFileSync(docs, renderKnownAdminDifferences(readKnownAdminDifferences()));
    return 0;
  }
  const program = findAdminModel(values.peers);
  if (program === undefined) {
    console.error("the public model's program, caddy, is not here: --help says where it is looked for");
    return 2;
  }
  const { asked, differences } = await compareAdmin(program);
  const verdict = judge(differences, readKnownAdminDifferences());
  for (const { question, path, theirs, ours } of verdict.unknown) {
    console.log(`${question}: ${path}\n  theirs ${JSON.stringify(theirs)}\n  ours   ${JSON.stringify(ours)}`);
  }
  for (const pattern of verdict.stale) {
    console.log(`matches nothing any more: ${pattern}`);
  }
  console.log(
    `${asked} requests asked of both: ${verdict.unknown.length} unknown differences, ${verdict.known} known ones`,
  );
  return verdict.unknown.length + verdict.stale.length === 0 ? 0 : 1;
}
