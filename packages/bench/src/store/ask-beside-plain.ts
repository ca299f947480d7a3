import type { TraceStore } from "storage/api";
import { fillPlainTable, plainStatements } from "./plain-table.ts";
import { storedSamples, storeQuestions } from "./store-questions.ts";

/** One kind of question to our tables and to a plain table, alternating; the values are medians. */
export interface PlainReport {
  readonly name: string;
  readonly oursMs: number;
  readonly plainMs: number;
}

/**
 * Sends the same questions to our tables and to a plain table with the same spans, alternating, so that changes of the
 * machine's speed affect both equally.
 * @param endUnixMs the same value as when the store was filled
 */
export async function askBesidePlain(
  store: TraceStore,
  url: string,
  database: string,
  endUnixMs: number,
  times: number,
  progress: (line: string) => void,
): Promise<PlainReport[]> {
  await fillPlainTable(url, database, progress);
  const samples = await storedSamples(url, database);
  const statements = plainStatements(endUnixMs, samples);
  const reports: PlainReport[] = [];
  for (const question of await storeQuestions(store, url, database, endUnixMs)) {
    const statement = statements.get(question.name);
    if (statement === undefined) {
      continue;
    }
    const [ours, plain]: [number[], number[]] = [[], []];
    for (let attempt = 0; attempt < times; attempt++) {
      const turns: (() => Promise<unknown>)[] = [
        async () => ours.push(await msOf(() => question.ask(attempt))),
        async () => plain.push(await msOf(() => bytesOf(url, statement(attempt)))),
      ];
      for (const turn of attempt % 2 === 0 ? turns : turns.toReversed()) {
        await turn();
      }
    }
    reports.push({ name: question.name, oursMs: median(ours), plainMs: median(plain) });
  }
  return reports;
}

async function msOf(ask: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await ask();
  return performance.now() - startedAt;
}

/** @throws Error when the request fails, or the answer is empty */
async function bytesOf(url: string, sql: string): Promise<void> {
  const answer = await fetch(url, { method: "POST", body: sql });
  const { byteLength } = await answer.arrayBuffer();
  if (!answer.ok || byteLength === 0) {
    throw new Error(`the store answered ${answer.status} with ${byteLength} bytes to "${sql}"`);
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
