import type { ChildProcess } from "node:child_process";

/** Milliseconds between SIGTERM and SIGKILL, in which a program may clean up. */
const graceMs = 3_000;
/** Windows has no process groups: only the program itself is ended. */
const hasGroups = process.platform !== "win32";

/** Sends a signal to the process group of a program. A program that has already exited is not an error. */
function signal(child: ChildProcess, name: NodeJS.Signals): void {
  try {
    if (hasGroups && child.pid !== undefined) {
      process.kill(-child.pid, name); // the program, and the processes that it started
    } else {
      child.kill(name);
    }
  } catch {
    // The program has exited already.
  }
}

/**
 * The running programs of one handler. Each program leads its own process group, so its child processes end with it.
 * | Event | Then |
 * |---|---|
 * | `end` | SIGTERM to the group, SIGKILL after 3 s |
 * | the program exits by itself | the program is no longer counted |
 * | `close` | `end` for all programs, then wait until SIGKILL is sent |
 * | this process exits | SIGKILL to all groups |
 */
export class ProcessGroups {
  /** Programs that have not exited. */
  readonly #running = new Set<ChildProcess>();
  /** Programs that are being ended. Each promise resolves when SIGKILL is sent, 3 s after SIGTERM. */
  readonly #endings = new Map<ChildProcess, Promise<void>>();
  /** Runs before this process exits, so that no program outlives it. */
  readonly #killAll = (): void => {
    for (const child of this.#running) {
      signal(child, "SIGKILL");
    }
  };

  /** Number of programs that have not exited. */
  get size(): number {
    return this.#running.size;
  }

  /** Registers a started program. */
  add(child: ChildProcess): void {
    if (child.pid === undefined) {
      return; // the program could not be started
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
        // SIGKILL is needed even after the program exited, because a child process may have ignored SIGTERM.
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

  async close(): Promise<void> {
    await Promise.all([...this.#running].map((child) => this.end(child)));
    await Promise.all(this.#endings.values());
  }
}

/** Options for `spawn` that make a program the leader of a process group. */
export const groupOptions = { detached: hasGroups, windowsHide: true } as const;
