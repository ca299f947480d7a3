import type { Logger } from "lifecycle";
import type { GoodCount } from "storage/api";
import { alertMessage } from "./alert-message.ts";
import { AlertSender } from "./alert-sender.ts";
import type { AlertTarget, TargetParts } from "./alert-target.ts";
import { countedFields, type Objective, type ObjectivesFile, objectiveKey } from "./objective.ts";
import { ObjectiveCounts } from "./objective-counts.ts";
import { ObjectiveStatus } from "./objective-status.ts";
import { parseObjectives, readObjectivesText } from "./objectives-file.ts";
import { inTime, Lane } from "./read-lanes.ts";
import type { CountedTime } from "./traceql-counts.ts";

/** Counts the spans of an objective. @throws when the store fails, or its answer would be partial */
export type ReadCounts = (
  objective: Objective,
  time: CountedTime,
  signal: AbortSignal,
) => Promise<readonly GoodCount[]>;

/** Milliseconds between two rounds: a minute, because the store counts spans by minute. */
const roundMs = 60_000;
/** Milliseconds after a whole minute until its spans are counted, so that late spans can arrive. */
const settleMs = 5_000;
/** Milliseconds after which a read of the store counts as failed. The next round tries again. */
const readTimeoutMs = 10_000;
/** Milliseconds that a round waits for the file. After a timeout the next round sees a change, a minute later. */
const reloadTimeoutMs = 2_000;
/** Reads that may run at once for objectives whose last read succeeded. Further reads wait. */
const readsAtOnce = 4;
/** Reads that may run at once for objectives whose last read failed. A separate limit, so they delay no other reads. */
const failedReadsAtOnce = 2;

export interface BoardParts extends Omit<TargetParts, "now"> {
  /** Path of the file; "" for none. */
  readonly path: string;
  /** Counts the spans of an objective in the store. */
  readonly readCounts: ReadCounts;
  /** Log of faults of the file and of reads. */
  readonly log: Logger;
  /** Clock in milliseconds since the Unix epoch; tests pass another clock. */
  readonly now?: () => number;
  /** Timeout of one read in milliseconds; 10,000 by default. */
  readonly readTimeoutMs?: number;
}

/**
 * Counts all objectives of a file, minute by minute, and sends their alerts.
 *
 * | Lane | Reads at a time | Jobs |
 * |---|---|---|
 * | `#healthy` | 4 | the newest minutes of objectives whose last read succeeded |
 * | `#failing` | 2 | the newest minutes and the history of objectives whose last read failed |
 * | `#history` | 1 | the window before the start of this process, slice by slice |
 *
 * So an objective with a slow condition delays neither the minutes of others nor their alerts.
 */
export class ObjectiveBoard {
  readonly #parts: BoardParts;
  readonly #now: () => number;
  /** Sends alerts to all targets. */
  readonly #sender: AlertSender;
  // See the table above.
  readonly #healthy = new Lane(readsAtOnce);
  readonly #failing = new Lane(failedReadsAtOnce);
  readonly #history = new Lane(1);
  /** Aborted by `close`. */
  readonly #stop = new AbortController();
  /** Objectives whose newest minutes are being counted. A round skips these objectives. */
  readonly #reading = new Set<ObjectiveStatus>();
  /** Objectives whose history is being counted. */
  readonly #filling = new Set<ObjectiveStatus>();
  /** The running read of the file. It stays pending while the file system hangs. */
  #reloading: Promise<void> | undefined;
  /** Objectives by tenant and name, in the order of the file. */
  #statuses: ReadonlyMap<string, ObjectiveStatus> = new Map();
  /** Text of the file in use; undefined before the first read. */
  #text: string | undefined;
  /** Error of the present file; undefined when the present file is in use. */
  #fileError: string | undefined;
  /** Timers of rounds and repetitions. */
  #timers: NodeJS.Timeout[] = [];

  constructor(parts: BoardParts) {
    this.#parts = parts;
    this.#now = parts.now ?? Date.now;
    this.#sender = new AlertSender({ ...parts, now: this.#now });
  }

  /** True when a file is in use. False: the board does nothing. */
  get isOn(): boolean {
    return this.#text !== undefined;
  }

