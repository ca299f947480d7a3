import type { ChildProcess } from "node:child_process";

/** How long a program may clean up after SIGTERM before SIGKILL ends it. */
const graceMs = 3_000;
/** Windows has no groups: only the program itself is ended there. */
const hasGroups = process.platform !== "win32";

/** Sends a signal to the group of a program. A program that has already exited is not an error. */
function signal(child: ChildProcess, name: NodeJS.Signals): void {
  try {
    if (hasGroups && child.pid !== undefined) {
      process.kill(-child.pid, name); // the program, and what it started
    } else {
      child.kill(name);
    }
  } catch {
    // It has ended.
  }
}

/**
 * The programs of one handler that run. Each leads its own process group, so that what a script
 * started ends with it.
 * | Event | Then |
 * |---|---|
 * | `end` | SIGTERM to the group, SIGKILL after 3 s |
 * | the program exits by itself | it is no longer counted |
 * | `close` | `end` for all, and waits for them |
 * | this process exits | SIGKILL to all groups |
 */
export class ProcessGroups {
  /** Programs that have not exited. */
  readonly #running = new Set<ChildProcess>();
  /** Settles when an ended program has exited, by itself or by SIGKILL. */
  readonly #endings = new Map<ChildProcess, Promise<void>>();
  /** The process is about to exit: nothing may outlive it. */
  readonly #killAll = (): void => {
    for (const child of this.#running) {
      signal(child, "SIGKILL");
    }
  };

  /** Programs that have not exited. */
  get size(): number {
    return this.#running.size;
  }

  /** Takes a program that was started. */
  add(child: ChildProcess): void {
    if (child.pid === undefined) {
      return; // it could not be started
    }
    if (this.#running.size === 0) {
      process.on("exit", this.#killAll);
    }
    this.#running.add(child);
    child.once("exit", () => {
      this.#running.delete(child);
      if (this.#running.size === 0) {
        process.off("exit", this.#killAll);
      }
    });
  }

  /** Ends a program and its children: SIGTERM, later SIGKILL. */
  end(child: ChildProcess): Promise<void> {
    if (child.pid === undefined) {
      return Promise.resolve();
    }
    let ending = this.#endings.get(child);
    if (ending === undefined) {
      ending = new Promise((resolve) => {
        signal(child, "SIGTERM");
        // Needed even after the program exited: one of its children may have ignored the first signal.
        setTimeout(() => {
          signal(child, "SIGKILL");
          this.#endings.delete(child);
          resolve();
        }, graceMs);
      });
      this.#endings.set(child, ending);
    }
    return ending;
  }

  /** Ends all programs. */
  async close(): Promise<void> {
    await Promise.all([...this.#running].map((child) => this.end(child)));
    await Promise.all(this.#endings.values());
  }
}

/** Options of `spawn` under which a program heads a group. */
export const groupOptions = { detached: hasGroups, windowsHide: true } as const;
