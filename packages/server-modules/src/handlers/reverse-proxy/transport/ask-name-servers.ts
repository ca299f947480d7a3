import { type LookupAddress, Resolver } from "node:dns";
import { isIP } from "node:net";
import { readRegularFileSync } from "server-core/files/read-regular-file";
import { lookupThrough } from "./resolver.ts";

/** System files that configure name resolution. */
export interface NameFiles {
  /** List of addresses and names. Source: hosts(5) */
  readonly hosts: string;
  /** Search list and options. The resolver itself reads the name servers. Source: resolv.conf(5) */
  readonly resolvConf: string;
}

/** The files of this machine. Tests use different files. */
const systemFiles: NameFiles = { hosts: "/etc/hosts", resolvConf: "/etc/resolv.conf" };
/**
 * Maximum number of bytes of a hosts file or a resolv.conf. A larger file counts as missing, so that a wrong path
 * cannot fill the memory.
 */
const maxFileBytes = 4 * 1024 * 1024;
/** Timeout of one DNS query, in milliseconds. */
const timeoutMs = 2_000;
const tries = 2;

/** Splits each line into words and drops comments. A missing file has no lines. */
function linesOf(path: string): string[][] {
  try {
    const text = readRegularFileSync(path, maxFileBytes).toString("latin1");
    return text.split("\n").map((line) =>
      line
        .replace(/[#;].*/, "")
        .trim()
        .split(/\s+/),
    );
  } catch {
    return [];
  }
}

/** Addresses of a name in the hosts file. Case and a final dot are ignored. */
function listedAddresses(lines: readonly string[][], hostname: string, family: number): LookupAddress[] {
  const wanted = hostname.toLowerCase().replace(/\.$/, "");
  return lines.flatMap(([address = "", ...names]) => {
    const kind = isIP(address);
    const isWanted = kind !== 0 && (family === 0 || family === kind);
    return isWanted && names.some((name) => name.toLowerCase() === wanted) ? [{ address, family: kind }] : [];
  });
}

/**
 * Lists the full names to query, in order. With `search a.example b.example` and `ndots:1`, the name `db` is queried as
 * `db.a.example`, `db.b.example`, `db`. The name `db.x` is first queried unchanged. Source: resolv.conf(5)
 */
function fullNames(lines: readonly string[][], hostname: string): string[] {
  if (hostname.endsWith(".")) {
    return [hostname];
  }
  const option = lines.flatMap((words) => (words[0] === "options" ? words : [])).join(" ");
  const least = Number(/\bndots:(\d+)/.exec(option)?.[1] ?? 1);
  const search = lines.findLast(([word]) => word === "search" || word === "domain")?.slice(1) ?? [];
  const below = search.map((domain) => `${hostname}.${domain}`);
  return hostname.split(".").length > least ? [hostname, ...below] : [...below, hostname];
}

/**
 * Resolves a name by the hosts file or else by the name servers, without blocking a thread of the pool. Further sources
 * in `nsswitch.conf` are ignored. If a name server fails, and the reason is not an unknown name, the search ends.
 * @param family 4 or 6; 0 for both
 * @throws the error of the name server
 */
export async function askNameServers(
  hostname: string,
  family: 0 | 4 | 6,
  files: NameFiles = systemFiles,
  resolver: Resolver = new Resolver({ timeout: timeoutMs, tries }),
): Promise<readonly LookupAddress[]> {
  const listed = listedAddresses(linesOf(files.hosts), hostname, family);
  if (listed.length > 0) {
    return listed;
  }
  const ask = lookupThrough(resolver);
  let failure: unknown;
  for (const name of fullNames(linesOf(files.resolvConf), hostname)) {
    try {
      return await new Promise<LookupAddress[]>((resolve, reject) => {
        ask(name, { family, all: true }, (error, found) =>
          error === null ? resolve(found as LookupAddress[]) : reject(error),
        );
      });
    } catch (error) {
      failure ??= error;
      if (!["ENOTFOUND", "ENODATA"].includes((error as NodeJS.ErrnoException).code ?? "")) {
        break; // the name server gave no answer, and would give none for the next name
      }
    }
  }
  throw failure;
}
