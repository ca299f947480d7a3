import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A case that this machine cannot run; the message says what it lacks. */
export class SkipCase extends Error {
  override readonly name = "SkipCase";
}

/** Folders and small disks of one case, all gone after it. */
export class Scratch {
  readonly #folders: string[] = [];
  readonly #mounts: string[] = [];

  folder(): string {
    const folder = mkdtempSync(join(tmpdir(), "chaos-scratch-"));
    this.#folders.push(folder);
    return folder;
  }

  /** A file system of its own, in memory. @throws SkipCase where that is not allowed */
  disk(mebibytes: number): string {
    const folder = this.folder();
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", folder], {
        stdio: "ignore",
      });
    } catch {
      throw new SkipCase("needs the right to mount a small file system");
    }
    this.#mounts.push(folder);
    return folder;
  }

  close(): void {
    for (const mount of this.#mounts.splice(0)) {
      execFileSync("umount", [mount], { stdio: "ignore" });
    }
    for (const folder of this.#folders.splice(0)) {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
