import { Session } from "node:inspector/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Workers } from "server-core/engine/workers";
import { ServerError } from "server-core/errors";

/** Takes one profile at a time, because two would slow the server and distort each other. */
export class Profiler {
  #busy = false;

  /** Runs `take`. @throws ServerError ADMIN_BUSY while another profile is running */
  async exclusively<Result>(take: () => Promise<Result>): Promise<Result> {
    if (this.#busy) {
      throw new ServerError("ADMIN_BUSY", "another profile is being taken");
    }
    this.#busy = true;
    try {
      return await take();
    } finally {
      this.#busy = false;
    }
  }

  readonly #workers: Workers | undefined;

  /** @param workers undefined when the main thread serves */
  constructor(workers?: Workers) {
    this.#workers = workers;
  }

  /**
   * Takes a CPU profile of a thread in V8's format (`.cpuprofile`).
   * @param thread number of a worker; 0 for the main thread
   * @param signal aborts the profile, without a result
   * @throws ServerError ADMIN_BUSY; ADMIN_REQUEST for a thread that is not running
   */
  cpu(thread: number, seconds: number, signal: AbortSignal): Promise<unknown> {
    if (thread > 0) {
      const over = () => sleep(seconds * 1_000, undefined, { signal });
      return this.exclusively(async () => {
        if (this.#workers === undefined) {
          throw new ServerError("ADMIN_REQUEST", "the main thread serves: there are no workers");
        }
        return this.#workers.cpuProfile(thread, over);
      });
    }
    return this.#inspect(async (session) => {
      await session.post("Profiler.enable");
      await session.post("Profiler.start");
      await sleep(seconds * 1_000, undefined, { signal });
      return (await session.post("Profiler.stop")).profile;
    });
  }

  /**
   * Takes a sampled profile of the main thread's live allocations, in V8's format (`.heapprofile`).
   */
  allocations(seconds: number, signal: AbortSignal): Promise<unknown> {
    return this.#inspect(async (session) => {
      await session.post("HeapProfiler.startSampling");
      await sleep(seconds * 1_000, undefined, { signal });
      return (await session.post("HeapProfiler.stopSampling")).profile;
    });
  }

  /** Takes a profile of this thread with the inspector, one at a time. An abort stops the inspector. */
  #inspect(take: (session: Session) => Promise<unknown>): Promise<unknown> {
    return this.exclusively(async () => {
      const session = new Session();
      session.connect();
      try {
        return await take(session);
      } finally {
        session.disconnect(); // stops a profile that still runs
      }
    });
  }
}
