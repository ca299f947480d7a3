import { join } from "node:path";
import { batchSpans, millionPerHour } from "../store/fill-store.ts";
import { type FilledSystem, startFilledSystem } from "../store/filled-system.ts";
import { type Arguments, type OptionSpec, UsageError } from "./arguments.ts";

/** Options of a command that needs stores of several sizes. */
export const storeSizeSpecs = {
  folder: { value: "PATH", text: "Data of our stores, `hours-N` of each; kept, and filled only when empty." },
  hours: { value: "N,…", text: "Sizes of our stores: a million spans are an hour.", fallback: "1,10" },
} satisfies Record<string, OptionSpec>;

/** For tests: fewer spans in each hour. */
export const spansOfHourSpecs = {
  spans: {
    value: "N",
    text: "Spans of an hour; figures are of a million.",
    fallback: String(millionPerHour),
  },
} satisfies Record<string, OptionSpec>;

/** @returns the value of `--spans`, rounded up to whole requests @throws UsageError when it is not a number of spans */
export function spansOfHour(options: Arguments<"spans">): number {
  return Math.ceil(options.integer("spans", batchSpans, 10 * millionPerHour) / batchSpans) * batchSpans;
}

/** @returns the value of `--folder` @throws UsageError when it is absent */
export function folderOf(options: Arguments<"folder">): string {
  const folder = options.text("folder");
  if (folder === "") {
    throw new UsageError("--folder is missing");
  }
  return folder;
}

/** @param text value of `--hours` @throws UsageError when it is not a list of sizes */
export function hoursOf(text: string): number[] {
  const sizes = text.split(",").map(Number);
  for (const size of sizes) {
    if (!Number.isInteger(size) || size < 1 || size > 10_000) {
      throw new UsageError(`--hours "${text}" is not a list of whole numbers from 1 to 10000`);
    }
  }
  return sizes;
}

/** Starts the store with this many hours of spans in its folder, as {@link startFilledSystem} does. */
export function startStoreOfHours(
  folder: string,
  hours: number,
  signal: AbortSignal,
  spansPerHour = millionPerHour,
): Promise<FilledSystem> {
  return startFilledSystem(join(folder, `hours-${hours}`), { hours, spansPerHour }, signal);
}
