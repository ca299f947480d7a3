import { parseArgs } from "node:util";
import { findAdminModel } from "../src/admin-api/comparison/find-admin-model.ts";
import { compareServerfiles } from "../src/serverfile/compare-serverfiles.ts";

const help = `Lets the public model (Caddy 2.11) and ours adapt the same generated serverfiles, and compares the JSON of both.
Starts both itself.

Usage: npm run conformance -- serverfile [options]

  --count <number>  how many texts (default 1000)
  --seed <number>   of the first one (default 1); a text is always the same for its seed
  --show <number>   how many differences are printed (default 3)
  --peers <folder>  where caddy is (default: $PEERS, else packages/conformance/peers/bin)

Exit code 0 when all are equal, 2 when the program is not there.
`;

/** Runs the command `serverfile`. @returns the exit code */
export async function serverfileCommand(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      peers: { type: "string" },
      count: { type: "string", default: "1000" },
      seed: { type: "string", default: "1" },
      show: { type: "string", default: "3" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const program = findAdminModel(values.peers);
  if (program === undefined) {
    console.error("the public model's program, caddy, is not here: --help says where it is looked for");
    return 2;
  }
  const result = await compareServerfiles(program, Number(values.count), Number(values.seed));
  for (const { seed, text, theirs, ours } of result.differences.slice(0, Number(values.show))) {
    console.log(`--- seed ${seed}\n${text}\n--- theirs\n${theirs}\n--- ours\n${ours}`);
  }
  for (const [reason, count] of result.known) {
    console.log(`${count} known: ${reason}`);
  }
  console.log(
    `${result.equal} equal, ${result.refused} refused by both (${result.refusedAlike} with the same words), ` +
      `${result.differences.length} different`,
  );
  return result.differences.length === 0 ? 0 : 1;
}