  /** Objectives in the order of the file. */
  get statuses(): readonly ObjectiveStatus[] {
    return [...this.#statuses.values()];
  }

  /** Addresses that alerts are sent to. */
  get targets(): readonly AlertTarget[] {
    return this.#sender.targets;
  }

  /** Error of the present file; the previous version stays in use. */
  get fileError(): string | undefined {
    return this.#fileError;
  }

  find(tenant: string, name: string): ObjectiveStatus | undefined {
    return this.#statuses.get(objectiveKey({ tenant, name }));
  }

  /** Reads the file for the first time. @throws Error for a file that cannot be read, or has a mistake */
  async open(): Promise<void> {
    if (this.#parts.path !== "") {
      this.use(await readObjectivesText(this.#parts.path));
    }
  }

  /** Uses a text: objectives that count the same spans as before keep their counts. @throws Error for a mistake */
  use(text: string): void {
    this.#use({ text, file: parseObjectives(text) });
  }

  /** Counts at once, and then shortly after each whole minute. */
  start(): void {
    if (!this.isOn) {
      return;
    }
    void this.round();
    const untilNext = roundMs - (this.#now() % roundMs) + settleMs;
    const again = (run: () => void, first: number) => {
      const timer = setTimeout(() => {
        run();
        this.#timers.push(setInterval(run, roundMs));
      }, first);
      this.#timers.push(timer);
    };
    again(() => void this.round(), untilNext);
    // Repetitions have a separate timer, so that alerts do not end while the store or the file hangs.
    again(() => this.sayAgain(), roundMs / 2);
  }

  /** Reads the file again, and counts every objective that is not being counted. */
  async round(): Promise<void> {
    this.#reloading ??= this.#reload().finally(() => {
      this.#reloading = undefined;
    });
    // A hanging file system must delay only changes of the file, not the counting.
    await inTime(reloadTimeoutMs, this.#stop.signal, () => this.#reloading ?? Promise.resolve()).catch(
      () => {},
    );
    if (this.#stop.signal.aborted) {
      return;
    }
    for (const status of this.#statuses.values()) {
      if (!this.#reading.has(status)) {
        this.#reading.add(status);
        const lane = status.newError === undefined ? this.#healthy : this.#failing;
        lane.add(() => this.#countNew(status));
      }
    }
  }

  /** Sends all firing alerts again. */
  sayAgain(): void {
    for (const status of this.#statuses.values()) {
      for (const alert of status.firing.values()) {
        this.#sender.again(alertMessage(status, alert));
      }
    }
  }

  /** Stops counting, and sends queued alerts until the signal is aborted. */
  async close(signal: AbortSignal): Promise<void> {
    this.#stop.abort();
    for (const timer of this.#timers) {
      clearInterval(timer);
    }
    for (const lane of [this.#healthy, this.#failing, this.#history]) {
      lane.clear();
    }
    await this.#sender.close(signal);
  }

  /**
   * Reads the file, and uses it when it has changed. A mistake is logged once, and the former text stays in
   * use.
   */
  async #reload(): Promise<void> {
    if (this.#parts.path === "") {
      return;
    }
    try {
      const text = await readObjectivesText(this.#parts.path);
      if (text === this.#text) {
        this.#fileError = undefined;
        return;
      }
      this.use(text);
      this.#parts.log.info({ objectives: this.#statuses.size }, "the file of objectives changed");
    } catch (error) {
      const { message } = error as Error;
      if (this.#fileError !== message) {
        this.#parts.log.error({ error: message }, "the file of objectives is not in use");
      }
      this.#fileError = message;
    }
  }

  /**
   * Uses a parsed file. An objective that counts the same spans keeps its counts. Alerts of a changed or
   * removed objective end.
   */
  #use({ text, file }: { text: string; file: ObjectivesFile }): void {
    this.#sender.use(file.targets);
    const before = this.#statuses;
    const next = new Map<string, ObjectiveStatus>();
    for (const objective of file.objectives) {
      const key = objectiveKey(objective);
      const old = before.get(key);
      const isSame = old !== undefined && JSON.stringify(old.objective) === JSON.stringify(objective);
      const keepsCounts = old !== undefined && countedFields(old.objective) === countedFields(objective);
      next.set(
        key,
        isSame
          ? old
          : new ObjectiveStatus(
              objective,
              keepsCounts ? old.counts : new ObjectiveCounts(objective.windowMs),
            ),
      );
    }
    this.#statuses = next;
    this.#text = text;
    this.#fileError = undefined;
    for (const [key, status] of before) {
      if (next.get(key) !== status) {
        this.#endAlerts(status);
      }
    }
  }

  /** Sends the end of all alerts of an objective that is no longer counted. */
  #endAlerts(status: ObjectiveStatus): void {
    for (const alert of status.firing.values()) {
      this.#sender.changed(alertMessage(status, alert, this.#now()));
    }
    status.firing.clear();
  }

  /** True when the objective is still in the file. */
  #isCurrent(status: ObjectiveStatus): boolean {
    return this.#statuses.get(objectiveKey(status.objective)) === status;
  }

  /** Counts the newest minutes of an objective, and decides on its alerts. Then continues with its history. */
  async #countNew(status: ObjectiveStatus): Promise<void> {
    try {
      const time = status.counts.nextNew(this.#now());
      if (time !== undefined && this.#isCurrent(status)) {
        status.counts.addNew(time, await this.#counts(status, time));
        this.#decide(status);
      }
      status.newError = undefined;
    } catch (error) {
      this.#failed(status, error);
      status.newError = (error as Error).message;
      return;
    } finally {
      this.#reading.delete(status);
    }
    if (status.counts.nextOld() !== undefined && !this.#filling.has(status)) {
      this.#filling.add(status);
      this.#fill(status);
    }
  }

  /** Queues a read of the next slice of history. */
  #fill(status: ObjectiveStatus): void {
    const lane = status.oldError === undefined ? this.#history : this.#failing;
    lane.add(async () => {
      if (await this.#countOld(status)) {
        this.#fill(status);
      } else {
        this.#filling.delete(status);
      }
    });
  }

  /**
   * Counts one slice of history; the next slice waits behind slices of other objectives.
   * @returns false after the last slice
   */
  async #countOld(status: ObjectiveStatus): Promise<boolean> {
    const time = status.counts.nextOld();
    if (time === undefined || !this.#isCurrent(status) || this.#stop.signal.aborted) {
      return false;
    }
    const begunMs = performance.now();
    try {
      const counts = await this.#counts(status, time);
      status.counts.addOld(time, counts, performance.now() - begunMs);
      status.oldError = undefined;
    } catch (error) {
      this.#failed(status, error);
      status.counts.oldFailed();
      status.oldError = `history: ${(error as Error).message}`;
      return false;
    }
    if (status.counts.nextOld() !== undefined) {
      return true;
    }
    this.#decide(status);
    return false;
  }

