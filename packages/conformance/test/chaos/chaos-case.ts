import type { Random } from "../faults/seeded-random.ts";
import type { SpanLedger } from "../faults/span-ledger.ts";
import type { SpanSenders } from "../faults/span-senders.ts";
import type { ChaosProcesses, ChaosProcessesSettings, ProcessName } from "./chaos-processes.ts";
import type { Scratch } from "./scratch.ts";

/** The state before a fault: all processes run under load. */
export interface ChaosScene {
  readonly backend: ChaosProcesses;
  readonly senders: SpanSenders;
  readonly ledger: SpanLedger;
  readonly random: Random;
  readonly scratch: Scratch;
}

/** One fault: it is caused, lasts for some time, and is repaired. */
export interface ChaosCase {
  /** Name of the form `kind/what`, such as `kill/storage`. */
  readonly name: string;
  /** One sentence that describes the case. */
  readonly meaning: string;
  /** True: the case is part of the short form. */
  readonly isShort?: boolean;
  /** Settings of a separate set of processes for this case; when absent, the case uses the shared set. */
  readonly settings?: (scratch: Scratch) => ChaosProcessesSettings;
  /** Before anything runs, in a backend of its own. */
  prepare?(backend: ChaosProcesses, ledger: SpanLedger): Promise<void>;
  /** Prepares data with separate processes, before the processes of the case start. */
  readonly ballastBytes?: number;
  /** Processes that end in the case and are started again; all others must keep running. */
  readonly restarts?: readonly ProcessName[];
  /**
   * Number of acknowledged spans that programs report as lost: no more may be missing. When absent, no span may be
   * missing.
   */
  saidMissing?(backend: ChaosProcesses): Promise<number>;
  /** Causes the fault. */
  harm(scene: ChaosScene): Promise<void>;
  /** Milliseconds from the fault to its repair; by default 5 seconds, in the short form 1 second. */
  readonly holdMs?: number;
  /** Checks, after the recovery, that the fault was reported and repaired. @throws Error with the missing part */
  proves?(scene: ChaosScene): Promise<void>;
  /** Repairs the fault; the caller waits for the recovery. */
  mend(scene: ChaosScene): Promise<void>;
}
