import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../../src/expect.ts";
import { ask } from "../../src/tracing-api/ask.ts";
import { metricOf } from "../faults/fault-processes.ts";
import { randomOf } from "../faults/seeded-random.ts";
import { type LedgerReport, SpanLedger } from "../faults/span-ledger.ts";
import { SpanSenders } from "../faults/span-senders.ts";
import { type AgentAccount, AgentSender } from "./agent-sender.ts";
import type { ChaosCase } from "./chaos-case.ts";
import { type ChaosProcesses, processNames } from "./chaos-processes.ts";
import type { Scratch } from "./scratch.ts";

/** The result of one case. Numbers of spans, except the seconds. */
export interface ChaosRow {
  readonly case: string;
  /** The answers to senders over every protocol, through the server. */
  readonly acknowledged: number;
  readonly refused: number;
  /** Spans in requests without an answer, which may or may not be stored. */
  readonly unanswered: number;
  /** Acknowledged spans that were found. */
  readonly found: number;
  readonly missing: number;
  /** Number of surplus rows among all sent spans. */
  readonly twice: number;
  /** Spans over UDP, which has no acknowledgements: each must be stored or counted as dropped. */
  readonly agent: AgentAccount | undefined;
  /**
   * Seconds from the repair until every protocol gets acknowledgements, a search is answered and the agent delivers.
   */
  readonly secondsToNormal: number | undefined;
  readonly isOk: boolean;
  readonly problems: readonly string[];
  /** The reason why the case did not run. */
  readonly skipped?: string;
}

export interface RunSettings {
  readonly backend: ChaosProcesses;
  readonly scratch: Scratch;
  readonly ledger: SpanLedger;
  readonly seed: number;
  /** True: faults last a second. */
  readonly isShort: boolean;
}

const patienceMs = 120_000;
const searchTimeoutMs = 10_000;
const holdMs = 5_000;
const shortHoldMs = 1_000;
const pauseMs = 50;

/**
 * A ledger for a load through the server, which refuses requests instead of the collector. @param mayLose true when
 * programs may report lost spans
 */
export function newLedger(mayLose = false): SpanLedger {
  return new SpanLedger({ mayKeepRefused: true, mayLoseAcknowledged: mayLose });
}

/** Runs one case with started processes. Never throws: errors become problems of the row. */
export async function runCase(chaosCase: ChaosCase, settings: RunSettings): Promise<ChaosRow> {
  const { backend, ledger, seed, isShort, scratch } = settings;
  const problems: string[] = [];
  const random = randomOf(seed);
  const { ballastBytes = 200 } = chaosCase;
  const { agent } = backend.processes;
  const senders = new SpanSenders({
    ...{ addresses: backend.spanAddresses, ledger, random, lanesPerDoor: 1, pauseMs, ballastBytes },
  });
  let packets: AgentSender | undefined;
  let secondsToNormal: number | undefined;
  try {
    packets = await AgentSender.start(agent, backend.agentPort);
    await untilNormal(backend, senders, packets);
    const pids = processNames.map((name) => [name, backend.processes[name].pid] as const);
    const scene = { backend, senders, ledger, random, scratch };
    await chaosCase.harm(scene);
    await sleep(isShort ? shortHoldMs : (chaosCase.holdMs ?? holdMs));
    const mendedAt = performance.now();
    await chaosCase.mend(scene);
    await untilNormal(backend, senders, packets);
    secondsToNormal = Math.round((performance.now() - mendedAt) / 100) / 10;
    await chaosCase.proves?.(scene);
    for (const [name, pid] of pids) {
      if (!chaosCase.restarts?.includes(name) && backend.processes[name].pid !== pid) {
        problems.push(`${name} ended`);
      }
    }
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
  } finally {
    await Promise.all([senders.stop(), packets?.stop()]);
  }
  let report: LedgerReport | undefined;
  let account: AgentAccount | undefined;
  try {
    await drained(backend);
    report = await compared(ledger, backend.storageUrl);
    account = await packets?.account(backend.storageUrl);
    const said = await chaosCase.saidMissing?.(backend);
    problems.push(...report.problems);
    // The lost spans may also be spans of the agent, because the reports do not separate them.
    if (said === undefined) {
      problems.push(...(account?.problems ?? []));
    }
    if (report.missing > (said ?? 0)) {
      problems.push(`${report.missing} spans are missing, ${said ?? 0} were said to be`);
    }
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
  }
  const { sent = 0, acknowledged = 0, cut = 0, found = 0, missing = 0, duplicates = 0 } = report ?? {};
  if (acknowledged === 0) {
    problems.push("nothing was acknowledged");
  }
  return {
    ...{
      case: chaosCase.name,
      acknowledged,
      refused: sent - acknowledged - cut,
      unanswered: cut,
      found,
      missing,
    },
    ...{ twice: duplicates, agent: account, secondsToNormal, isOk: problems.length === 0, problems },
  };
}

/**
 * Waits until every protocol gets acknowledgements, a search through the server is answered, and the agent delivers.
 */
async function untilNormal(
  backend: ChaosProcesses,
  senders: SpanSenders,
  packets: AgentSender,
): Promise<void> {
  await Promise.all([senders.more(2, patienceMs), searchAnswers(backend), packets.delivers(patienceMs)]);
}

async function searchAnswers({ frontDoor }: ChaosProcesses): Promise<void> {
  await eventually(async () => {
    const { status, text } = await ask(`${frontDoor}/api/traces?service=fault-test&limit=1`, {
      signal: AbortSignal.timeout(searchTimeoutMs),
    });
    if (status !== 200) {
      throw new Error(`a search is answered with ${status}: ${text.slice(0, 300)}`);
    }
  }, patienceMs);
}

/** Waits until neither collector has spans that wait for storage. */
async function drained({ processes }: ChaosProcesses): Promise<void> {
  await eventually(async () => {
    for (const name of ["collector-1", "collector-2"] as const) {
      const waiting = await metricOf(processes[name], "tracing_collector_queue_length");
      if (waiting > 0) {
        throw new Error(`${waiting} spans of ${name} wait for storage`);
      }
    }
  }, patienceMs);
}

async function compared(ledger: SpanLedger, storageUrl: string): Promise<LedgerReport> {
  return await eventually(async () => {
    const report = await ledger.compare(storageUrl);
    if (report.missing > 0) {
      throw new Error(`${report.missing} spans are missing`);
    }
    return report;
  }, 10_000).catch(() => ledger.compare(storageUrl));
}
