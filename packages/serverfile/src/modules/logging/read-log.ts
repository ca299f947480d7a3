import type { TokenCursor } from "../../lexer/token-cursor.ts";
import { duration, type FieldReaders, integer } from "../../values/block-fields.ts";
import { type Draft, isEmptyDraft, listOf, setAt } from "../../values/draft.ts";
import type { ReadModule } from "../module-reader.ts";

/** The parsed block of a log. */
export interface LogBlock {
  /** The log in config form. */
  readonly draft: Draft;
  /** True when the block has no settings of the log. */
  readonly isEmpty: boolean;
  /** Hosts of the `hostnames` line; empty: the hosts of the site. */
  readonly hosts: readonly string[];
  /** True for `no_hostname`: no host uses this log, but handlers can select it by name. */
  readonly noHost: boolean;
}

/** Names of writers without settings. As in Caddy, a word after such a name begins another line. */
const plainWriters = new Set(["discard", "stderr", "stdout"]);

/** Lines that are allowed once in a block. */
const singular = new Set(["output", "sampling", "core", "format", "level", "no_hostname"]);

/** Readers of the lines in a `sampling` block. */
export const samplingFields: FieldReaders = {
  interval: duration("interval", "failed to parse interval"),
  first: integer("first", "failed to parse first"),
  thereafter: integer("thereafter", "failed to parse thereafter"),
};

/** `sampling { interval …; first …; thereafter … }`. Each line is allowed once. */
function readSampling(cursor: TokenCursor): Draft {
  const sampling: Draft = {};
  const seen = new Set<string>();
  cursor.remainingArguments();
  for (const outer = cursor.nesting; cursor.nextInBlock(outer); ) {
    const name = cursor.value;
    if (seen.has(name)) {
      throw cursor.error(`'${name}' specified more than once in the same sampling block`);
    }
    seen.add(name);
    const read = Object.hasOwn(samplingFields, name) ? samplingFields[name] : undefined;
    if (read === undefined) {
      throw cursor.error(`unrecognized subdirective: ${name}`);
    }
    read(cursor, sampling);
  }
  return sampling;
}

/**
 * Reads the block of `log`, in a site or in the global options.
 * @param isGlobal true for the global option, which may include and exclude loggers but may not select hosts
 * @throws ServerError CONFIG_ADAPTER
 */
export function readLog(cursor: TokenCursor, readModule: ReadModule, isGlobal: boolean): LogBlock {
  const draft: Draft = {};
  const hosts: string[] = [];
  const seen = new Set<string>();
  let noHost = false;
  while (cursor.nextInBlock(0)) {
    const name = cursor.value;
    if (singular.has(name) && seen.has(name)) {
      throw cursor.error(`'${name}' subdirective specified more than once in the same log block`);
    }
    seen.add(name);
    switch (name) {
      case "hostnames":
        if (isGlobal) {
          throw cursor.error("hostnames is not allowed in the log global options");
        }
        hosts.push(...cursor.someArguments());
        break;
      case "output":
        cursor.argument();
        draft.writer = plainWriters.has(cursor.value)
          ? { output: cursor.value }
          : readModule(cursor, "logging.writers", "output");
        break;
      case "sampling":
        draft.sampling = readSampling(cursor.segmentCursor());
        break;
      case "core":
        cursor.argument();
        draft.core = readModule(cursor, "logging.cores", "module");
        break;
      case "format":
        cursor.argument();
        draft.encoder = readModule(cursor, "logging.encoders", "format");
        break;
      case "level":
        setAt(draft, "level", cursor.argument());
        cursor.noMoreArguments();
        break;
      case "include":
      case "exclude":
        if (!isGlobal) {
          throw cursor.error(`${name} is not allowed in the log directive`);
        }
        while (cursor.nextArgument()) {
          listOf(draft, name).push(cursor.value);
        }
        break;
      case "no_hostname":
        cursor.noMoreArguments();
        noHost = true;
        break;
      default:
        throw cursor.error(`unrecognized subdirective: ${name}`);
    }
  }
  return { draft, isEmpty: isEmptyDraft(draft), hosts, noHost };
}
