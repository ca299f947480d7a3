#!/usr/bin/env node
import { parseArgs } from "node:util";
import { casesNamed, chaosCases } from "../test/chaos/chaos-cases.ts";
import { tableHead, tableLines } from "../test/chaos/chaos-table.ts";
import { runCases } from "../test/chaos/run-cases.ts";
import { runThreadCase, type ThreadRow } from "../test/chaos/threads/run-thread-case.ts";
import { type ThreadCase, threadCases } from "../test/chaos/threads/thread-cases.ts";
import { threadTableHead, threadTableLines } from "../test/chaos/threads/thread-table.ts";
import { newSeed } from "../test/faults/seeded-random.ts";

const help = `Breaks what it starts itself, one fault after another, under a steady load, and compares what was acknowledged with what
is stored: two collectors behind the web server, storage, query service and agent, with a link that can break between each.
The cases threads/… end worker threads of the web server under connections that live long.

Usage: npm run chaos [-- NAME… --short --json --seed N --list]

  NAME      cases to run, by the beginning of their names, such as kill or cut/query-storage; all by default
  --short   each kill and each cut link once, a second each; with names, those cases for a second each
  --json    rows as JSON, when all are there
  --seed    what is random; a new one by default, printed
  --list    name the cases and what they do

It ends with exit code 1 when an acknowledged span is missing, anything is stored twice, the agent lost spans that it did
not count, a process ended that nobody had killed, or what was put right did not work again; and when a connection of the web
server ended though its thread lives, a new one was refused though another thread serves, or a load was refused.
`;

const options = {
  short: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  list: { type: "boolean", default: false },
  seed: { type: "string", default: String(newSeed()) },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** Reads the command line. Ends the process with code 2 when the command line is wrong. */
function readCommandLine() {
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const seed = Number(values.seed);
    if (!Number.isSafeInteger(seed) || seed < 0) {
      throw new Error(`--seed ${values.seed} is not a whole number`);
    }
    const all = casesNamed(positionals, [...chaosCases, ...threadCases]);
    // A case named on the command line always runs, because a run without any case would look like a success.
    const isWhole = positionals.length > 0 || !values.short;
    const named = isWhole ? all : all.filter(({ isShort }) => isShort);
    return {
      ...{ ...values, seed, named },
      cases: chaosCases.filter((each) => named.includes(each)),
      ofThreads: threadCases.filter((each) => named.includes(each)),
    };
  } catch (error) {
    process.stderr.write(`chaos: ${error instanceof Error ? error.message : error}\n\n${help}`);
    process.exit(2);
  }
}

/** Runs the cases for threads, one after another. */
async function runThreadCases(
  ofThreads: readonly ThreadCase[],
  signal: AbortSignal,
  onRow: (row: ThreadRow) => void,
): Promise<ThreadRow[]> {
  const rows: ThreadRow[] = [];
  for (const each of ofThreads) {
    if (signal.aborted) {
      break;
    }
    const row = await runThreadCase(each, { seed, isShort: short });
    rows.push(row);
    onRow(row);
  }
  return rows;
}

const { cases, ofThreads, named, seed, short, json, list, help: wantsHelp } = readCommandLine();
if (wantsHelp) {
  process.stdout.write(help);
} else if (list) {
  for (const { name, meaning } of named) {
    process.stdout.write(`${name.padEnd(30)}${meaning}\n`);
  }
} else {
  process.stderr.write(`seed ${seed}\n`);
  // The first Ctrl-C only aborts, because started processes must be ended and disks unmounted; a second Ctrl-C exits
  // immediately.
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => stop.abort());
  }
  if (!json && cases.length > 0) {
    process.stdout.write(`${tableHead()}\n`);
  }
  const rows = await runCases(cases, {
    ...{ seed, isShort: short, signal: stop.signal },
    onRow: (row) => json || process.stdout.write(`${tableLines(row)}\n`),
  });
  if (!json && ofThreads.length > 0) {
    process.stdout.write(`${threadTableHead()}\n`);
  }
  const threadRows = await runThreadCases(ofThreads, stop.signal, (row) => {
    if (!json) {
      process.stdout.write(`${threadTableLines(row)}\n`);
    }
  });
  const failed = [...rows, ...threadRows].filter(({ isOk }) => !isOk).length;
  const skipped = rows.filter((row) => row.skipped !== undefined).length;
  if (json) {
    process.stdout.write(`${JSON.stringify({ seed, rows, threadRows }, null, 2)}\n`);
  } else {
    process.stdout.write(
      `${rows.length + threadRows.length - failed - skipped} ok, ${failed} not ok, ${skipped} skipped\n`,
    );
  }
  // The process exits explicitly: Node, which closes open handles at the end of the event loop, was once seen to loop
  // there for ever.
  process.exit(failed === 0 ? 0 : 1);
}
