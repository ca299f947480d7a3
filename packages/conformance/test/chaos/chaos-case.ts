import type { Random } from "../faults/seeded-random.ts";
import type { SpanLedger } from "../faults/span-ledger.ts";
import type { SpanSenders } from "../faults/span-senders.ts";
import type { ChaosHouse, ChaosHouseSettings, ProcessName } from "./chaos-house.ts";
import type { Scratch } from "./scratch.ts";

/** The state before a fault: everything runs, under load. */
export interface ChaosScene {
  readonly house: ChaosHouse;
  readonly senders: SpanSenders;
  readonly ledger: SpanLedger;
  readonly random: Random;
  readonly scratch: Scratch;
}

/** One fault: what is broken, for how long, and how it is put right again. */
export interface ChaosCase {
  /** `kind/what`, such as `kill/storage`. */
  readonly name: string;
  /** One sentence for people. */
  readonly meaning: string;
  /** Part of the short form. */
  readonly isShort?: boolean;
  /** Settings of the case's own set of processes; absent: the case shares one. */
  readonly settings?: (scratch: Scratch) => ChaosHouseSettings;
  /** Before anything runs, in a house of its own. */
  prepare?(house: ChaosHouse, ledger: SpanLedger): Promise<void>;
  /** Bytes of an attribute of each span, where the load has to be heavy. */
  readonly ballastBytes?: number;
  /** Processes that end in it and are started again; all others have to live on. */
  readonly restarts?: readonly ProcessName[];
  /** How many acknowledged spans programs say are lost: no more may be missing. Without it none may be. */
  saidMissing?(house: ChaosHouse): Promise<number>;
  /** Resolves when it is broken. */
  harm(scene: ChaosScene): Promise<void>;
  /** How long it stays broken; 5 seconds by default, in the short form 1. */
  readonly holdMs?: number;
  /** Shows, once everything is normal again, that the fault was said and mended. @throws Error what was not */
  proves?(scene: ChaosScene): Promise<void>;
  /** Resolves when it has been put right; what needs time to recover is waited for by who calls. */
  mend(scene: ChaosScene): Promise<void>;
}
