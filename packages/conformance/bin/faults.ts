#!/usr/bin/env node
import { parseArgs } from "node:util";
import { runAttack } from "../test/faults/attack-run.ts";
import { type JournalKind, journalKinds, runKills } from "../test/faults/kill-run.ts";
import { type Absence, runOutage } from "../test/faults/outage-run.ts";
import { openPowerDisk } from "../test/faults/power-disk.ts";
import { runPowerCuts } from "../test/faults/power-run.ts";
import { newSeed } from "../test/faults/seeded-random.ts";

const help = `Breaks a collector and its storage, which it starts itself, while senders send over every protocol.

Usage: node packages/conformance/bin/faults.ts kills|power|outage|attack [options]

  kills    SIGKILL of the collector at random moments, and now and then of storage
  power    the power of the disk that both share is cut: what was not synced is lost (Linux, as root)
  outage   storage goes away until the journal is full, and comes back
  attack   random bytes, broken frames, bombs, slow and half-open connections on every port of the collector

  --kills          kills of the collector (default 100)
  --cuts           cuts of the power (default 20)
  --journal        kills: always, interval or off, when the collector syncs; or memory, which may lose what it has
                   acknowledged, in whole requests (default always)
  --seconds        how long storage is away, or the attack takes (default 300)
  --absence        outage: killed, or frozen, which answers nothing and forgets nothing (default killed)
  --journal-mib    outage: limit of the journal (default 256)
  --seed           what is random; a new one by default, printed

It prints what happened, and ends with exit code 1 when an acknowledged span is missing or stored twice, or a sender was
told anything else than the documents say.
`;

const options = {
  kills: { type: "string", default: "100" },
  cuts: { type: "string", default: "20" },
  journal: { type: "string", default: "always" },
  seconds: { type: "string", default: "300" },
  absence: { type: "string", default: "killed" },
  "journal-mib": { type: "string", default: "256" },
  seed: { type: "string", default: String(newSeed()) },
  help: { type: "boolean", short: "h", default: false },
} as const;

const { values, positionals } = parseArgs({ options, allowPositionals: true });
const numberOf = (name: "kills" | "cuts" | "seconds" | "journal-mib" | "seed"): number => {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value >= 0) {
    return value;
  }
  process.stderr.write(`--${name} ${values[name]} is not a whole number\n`);
  process.exit(2);
};

const seed = numberOf("seed");
const say = (line: string) => console.log(line);
const wayMs = numberOf("seconds") * 1_000;
const runs: Readonly<Record<string, () => Promise<{ readonly problems: readonly string[] }>>> = {
  kills: () => runKills({ kills: numberOf("kills"), journal: journalOf(values.journal), seed, say }),
  power: runPower,
  outage: () =>
    runOutage({
      absence: absenceOf(values.absence),
      awayMs: wayMs,
      journalBytes: numberOf("journal-mib") * 1024 * 1024,
      patienceMs: Math.max(wayMs, 120_000),
      pauseMs: 50,
      ...{ seed, say },
    }),
  attack: () => runAttack({ attackMs: wayMs, seed, say }),
};

const [what = "", ...others] = positionals;
const run = Object.hasOwn(runs, what) ? runs[what] : undefined;
if (values.help || run === undefined || others.length > 0) {
  (values.help ? process.stdout : process.stderr).write(help);
  process.exit(values.help ? 0 : 2);
}
say(`seed ${seed}`);
const report = await run();
console.dir(report, { depth: 3, maxArrayLength: 20 });
say(report.problems.length === 0 ? "nothing is wrong" : `${report.problems.length} problems`);
process.exit(report.problems.length === 0 ? 0 : 1);

async function runPower(): Promise<{ readonly problems: readonly string[] }> {
  const disk = await openPowerDisk();
  try {
    return await runPowerCuts({ disk, cuts: numberOf("cuts"), seed, say });
  } finally {
    await disk.close();
  }
}

function absenceOf(text: string): Absence {
  if (text === "killed" || text === "frozen") {
    return text;
  }
  process.stderr.write(`--absence ${text} is neither killed nor frozen\n`);
  process.exit(2);
}

function journalOf(text: string): JournalKind {
  const known = journalKinds.find((kind) => kind === text);
  if (known !== undefined) {
    return known;
  }
  process.stderr.write(`--journal ${text} is none of ${journalKinds.join(", ")}\n`);
  process.exit(2);
}
