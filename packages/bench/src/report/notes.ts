import type { IngestReport } from "../e2e/ingest-report.ts";

/** One line for each reason why calls were not accepted. */
export function reasonLines(title: string, { load }: IngestReport): string[] {
  return load.reasons.map(
    ({ reason, calls, lastDetail }) =>
      `${title}: ${calls} calls ended with ${reason}${lastDetail === "" ? "" : `, the last with "${lastDetail}"`}\n`,
  );
}

/** The load of the machine, because results of a busy machine mean little. */
export function machineLine({ cores, loadBefore, loadAfter }: IngestReport["machine"]): string {
  const load = `${loadBefore.toFixed(1)} before, ${loadAfter.toFixed(1)} after`;
  return `${cores} cores, load average ${load}; Node ${process.versions.node}\n`;
}
