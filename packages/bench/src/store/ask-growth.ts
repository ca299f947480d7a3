import type { Question } from "./store-questions.ts";
import { storeCost } from "./store-sql.ts";

/** One of the stores, and its questions. */
export interface GrowthStore {
  readonly hours: number;
  /** The store's HTTP port. */
  readonly url: string;
  readonly questions: readonly Question[];
}

/** Results of one kind of question to one store. */
export interface GrowthFigure {
  readonly hours: number;
  readonly results: number;
  /** Median, lowest value and 95th percentile, in milliseconds. */
  readonly wallMs: number;
  readonly wallMinMs: number;
  readonly wallP95Ms: number;
  /** Rows that the engine read; 0 for traces read directly from parts. */
  readonly rows: number;
}

/** Results of one kind of question to all stores, in their order. */
export interface GrowthReport {
  readonly name: string;
  readonly figures: readonly GrowthFigure[];
}

/**
 * Sends the same questions to stores of different sizes, alternating, so that changes of the machine's speed affect all
 * equally.
 * @param stores all have the same questions; no other client may use them meanwhile
 */
export async function askGrowth(stores: readonly GrowthStore[], times: number): Promise<GrowthReport[]> {
  const reports: GrowthReport[] = [];
  for (const [index, { name }] of stores[0]?.questions.entries() ?? []) {
    const asked = stores.map((store) => ({ store, ask: store.questions[index]?.ask, walls: [] as number[] }));
    for (let attempt = 0; attempt < times; attempt++) {
      for (const { ask, walls } of attempt % 2 === 0 ? asked : asked.toReversed()) {
        const startedAt = performance.now();
        await ask?.(attempt);
        walls.push(performance.now() - startedAt);
      }
    }
    const figures: GrowthFigure[] = [];
    for (const { store, ask, walls } of asked) {
      walls.sort((one, other) => one - other);
      const at = (share: number) => walls[Math.floor(walls.length * share)] ?? 0;
      const { results, rows } = await rowsRead(store.url, async () => (await ask?.(0)) ?? 0);
      figures.push({
        ...{ hours: store.hours, results },
        ...{ wallMs: at(0.5), wallMinMs: at(0), wallP95Ms: at(0.95) },
        rows,
      });
    }
    reports.push({ name, figures });
  }
  return reports;
}

/**
 * Uses the lowest of three readings, because queries of the engine itself also count.
 * @returns rows that the engine read for one question, without the rows read for counting
 */
async function rowsRead(url: string, ask: () => Promise<number>): Promise<{ results: number; rows: number }> {
  let least = Number.POSITIVE_INFINITY;
  let results = 0;
  for (let reading = 0; reading < 3; reading++) {
    const before = await storeCost(url);
    const between = await storeCost(url);
    results = await ask();
    const after = await storeCost(url);
    least = Math.min(least, Math.max(0, after.rows - between.rows - (between.rows - before.rows)));
  }
  return { results, rows: least };
}
