import { fork } from "node:child_process";
import { appendFileSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { findAdminModel } from "../src/admin-api/comparison/find-admin-model.ts";
import {
  KnownTwinDifferences,
  renderKnownServerDifferences,
} from "../src/twins/compare/known-twin-differences.ts";
import { TwinComparison } from "../src/twins/compare/twin-comparison.ts";
import { keepCase, readCases } from "../src/twins/kept-case.ts";
import { openPair, type TwinPair } from "../src/twins/process/open-pair.ts";
import { type SiteMessage, superviseRun } from "../src/twins/process/supervise-run.ts";
import { describeCounts, summaryOf } from "../src/twins/summary.ts";
import { addTally, noCounts } from "../src/twins/twin-counts.ts";
import { TwinResults } from "../src/twins/twin-results.ts";
import { type Finding, TwinRun } from "../src/twins/twin-run.ts";

const help = `Runs whole sites in our server and in the public model (Caddy 2.11), sends both the same requests, and compares all that
can be seen. Starts both itself. A difference that is there each time is shrunk and kept as a file that --replay takes.

Usage: npm run conformance -- twins [options]

  --seed <number>     of the sites and requests (default: drawn, and printed)
  --sites <number>    how many sites (default 100; with --minutes or --total as many as there is time for)
  --requests <number> exchanges for each site (default 40)
  --total <number>    ends after so many requests in all
  --minutes <number>  ends after so long
  --pairs <number>    so many pairs of servers at once (default 2)
  --results <file>    a line for each site is added; its sites of the seed are not run again, its kinds not shrunk again;
                      a run that dies is started again
  --sum <file>        adds up such a file, all seeds, and does nothing else
  --archetype <name>  only sites of this archetype
  --entry <words>     only sites and requests of an entry of the list of known differences, by words of its reason; may
                      be given several times
  --peer <path>       the program caddy (default: in $PEERS, else in packages/conformance/peers/bin)
  --ours <path>       our program (default: the sources)
  --keep <folder>     where differences are kept (default: a folder of the temporary one, printed)
  --replay <path>     runs kept cases, a file or a folder of them, and nothing else
  --shrink <seconds>  longest time to shrink a difference (default 4)
  --examples <number> so many cases of each kind are shrunk (default 1)
  --explain <file>    writes each meant difference with its reason, one a line: to see what an entry of the list covers
  --write-docs        write docs/known-server-differences.md and end
  --json              the result as JSON on the last line

Exit code 0 without unknown differences, 1 with some, 2 when the program is not there.
`;

const options = {
  seed: { type: "string" },
  sites: { type: "string" },
  requests: { type: "string", default: "40" },
  total: { type: "string" },
  minutes: { type: "string" },
  pairs: { type: "string", default: "2" },
  results: { type: "string" },
  sum: { type: "string" },
  archetype: { type: "string" },
  entry: { type: "string", multiple: true },
  peer: { type: "string" },
  ours: { type: "string" },
  keep: { type: "string" },
  replay: { type: "string" },
  shrink: { type: "string", default: "4" },
  examples: { type: "string", default: "1" },
  explain: { type: "string" },
  "write-docs": { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

const progressEveryMs = 10_000;
const short = (value: string | undefined) => JSON.stringify(value ?? null).slice(0, 200);

/** Sends a message to the process that started this one, if there is a channel. */
function tellSupervisor(message: SiteMessage): void {
  process.send?.(message);
}

/** Runs the comparison in a child process, and starts a new one when it dies. @returns the exit code */
function supervise(args: readonly string[], seed: number, file: string, minutes?: string): Promise<number> {
  const until = Date.now() + Number(minutes ?? 0) * 60_000;
  const results = new TwinResults(file);
  return superviseRun({
    start() {
      const left = minutes === undefined ? [] : ["--minutes", String((until - Date.now()) / 60_000)];
      const child = fork(process.argv[1] ?? "", ["twins", ...args, "--seed", String(seed), ...left], {
        detached: true,
      });
      for (const signal of ["SIGINT", "SIGTERM"] as const) {
        process.on(signal, () => child.kill(signal));
      }
      return child;
    },
    onLost: (site) =>
      results.add({
        ...{ seed, site, isRefused: false, exchanges: 0, requests: 0, known: {}, unstable: {}, load: 0 },
        unknown: { "the run died": 1 },
      }),
    onDeath: (signal) => console.log(`the run ended by ${signal}: another one goes on`),
  });
}

async function replay(pair: TwinPair, path: string, known: KnownTwinDifferences): Promise<number> {
  const comparison = new TwinComparison(pair, known);
  let failed = 0;
  for (const { file, twinCase } of readCases(path)) {
    const { unknown: differences } = await comparison.run(twinCase);
    if (differences.length > 0) {
      failed++;
    }
    console.log(`${differences.length === 0 ? "alike  " : "DIFFERS"} ${file}`);
    for (const { path: at, theirs, ours } of differences) {
      console.log(`        ${at}: theirs ${short(theirs)}, ours ${short(ours)}`);
    }
  }
  return failed;
}

function tell(folder: string, finding: Finding): void {
  const { signature, difference, site, twinCase } = finding;
  const file = keepCase(folder, finding);
  console.log(`\nNEW ${signature} (site ${site}, ${file})`);
  console.log(`  ${difference.path} of ${difference.request.slice(0, 300)}`);
  console.log(`  theirs ${short(difference.theirs)}\n  ours   ${short(difference.ours)}`);
  const exchanges = twinCase.steps.flatMap((step) => step.exchanges);
  if (exchanges.length > 1) {
    console.log(`  one of ${exchanges.length} exchanges`);
  }
  // Prints the site without the global options that every site has.
  const own = twinCase.site.replace(
    /^\t(skip_install_trust|local_certs|persist_config off|default_bind .*|https?_port .*)\n/gm,
    "",
  );
  console.log(own.trimEnd().slice(0, 1_000).replace(/^/gm, "  | "));
}

/** Runs the command `twins`. @returns the exit code */
export async function twinsCommand(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options });
  if (values.help) {
    console.log(help);
    return 0;
  }
  if (values["write-docs"]) {
    const page = new URL("../../../docs/known-server-differences.md", import.meta.url);
    writeFileSync(page, renderKnownServerDifferences());
    return 0;
  }
  const known = KnownTwinDifferences.read();
  if (values.sum !== undefined) {
    const counts = noCounts();
    for (const tally of new TwinResults(values.sum).read()) {
      addTally(counts, tally);
    }
    console.log(describeCounts(counts, known.reasons));
    return counts.unknown.size === 0 ? 0 : 1;
  }
  const peer = values.peer === undefined ? findAdminModel() : resolve(values.peer);
  if (peer === undefined) {
    console.error("the public model's program, caddy, is not here: --help says where it is looked for");
    return 2;
  }
  const seed = values.seed === undefined ? Math.floor(Math.random() * 1_000_000_000) : Number(values.seed);
  if (values.results !== undefined && values.replay === undefined && process.send === undefined) {
    return supervise(args, seed, values.results, values.minutes);
  }
  const open = () => openPair({ peer, ...(values.ours === undefined ? {} : { ours: resolve(values.ours) }) });
  const pairs: TwinPair[] = [];
  const closeAll = () => Promise.all(pairs.map((pair) => pair.close()));
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void closeAll().finally(() => process.exit(130)));
  }
  try {
    if (values.replay !== undefined) {
      const pair = await open();
      pairs.push(pair);
      const failed = await replay(pair, values.replay, known);
      console.log(`${failed} cases differ`);
      return failed === 0 ? 0 : 1;
    }
    // Pairs open one after the other, because each looks for free ports.
    for (let count = 0; count < Number(values.pairs); count++) {
      pairs.push(await open());
    }
    const folder = values.keep ?? join(tmpdir(), `twins-${seed}`);
    const isBounded = values.minutes !== undefined || values.total !== undefined;
    console.log(`seed ${seed}; differences are kept in ${folder}`);
    const results = values.results === undefined ? undefined : new TwinResults(values.results);
    const begin = Date.now();
    const earlier = results?.read() ?? [];
    const done = earlier.filter((tally) => tally.seed === seed);
    let toldAt = begin;
    const run = new TwinRun(pairs, {
      seed,
      sites: Number(values.sites ?? (isBounded ? 1e9 : 100)),
      requests: Number(values.requests),
      ...(values.total === undefined ? {} : { totalRequests: Number(values.total) }),
      until:
        values.minutes === undefined
          ? Number.POSITIVE_INFINITY
          : Date.now() + Number(values.minutes) * 60_000,
      ...(values.archetype === undefined ? {} : { archetype: values.archetype }),
      ...(values.entry === undefined ? {} : { scope: known.scopeOf(values.entry) }),
      known,
      shrinkMs: Number(values.shrink) * 1_000,
      examples: Number(values.examples),
      done,
      shrunk: earlier.flatMap(({ unknown }) => Object.keys(unknown)),
      onFinding: (finding: Finding) => tell(folder, finding),
      onBegin: (site) => tellSupervisor({ site, isDone: false }),
      onKnown: ({ reason, difference: { around: _, ...difference } }, site) => {
        if (values.explain !== undefined) {
          appendFileSync(values.explain, `${JSON.stringify({ reason, ...difference, site })}\n`);
        }
      },
      onSite: (tally, counts) => {
        results?.add(tally);
        tellSupervisor({ site: tally.site, isDone: true });
        if (Date.now() - toldAt < progressEveryMs) {
          return;
        }
        toldAt = Date.now();
        const before = done.reduce((sum, { requests }) => sum + requests, 0);
        const speed = (counts.requests - before) / ((toldAt - begin) / 1_000);
        console.log(
          `${counts.sites} sites, ${counts.requests} requests (${speed.toFixed(0)} a second), ` +
            `${counts.unknown.size} unknown kinds, load ${loadavg()[0]?.toFixed(1)}`,
        );
      },
      reopen: async (ended) => {
        const index = pairs.indexOf(ended as TwinPair);
        await pairs[index]?.close();
        pairs[index] = await open();
        return pairs[index];
      },
    });
    const counts = await run.run();
    console.log(
      values.json
        ? JSON.stringify({ seed, ...summaryOf(counts) })
        : `seed ${seed}\n${describeCounts(counts, known.reasons)}`,
    );
    return counts.unknown.size === 0 ? 0 : 1;
  } finally {
    await closeAll();
  }
}
