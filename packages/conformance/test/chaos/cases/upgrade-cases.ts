import { readFileSync } from "node:fs";
import { ask } from "../../../src/tracing-api/ask.ts";
import type { SpanLedger } from "../../faults/span-ledger.ts";
import type { ChaosCase } from "../chaos-case.ts";

/** What made the tables, as released: version after version, each ended by the statement that notes it. */
const statements = readFileSync(new URL("schemas-before.sql", import.meta.url), "utf8")
  .split(/;\n+/)
  .filter((statement) => statement.trim() !== "");
const traces = 500;
const spansOfTrace = 20;

/** The statements up to a version. @throws Error when it is not recorded */
function schemaOf(version: number): string[] {
  const end = statements.findIndex((text) =>
    text.includes(`schema_migrations (version, name) SELECT ${version},`),
  );
  if (end === -1) throw new Error(`schema ${version} is not recorded`);
  return statements.slice(0, end + 1);
}

async function run(storageUrl: string, sql: string): Promise<void> {
  const { status, text } = await ask(storageUrl, { method: "POST", body: sql });
  if (status !== 200) throw new Error(`${status} to ${sql.slice(0, 100)}: ${text.slice(0, 300)}`);
}

/** Spans that only columns of the first version are needed for. */
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

function upgrade(version: number): ChaosCase {
  return {
    name: `upgrade/schema-${version}`,
    meaning: `everything starts on data of schema ${version}, under load, and storage is killed soon after`,
    settings: () => ({}),
    prepare: async ({ processes, storageUrl }, ledger) => {
      await processes.storage.start();
      for (const statement of schemaOf(version)) await run(storageUrl, statement);
      await run(storageUrl, rowsOf(ledger));
      await processes.storage.end("SIGTERM");
    },
    restarts: ["storage"],
    harm: async ({ house }) => {
      await house.processes.storage.end("SIGKILL");
    },
    mend: ({ house }) => house.processes.storage.start(),
  };
}

/** Data that an older release has written: the oldest, and the one before this. */
export const upgradeCases: readonly ChaosCase[] = [upgrade(1), upgrade(4), upgrade(5)];
