import { randomUUID } from "node:crypto";
import { appendFile } from "node:fs/promises";
import type { Counter } from "@prometheus-io/client";
import type { Logger } from "lifecycle";
import type { DeletionReport, DeletionRun, DeletionSelection } from "storage/clickhouse";
import { StorageError } from "storage/errors";
import { QueryError } from "../query-error.ts";
import { conditionsOf, type DeletionJob, type JobState, totalsOf } from "./deletion-job.ts";

/** Maximum number of jobs that wait. A store rewrites its parts once for each job, so a long queue takes very long. */
const maxWaiting = 10;
/** Maximum number of ended jobs that are kept in memory; the audit file has all. */
const maxEnded = 100;

/** Counts or deletes the spans of a selection. */
export type RunDeletion = (selection: DeletionSelection, run: DeletionRun) => Promise<DeletionReport>;

export interface DeletionSettings {
  /** File to which a line is appended when a job is added, cancelled or ended. Without its first line no job runs. */
  readonly auditFile: string;
  readonly run: RunDeletion;
  readonly log: Logger;
  /** Counts ended jobs by their state. */
  readonly ended?: Counter<"state"> | undefined;
  /** Makes the id of a job; random by default. */
  readonly newId?: (() => string) | undefined;
}

/** A request for a deletion. */
export interface DeletionOrder {
  readonly tenant: string;
  readonly user: string;
  readonly deletes: boolean;
  readonly selection: DeletionSelection;
}

/** Deletions of this process: one runs, some wait, and the last ended ones are remembered. */
export class DeletionJobs {
  readonly #settings: DeletionSettings;
  /** All known jobs, in the order of their creation. */
  readonly #jobs = new Map<string, DeletionJob>();
  /** Ids of waiting jobs whose first line is in the audit file; the others may not begin. */
  readonly #audited = new Set<string>();
  readonly #stops = new Map<string, AbortController>();
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(settings: DeletionSettings) {
    this.#settings = settings;
  }

  /**
   * Adds a job. It begins when those before it have ended.
   * @throws QueryError QUERY_BUSY when too many wait; Error when the audit file cannot be written
   */
  async add({ tenant, user, deletes, selection }: DeletionOrder): Promise<DeletionJob> {
    const waiting = [...this.#jobs.values()].filter(({ state }) => state === "waiting").length;
    if (waiting >= maxWaiting || this.#isClosed) {
      throw new QueryError(
        "QUERY_BUSY",
        `${waiting} deletions wait already, the most that may: try again later`,
        {
          limit: { name: "maximum", value: maxWaiting },
        },
      );
    }
    const job: DeletionJob = {
      ...{ id: (this.#settings.newId ?? randomUUID)(), tenant, user, deletes, selection },
      ...{ createdMs: Date.now(), state: "waiting" },
    };
    // Added before the first `await`, so that the limit also holds for concurrent requests.
    this.#jobs.set(job.id, job);
    this.#stops.set(job.id, new AbortController());
    try {
      await this.#audit(job, "begun");
    } catch (error) {
      this.#jobs.delete(job.id);
      this.#stops.delete(job.id);
      throw error;
    }
    if (job.state === "waiting") {
      this.#audited.add(job.id);
    }
    this.#forget();
    this.#running ??= this.#work();
    return job;
  }

  /** The jobs of a tenant, newest first. */
  list(tenant: string): DeletionJob[] {
    return [...this.#jobs.values()].filter((job) => job.tenant === tenant).reverse();
  }

  /** @throws QueryError QUERY_NOT_FOUND, also for a job of another tenant */
  get(id: string, tenant: string): DeletionJob {
    const job = this.#jobs.get(id);
    if (job?.tenant !== tenant) {
      throw new QueryError("QUERY_NOT_FOUND", "there is no such deletion in this process");
    }
    return job;
  }

  /** Cancels a job that waits or runs; an ended job stays as it is. @throws QueryError QUERY_NOT_FOUND */
  async cancel(id: string, tenant: string, user: string): Promise<DeletionJob> {
    const job = this.get(id, tenant);
    if (job.endedMs === undefined) {
      await this.#audit(job, "cancel-asked", { by: user });
      this.#stops.get(id)?.abort();
      if (job.state === "waiting") {
        await this.#end(job, "cancelled");
      }
    }
    return job;
  }

  /** Cancels the running job and all waiting jobs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const stop of this.#stops.values()) {
      stop.abort();
    }
    await this.#running;
  }

  /** Runs jobs until none waits. */
  async #work(): Promise<void> {
    for (;;) {
      const job = [...this.#jobs.values()].find(
        ({ id, state }) => state === "waiting" && this.#audited.has(id),
      );
      if (job === undefined) {
        this.#running = undefined;
        return;
      }
      await this.#runJob(job);
    }
  }

  async #runJob(job: DeletionJob): Promise<void> {
    const signal = this.#stops.get(job.id)?.signal;
    job.state = "running";
    job.startedMs = Date.now();
    try {
      signal?.throwIfAborted();
      const report = await this.#settings.run(job.selection, {
        isDryRun: !job.deletes,
        signal,
        onProgress(table, partsToDo) {
          job.progress = { table, partsToDo };
        },
      });
      job.report = report;
      const isWhole = report.away.length === 0 && report.tables.every(({ remaining }) => remaining === 0);
      await this.#end(job, job.deletes ? (isWhole ? "done" : "incomplete") : "counted");
    } catch (error) {
      if (signal?.aborted === true) {
        await this.#end(job, "cancelled");
        return;
      }
      job.error = error instanceof StorageError ? error.message : "the deletion failed: see the log";
      this.#settings.log.error({ err: error, job: job.id }, "a deletion failed");
      await this.#end(job, "failed");
    }
  }

  /** Ends a job once. A failure of the audit file is only logged, because spans may already be deleted. */
  async #end(job: DeletionJob, state: JobState): Promise<void> {
    if (job.endedMs !== undefined) {
      return;
    }
    job.endedMs = Date.now();
    job.state = state;
    delete job.progress;
    this.#stops.delete(job.id);
    this.#audited.delete(job.id);
    this.#settings.ended?.inc({ state });
    const { report, error } = job;
    const facts = {
      ...(report && { traces: report.traces, tables: totalsOf(report) }),
      ...(report && report.away.length > 0 && { away: report.away }),
      ...(error !== undefined && { error }),
    };
    try {
      await this.#audit(job, state, facts);
    } catch (failure) {
      this.#settings.log.error({ err: failure, job: job.id, state }, "a line of the audit is lost");
    }
  }

  async #audit({ id, tenant, user, deletes, selection }: DeletionJob, state: string, facts: object = {}) {
    const time = new Date().toISOString();
    const what = conditionsOf(selection);
    const line = { ...{ time, who: user, state, job: id, tenant, deletes, what }, ...facts };
    await appendFile(this.#settings.auditFile, `${JSON.stringify(line)}\n`, { mode: 0o600, flush: true });
  }

  /** Forgets the oldest ended jobs. */
  #forget(): void {
    const ended = [...this.#jobs.values()].filter(({ endedMs }) => endedMs !== undefined);
    for (const { id } of ended.slice(0, Math.max(0, ended.length - maxEnded))) {
      this.#jobs.delete(id);
    }
  }
}
