import { z } from "zod";

/** A store with some months of parts has about a thousand open files, and each connection is one more. */
const fewFiles = 4096;

// The part of Node's diagnostic report that says the limit of open files; "unlimited" is a text.
const reportSchema = z.object({
  userLimits: z.object({ open_files: z.object({ soft: z.union([z.number(), z.string()]) }) }),
});

/**
 * Warns of a low limit of open files, for which processes give many other reasons when they reach it.
 * @param report diagnostic report of this process, after Node has raised the limit
 * @returns a line, or undefined where the limit is high enough or not known, as on Windows
 */
export function fileLimitWarning(report: unknown): string | undefined {
  const limit = reportSchema.safeParse(report).data?.userLimits.open_files.soft;
  return typeof limit === "number" && limit < fewFiles
    ? `a process may open ${limit} files here, which is few for a store: raise the limit (ulimit -n, or LimitNOFILE of systemd)`
    : undefined;
}
