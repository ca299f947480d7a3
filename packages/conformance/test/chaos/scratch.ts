import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Thrown when this machine cannot run a case; the message names the missing resource. */
export class SkipCase extends Error {
  override readonly name = "SkipCase";
}

/** Folders and small disks for one case, which are removed after it. */
export class Scratch {
  readonly #folders: string[] = [];
  readonly #mounts: string[] = [];

  folder(): string {
    const folder = mkdtempSync(join(tmpdir(), "chaos-scratch-"));
    this.#folders.push(folder);
    return folder;
  }

  /** Mounts a file system in memory. @throws SkipCase when the system does not allow this */
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
