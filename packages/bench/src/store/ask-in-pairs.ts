import { processUsage } from "../e2e/measure/process-usage.ts";
import type { Question } from "./store-questions.ts";

/** One question that is asked in two ways. */
export interface PairReport {
  readonly name: string;
  /** Results that one call of the question returned. */
  readonly results: number;
  /** Processor time of the store and of this process for one request, in milliseconds. */
  readonly cpuMs: number;
  /** The same for the other way. */
  readonly otherCpuMs: number;
  /** Ratio of the first way to the other: the median over the rounds. */
  readonly ratio: number;
  /** First and third quartile of the ratios. */
  readonly middle: readonly [number, number];
}

/** Numbers of rounds and requests. */
interface PairRounds {
  readonly rounds: number;
  /** Requests for each of the two ways in a round. */
  readonly requests: number;
  /** Called with each report when it is complete. */
  readonly onReport: (report: PairReport) => void;
}

/**
 * Asks each question in two ways, alternating, so that other work on the machine affects both equally.
 * @param pid process id of the store
 * @param questions two lists of the same questions in the same order
 */
export async function askInPairs(
  pid: number,
  [one, other]: readonly [readonly Question[], readonly Question[]],
  { rounds, requests, onReport }: PairRounds,
): Promise<PairReport[]> {
  const reports: PairReport[] = [];
  for (const [index, question] of one.entries()) {
    const asked = [question, other[index] ?? question].map(({ ask }) => ({ ask, cpuMs: [] as number[] }));
    const results = await question.ask(0);
    for (let round = 0; round < rounds; round++) {
      for (const { ask, cpuMs } of round % 2 === 0 ? asked : asked.toReversed()) {
        cpuMs.push(await cpuMsOf(pid, ask, { first: round * requests, requests }));
      }
    }
    const [first = [], second = []] = asked.map(({ cpuMs }) => cpuMs);
    const ratios = first.map((cpuMs, round) => cpuMs / (second[round] ?? 0));
    const report = {
      ...{ name: question.name, results, cpuMs: at(first, 0.5), otherCpuMs: at(second, 0.5) },
      ...{ ratio: at(ratios, 0.5), middle: [at(ratios, 0.25), at(ratios, 0.75)] as const },
    };
    onReport(report);
    reports.push(report);
  }
  return reports;
}

/** Processor time of the store and of this process for one request, in milliseconds. */
async function cpuMsOf(
  pid: number,
  ask: Question["ask"],
  { first, requests }: { readonly first: number; readonly requests: number },
): Promise<number> {
  const ofStore = processUsage(pid).cpuSeconds;
  const own = process.cpuUsage();
  for (let attempt = 0; attempt < requests; attempt++) {
    await ask(first + attempt);
  }
  const { user, system } = process.cpuUsage(own);
  return ((processUsage(pid).cpuSeconds - ofStore) * 1_000 + (user + system) / 1_000) / requests;
}

function at(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? 0;
}
