import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf, ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import { IpRanges } from "server-core/net/ip-ranges";
import { replaceAll } from "server-core/placeholders/machine-placeholders";
import { z } from "zod";
import type { Matcher } from "../routes/handler.ts";

/**
 * Maximum number of bytes of the file. A larger file is refused: reading it would block all connections of the thread.
 */
const maxFileBytes = 4 * 1024 * 1024;
/**
 * Milliseconds between two checks of the file. A check is a `stat` in the thread that serves connections, so it is not
 * made for each connection.
 */
const checkIntervalMs = 1_000;

/**
 * Parses lines with an address or a range; other lines, such as comments, are skipped. Source: caddy-l4,
 * `loadIPAddresses`
 */
function rangesOf(text: string): IpRanges {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const ranges = lines.filter((line) => {
    try {
      return /^[0-9a-f.:]+(?:%\w+)?(?:\/\d+)?$/i.test(line) && new IpRanges([line]) !== undefined;
    } catch {
      return false;
    }
  });
  return new IpRanges(ranges);
}

/** The addresses in a file that may change at any time. */
class ListFile {
  readonly #path: string;
  readonly #warn: (text: string) => void;
  #ranges = new IpRanges([]);
  /** Time, size and inode of the read file, to detect a change. "none" for a missing file. */
  #version = "";
  /** Time of the last check, on the clock of `performance.now()`. */
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(path: string, warn: (text: string) => void) {
    this.#path = path;
    this.#warn = warn;
  }

  /** Returns the ranges, after reading a changed file. An unreadable file keeps the previous ranges. */
  ranges(now: number): IpRanges {
    if (now - this.#checkedAt >= checkIntervalMs) {
      this.#checkedAt = now;
      try {
        this.#refresh();
      } catch (error) {
        this.#warn(`remote_ip_list: ${this.#path} is not read: ${messageOf(error)}`);
      }
    }
    return this.#ranges;
  }

  /** Reads the file if it has changed. @throws Error for a too large or unreadable file */
  #refresh(): void {
    const stat = statSync(this.#path, { throwIfNoEntry: false });
    const version = stat === undefined ? "none" : `${stat.mtimeMs}/${stat.size}/${stat.ino}`;
    if (version === this.#version) {
      return;
    }
    this.#version = version;
    if (stat !== undefined && stat.size > maxFileBytes) {
      throw new Error(`it has ${stat.size} bytes, and ${maxFileBytes} are the most`);
    }
    this.#ranges = rangesOf(stat === undefined ? "" : readFileSync(this.#path, "utf8"));
  }
}

/**
 * Matches by the client's address, with a file that is read again after each change. A removed file matches no address.
 * Source: caddy-l4, `layer4.matchers.remote_ip_list`
 */
export const remoteIpListMatcher = defineModule({
  id: "layer4.matchers.remote_ip_list",
  config: z.strictObject({
    remote_ip_file: z
      .string()
      .describe(
        "File of addresses and CIDR ranges, one a line, at most 4 MiB. Its folder must be there; without the file nothing matches.",
      ),
  }),
  provision(config, context): Matcher {
    const path = replaceAll(config.remote_ip_file);
    if (path === "" || statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw new ServerError(
        "MODULE_CONFIG",
        `remote_ip_file: could not find the directory containing the IP file to monitor: ${path}`,
      );
    }
    const file = new ListFile(path, (text) => context.log.warn(text));
    return { matches: ({ addresses }) => file.ranges(performance.now()).contains(addresses.remoteAddress) };
  },
});
