import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The file is sparse: parts without data use no disk space. */
const diskBytes = 4 * 2 ** 30;
/** Half a minute, because on a busy machine the kernel releases the files of killed processes late. */
const unmountTries = 1_500;

/**
 * EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH from the kernel's fs/ext4/ext4.h: from now on the file system
 * writes nothing, neither data in memory nor its own journal. Node has no ioctl, but perl is on every Debian.
 */
const shutDown =
  'open(my $folder, "<", $ARGV[0]) or die $!; my $how = pack("L", 2); ioctl($folder, 0x8004587d, $how) or die $!';

/** A disk in a file whose power can be cut: unsynced data is lost. */
export interface PowerDisk {
  readonly folder: string;
  /** Cuts the power: unsynced data is lost, and every use of the folder fails. */
  cut(): void;
  /** Restores the power, after no process uses the folder any more. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

/** @throws Error when the right to mount, `mkfs.ext4`, or loop devices are missing */
export async function openPowerDisk(): Promise<PowerDisk> {
  const home = mkdtempSync(join(tmpdir(), "power-"));
  const image = join(home, "image");
  const folder = join(home, "disk");
  const mount = () => execFileSync("mount", ["-o", "loop", image, folder], { stdio: "pipe" });
  const unmount = async () => {
    for (let left = unmountTries; ; left--) {
      try {
        execFileSync("umount", [folder], { stdio: "pipe" });
        return;
      } catch (error) {
        if (left === 0) {
          throw error;
        }
        await sleep(20);
      }
    }
  };
  try {
    mkdirSync(folder);
    writeFileSync(image, "");
    truncateSync(image, diskBytes);
    execFileSync("mkfs.ext4", ["-q", "-F", image], { stdio: "pipe" });
    mount();
  } catch (error) {
    rmSync(home, { recursive: true });
    throw error;
  }
  return {
    folder,
    cut: () => void execFileSync("perl", ["-e", shutDown, folder], { stdio: "pipe" }),
    async restore() {
      await unmount();
      mount();
    },
    async close() {
      await unmount();
      rmSync(home, { recursive: true });
    },
  };
}
