import { readFileSync } from "node:fs";
import { StartError } from "lifecycle";

/** Instructions of x86-64-v3, for which the engine is compiled, as far as older processors lack them. Source: ClickHouse 26.6 */
const needed = ["avx2", "bmi2", "fma", "movbe"];

/** Text of /proc/cpuinfo; undefined where the engine needs nothing special, or nothing is told. */
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
 * The engine ends its process without a word at the first instruction that a processor does not know.
 * @param processors text of /proc/cpuinfo
 * @throws StartError where this processor has less than the engine is compiled for
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
