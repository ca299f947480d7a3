import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = "/sys/fs/cgroup";
/** File names in the two versions of control groups. */
const versions = [
  {
    folder: root,
    marker: "cgroup.controllers",
    limit: "memory.max",
    peak: "memory.peak",
    events: "memory.events",
  },
  {
    folder: join(root, "memory"),
    marker: "memory.limit_in_bytes",
    limit: "memory.limit_in_bytes",
    peak: "memory.max_usage_in_bytes",
    events: "memory.oom_control",
  },
] as const;

/**
 * A control group of Linux with a limit of memory, like a container's group. The kernel also counts cached pages of
 * files, including programs, for the group that read them first; before it kills a process, it frees these pages.
 */
export class MemoryGroup {
  readonly #folder: string;
  readonly #version: (typeof versions)[number];

  /** @throws Error when this is not Linux, or the user is not root */
  constructor(limitBytes: number) {
    const version = versions.find(({ folder, marker }) => existsSync(join(folder, marker)));
    if (version === undefined) {
      throw new Error("no control groups of memory here: Linux has them");
    }
    this.#version = version;
    this.#folder = join(version.folder, `bench-${process.pid}`);
    if (version.folder === root) {
      writeFileSync(join(root, "cgroup.subtree_control"), "+memory");
    }
    mkdirSync(this.#folder);
    writeFileSync(join(this.#folder, version.limit), String(limitBytes));
  }

  /** A command line that runs another command within the group, as the same process. */
  commandLine(command: readonly string[]): [command: string, args: string[]] {
    return ["sh", ["-c", `echo $$ > "$0/cgroup.procs" && exec "$@"`, this.#folder, ...command]];
  }

  /** Highest memory in bytes that was charged to the group. */
  get peakBytes(): number {
    return Number(this.#read(this.#version.peak));
  }

  /** Number of processes in the group that the kernel killed. */
  get kills(): number {
    return Number(/^oom_kill (\d+)$/m.exec(this.#read(this.#version.events))?.[1] ?? 0);
  }

  /** All processes of the group must have ended. */
  close(): void {
    rmdirSync(this.#folder);
  }

  #read(name: string): string {
    return readFileSync(join(this.#folder, name), "utf8");
  }
}
