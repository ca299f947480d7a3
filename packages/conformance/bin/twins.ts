import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findAdminModel } from "../src/admin-api/comparison/find-admin-model.ts";
import { compareObservations } from "../src/twins/compare/compare-observations.ts";
import { KnownTwinDifferences } from "../src/twins/compare/known-twin-differences.ts";
import { keepCase, readCases } from "../src/twins/kept-case.ts";
import { openPair, type TwinPair } from "../src/twins/process/open-pair.ts";
import { type Finding, TwinRun, type TwinRunCounts } from "../src/twins/twin-run.ts";

const help = `Runs whole sites in our server and in the public model (Caddy 2.11), sends both the same requests, and compares all that
can be seen. Starts both itself. A difference is shrunk and kept as a file that --replay takes.

Usage: npm run conformance -- twins [options]

  --seed <number>     of the sites and requests (default: drawn, and printed)
  --sites <number>    how many sites (default 100; with --minutes as many as there is time for)
  --requests <number> exchanges for each site (default 40)
  --minutes <number>  ends after so long
  --archetype <name>  only sites of this archetype
  --peer <path>       the program caddy (default: in $PEERS, else in packages/conformance/peers/bin)
  --ours <path>       our program (default: the sources)
  --keep <folder>     where differences are kept (default: a folder of the temporary one, printed)
  --replay <path>     runs kept cases, a file or a folder of them, and nothing else
  --shrink <seconds>  longest time to shrink a difference (default 4)
  --json              the result as JSON on the last line

Exit code 0 without unknown differences, 1 with some, 2 when the program is not there.
`;

const options = {
  seed: { type: "string" },
  sites: { type: "string" },
  requests: { type: "string", default: "40" },
  minutes: { type: "string" },
  archetype: { type: "string" },
  peer: { type: "string" },
  ours: { type: "string" },
  keep: { type: "string" },
  replay: { type: "string" },
  shrink: { type: "string", default: "4" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

const short = (value: string | undefined) => JSON.stringify(value ?? null).slice(0, 200);

async function replay(pair: TwinPair, path: string, known: KnownTwinDifferences): Promise<number> {
  let failed = 0;
  for (const { file, twinCase } of readCases(path)) {
    const [their, our] = await Promise.all([pair.theirs.run(twinCase), pair.ours.run(twinCase)]);
    const differences = compareObservations(twinCase, their, our).filter(
      (difference) => known.reasonOf(twinCase.site, difference) === undefined,
    );
    if (differences.length > 0) failed++;
    console.log(`${differences.length === 0 ? "alike  " : "DIFFERS"} ${file}`);
    for (const { path: at, theirs, ours } of differences) {
      console.log(`        ${at}: theirs ${short(theirs)}, ours ${short(ours)}`);
    }
  }
  return failed;
}

function summary(
  { sites, refused, exchanges, requests, known, findings, unstable }: TwinRunCounts,
  seed: number,
) {
  const sum = (values: Iterable<number>) => [...values].reduce((all, each) => all + each, 0);
  return {
    seed,
    sites,
    refused,
    exchanges,
    requests,
    unknownKinds: findings.size,
    unknown: sum([...findings.values()].map(({ count }) => count)),
    known: sum(known.values()),
    unstable: sum(unstable.values()),
  };
}

function print(counts: TwinRunCounts, seed: number, isJson: boolean): void {
  for (const [reason, count] of counts.known) console.log(`${count} known: ${reason}`);
  for (const [signature, count] of counts.unstable)
    console.log(`${count} seen once and not again: ${signature}`);
  for (const { signature, count } of counts.findings.values()) console.log(`${count} UNKNOWN: ${signature}`);
  const all = summary(counts, seed);
  console.log(
    isJson
      ? JSON.stringify(all)
      : `seed ${seed}: ${all.requests} requests to ${all.sites} sites (${all.refused} refused by the model): ` +
          `${all.unknown} unknown differences of ${all.unknownKinds} kinds, ${all.known} known ones, ${all.unstable} seen once and not again`,
  );
}

/** The command `twins`. @returns the exit code */
export async function twinsCommand(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const peer = values.peer ?? findAdminModel();
  if (peer === undefined) {
    console.error("the public model's program, caddy, is not here: --help says where it is looked for");
    return 2;
  }
  const seed = values.seed === undefined ? Math.floor(Math.random() * 1_000_000_000) : Number(values.seed);
  const known = KnownTwinDifferences.read();
  const pair = await openPair({ peer, ...(values.ours === undefined ? {} : { ours: values.ours }) });
  try {
    if (values.replay !== undefined) {
      const failed = await replay(pair, values.replay, known);
      console.log(`${failed} cases differ`);
      return failed === 0 ? 0 : 1;
    }
    const folder = values.keep ?? join(tmpdir(), `twins-${seed}`);
    const minutes = values.minutes === undefined ? Number.POSITIVE_INFINITY : Number(values.minutes);
    const sites =
      values.sites === undefined && values.minutes === undefined ? 100 : Number(values.sites ?? 1e9);
    console.log(`seed ${seed}; differences are kept in ${folder}`);
    const run = new TwinRun(pair, {
      seed,
      sites,
      requests: Number(values.requests),
      until: Date.now() + minutes * 60_000,
      ...(values.archetype === undefined ? {} : { archetype: values.archetype }),
      known,
      shrinkMs: Number(values.shrink) * 1_000,
      onFinding: (finding: Finding) => {
        const { difference, site } = finding;
        console.log(
          `site ${site}: ${difference.path}: theirs ${short(difference.theirs)}, ours ${short(difference.ours)}`,
        );
        console.log(`  ${difference.request.slice(0, 300)}\n  ${keepCase(folder, finding)}`);
      },
      onSite: ({ sites: done, requests }) => {
        if (done % 100 === 0) console.log(`${done} sites, ${requests} requests`);
      },
    });
    const counts = await run.run();
    print(counts, seed, values.json);
    return counts.findings.size === 0 ? 0 : 1;
  } finally {
    await pair.close();
  }
}
