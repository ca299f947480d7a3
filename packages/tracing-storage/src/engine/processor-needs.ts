import { readFileSync } from "node:fs";
import { StartError } from "lifecycle";

/** Instructions of x86-64-v3 that the engine uses, but that older processors do not have. Source: ClickHouse 26.6 */
const needed = ["avx2", "bmi2", "fma", "movbe"];

/** Text of /proc/cpuinfo; undefined if the engine has no special needs, or if the system has no such file. */
function ownProcessors(): string | undefined {
  try {
    return process.platform === "linux" && process.arch === "x64"
      ? readFileSync("/proc/cpuinfo", "utf8")
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The engine crashes without a message at the first instruction that the processor does not support.
 * @param processors text of /proc/cpuinfo
 * @throws StartError for a processor without the instructions that the engine needs
 */
export function requireProcessor(processors = ownProcessors()): void {
  const known = /^flags\s*:(.*)$/m
    .exec(processors ?? "")?.[1]
    ?.trim()
    .split(" ");
  const missing = needed.filter((name) => known !== undefined && !known.includes(name));
  if (missing.length > 0) {
    throw new StartError(
      `this processor lacks ${missing.join(", ")}, for which the engine is compiled (x86-64-v3): run it on one of 2013 or later, give a virtual machine the processor of its host (QEMU: -cpu host), or keep spans in a ClickHouse elsewhere (npm start -- --clickhouse http://HOST:8123)`,
    );
  }
}
