import { StartError } from "lifecycle";
import { z } from "zod";

/**
 * Number of files that an empty store's engine needs, about 330, plus a reserve. With a lower limit, half of its
 * queries fail with "too many open files".
 */
const leastFiles = 512;

const reportSchema = z.object({
  userLimits: z.object({ open_files: z.object({ soft: z.union([z.number(), z.string()]) }) }),
});

/**
 * The diagnostic report of this process, which contains its limits. Node has already raised the soft limit to the hard
 * limit; Windows has no such limit.
 */
function ownReport(): unknown {
  // Without this option, the report reads all network interfaces, which takes seconds on some machines.
  Object.assign(process.report, { excludeNetwork: true });
  return process.report.getReport();
}

/** @throws StartError if this process may open fewer files than the engine needs */
export function requireOpenFiles(report = ownReport()): void {
  const limit = reportSchema.safeParse(report).data?.userLimits.open_files.soft;
  if (typeof limit === "number" && limit < leastFiles) {
    throw new StartError(
      `a process may open only ${limit} files here, and a store needs ${leastFiles}, better 4096: raise the hard limit (ulimit -n 4096, where needed in a shell of root; LimitNOFILE of systemd; nofile of a container)`,
    );
  }
}