  /** Reads counts from the store, with a timeout. */
  #counts({ objective }: ObjectiveStatus, time: CountedTime): Promise<readonly GoodCount[]> {
    const { readCounts, readTimeoutMs: limitMs = readTimeoutMs } = this.#parts;
    return inTime(limitMs, this.#stop.signal, (signal) => readCounts(objective, time, signal));
  }

  /** Logs a failure, unless the previous read failed too. */
  #failed({ objective, error: before }: ObjectiveStatus, error: unknown): void {
    const { message } = error as Error;
    if (before === undefined && !this.#stop.signal.aborted) {
      this.#parts.log.warn({ objective: objective.name, error: message }, "an objective was not counted");
    }
  }

  /** Decides which alerts fire, and sends alerts that began or ended. */
  #decide(status: ObjectiveStatus): void {
    const nowMs = this.#now();
    // A change of the file may have ended the objective during its read.
    if (!this.#isCurrent(status) || !status.objective.alerts) {
      status.decide(nowMs);
      status.firing.clear();
      return;
    }
    const { begun, ended } = status.decide(nowMs);
    for (const alert of begun) {
      this.#sender.changed(alertMessage(status, alert));
    }
    for (const alert of ended) {
      this.#sender.changed(alertMessage(status, alert, nowMs));
    }
  }
}
