import { readFileSync } from "node:fs";
import { ask } from "../../../src/tracing-api/ask.ts";
import type { SpanLedger } from "../../faults/span-ledger.ts";
import type { ChaosCase } from "../chaos-case.ts";

/** Released statements from a file in this folder. */
function released(file: string): string[] {
  return readFileSync(new URL(file, import.meta.url), "utf8")
    .split(/;\n+/)
    .filter((statement) => statement.trim() !== "");
}

/**
 * The statements that created the tables step by step: version after version, each ended by the statement
 * that stores it.
 */
const steps = released("schemas-before.sql");
const traces = 500;
const spansOfTrace = 20;

/** The steps up to a version. @throws Error when the version is not recorded */
function stepsTo(version: number): string[] {
  const end = steps.findIndex((text) =>
    text.includes(`schema_migrations (version, name) SELECT ${version},`),
  );
  if (end === -1) {
    throw new Error(`schema ${version} is not recorded`);
  }
  return steps.slice(0, end + 1);
}

async function run(storageUrl: string, sql: string): Promise<void> {
  const { status, text } = await ask(storageUrl, { method: "POST", body: sql });
  if (status !== 200) {
    throw new Error(`${status} to ${sql.slice(0, 100)}: ${text.slice(0, 300)}`);
  }
}

/** Rows of spans that need only columns of the first version. */
function rowsOf(ledger: SpanLedger): string {
  const rows = Array.from({ length: traces }, () => {
    const { batch, settle } = ledger.open("upgrade", spansOfTrace);
    settle("acknowledged");
    const trace = `unhex('${batch.traceId.toString("hex")}')`;
    return batch.spanIds.map(
      (id) =>
        `('otlp', 'fault-test', ${trace}, unhex('${id.toString("hex")}'), 'work', 'server', now64(9), 1500000)`,
    );
  });
  const columns = "format, service, trace_id, span_id, name, kind, start, duration";
  return `INSERT INTO tracing.spans (${columns}) VALUES ${rows.flat().join(",")}`;
}

interface OlderTables {
  readonly name: string;
  readonly meaning: string;
  readonly statements: readonly string[];
}

function upgrade({ name, meaning, statements }: OlderTables): ChaosCase {
  return {
    name: `upgrade/${name}`,
    meaning: `everything starts on ${meaning}, under load, and storage is killed soon after`,
    settings: () => ({}),
    prepare: async ({ processes, storageUrl }, ledger) => {
      await processes.storage.start();
      for (const statement of statements) {
        await run(storageUrl, statement);
      }
      await run(storageUrl, rowsOf(ledger));
      await processes.storage.end("SIGTERM");
    },
    restarts: ["storage"],
    harm: async ({ backend }) => {
      await backend.processes.storage.end("SIGKILL");
    },
    mend: ({ backend }) => backend.processes.storage.start(),
  };
}

function upgradeFrom(version: number): ChaosCase {
  return upgrade({
    name: `schema-${version}`,
    meaning: `data of schema ${version}`,
    statements: stepsTo(version),
  });
}

function upgradeFromNewAt(version: number): ChaosCase {
  return upgrade({
    name: `new-at-schema-${version}`,
    meaning: `data of a database that was new with schema ${version}`,
    statements: released(`new-database-${version}.sql`),
  });
}

/** Data that an older release has written: each version after step-by-step upgrades, and some as new databases. */
export const upgradeCases: readonly ChaosCase[] = [
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map(upgradeFrom),
  ...[8, 11, 12].map(upgradeFromNewAt),
];
