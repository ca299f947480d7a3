import { z } from "zod";

/**
 * Number of open files that a process needs. A lower limit of the system causes a warning. A store with some months of
 * parts has about a thousand open files.
 */
const fewFiles = 4096;

// The part of Node's diagnostic report with the limit of open files: a number, or the text "unlimited".
const reportSchema = z.object({
  userLimits: z.object({ open_files: z.object({ soft: z.union([z.number(), z.string()]) }) }),
});

/**
 * Warns of a low limit of open files. Processes that reach the limit report many misleading errors.
 * @param report diagnostic report of this process, after Node has raised the limit
 * @returns the warning as one line; undefined when the limit is high enough, or unknown (on Windows)
 */
export function fileLimitWarning(report: unknown): string | undefined {
  const limit = reportSchema.safeParse(report).data?.userLimits.open_files.soft;
  return typeof limit === "number" && limit < fewFiles
    ? `a process may open ${limit} files here, which is few for a store: raise the limit (ulimit -n, or LimitNOFILE of systemd)`
    : undefined;
}
