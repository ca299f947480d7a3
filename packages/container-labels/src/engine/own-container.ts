import { existsSync, readFileSync } from "node:fs";
import { hostname } from "node:os";

/** Matches a file that engines mount into each container, from a folder whose name is the container's id. */
const ownMount = /\/(?:overlay-)?containers\/([0-9a-f]{64})\/\S* \/etc\/(?:hostname|hosts|resolv\.conf) /;

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/**
 * The id of the container that this process runs in, from the mounts that Docker and podman create. Mounts
 * of other containers may be visible too, so only mounts of this container's files count.
 * @returns undefined outside of a container
 */
export function ownContainerId(): string | undefined {
  const found = ownMount.exec(read("/proc/self/mountinfo"))?.[1];
  const isInside = existsSync("/.dockerenv") || existsSync("/run/.containerenv");
  return found ?? (isInside ? hostname() : undefined);
}
