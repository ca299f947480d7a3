// Says that a disk is nearly full: npm and pnpm often give another reason then. Plain JavaScript for Node 20.

import { statfsSync } from "node:fs";

/** An installation with its builds takes 1.4 GB. */
const neededBytes = 1_500_000_000;

/**
 * @param folder of the checkout
 * @param free bytes that this user may still write there
 * @returns a sentence, or an empty text where the disk is no likely reason
 */
export function diskRoomText(folder, free = freeBytes(folder)) {
  return free === undefined || free >= neededBytes
    ? ""
    : `The disk of ${folder} has only ${Math.floor(free / 1e6)} MB left, and the installation takes 1.4 GB: make room first.\n`;
}

function freeBytes(folder) {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
