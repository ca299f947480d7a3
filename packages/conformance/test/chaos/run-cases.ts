import type { ChaosCase } from "./chaos-case.ts";
import { type ChaosProcesses, openChaosProcesses } from "./chaos-processes.ts";
import { type ChaosRow, newLedger, runCase } from "./run-case.ts";
import { Scratch, SkipCase } from "./scratch.ts";

export interface RunCasesSettings {
  readonly seed: number;
  readonly isShort: boolean;
  /** When aborted, no further case begins; the running one ends normally. */
  readonly signal?: AbortSignal;
  /** Called with each row when it is complete. */
  onRow?(row: ChaosRow): void;
}

/**
 * Runs cases one after another. Cases without separate processes share one set of processes, as long as no problem
 * occurs.
 * @returns a row for each case that has begun, even after an error
 */
export async function runCases(
  cases: readonly ChaosCase[],
  { seed, isShort, signal, onRow }: RunCasesSettings,
): Promise<ChaosRow[]> {
  const rows: ChaosRow[] = [];
  let shared: ChaosProcesses | undefined;
  try {
    for (const chaosCase of cases) {
      if (signal?.aborted === true) {
        break;
      }
      const scratch = new Scratch();
      const isOwn = chaosCase.settings !== undefined;
      let backend = isOwn ? undefined : shared;
      let row: ChaosRow;
      try {
        const ledger = newLedger(chaosCase.saidMissing !== undefined);
        if (backend === undefined) {
          backend = await openChaosProcesses(chaosCase.settings?.(scratch));
          if (!isOwn) {
            shared = backend;
          }
          await chaosCase.prepare?.(backend, ledger);
          await backend.start();
        }
        row = await runCase(chaosCase, { backend, scratch, ledger, seed, isShort });
      } catch (error) {
        row = rowOfError(chaosCase, error);
      }
      if (backend !== undefined && (isOwn || !row.isOk)) {
        await backend.close();
        if (backend === shared) {
          shared = undefined;
        }
      }
      scratch.close();
      rows.push(row);
      onRow?.(row);
    }
  } finally {
    await shared?.close();
  }
  return rows;
}

function rowOfError(chaosCase: ChaosCase, error: unknown): ChaosRow {
  const message = error instanceof Error ? error.message : String(error);
  const isSkipped = error instanceof SkipCase;
  return {
    ...{ case: chaosCase.name, acknowledged: 0, refused: 0, unanswered: 0, found: 0, missing: 0, twice: 0 },
    ...{ agent: undefined, secondsToNormal: undefined, isOk: isSkipped },
    problems: isSkipped ? [] : [message],
    ...(isSkipped ? { skipped: message } : {}),
  };
}
