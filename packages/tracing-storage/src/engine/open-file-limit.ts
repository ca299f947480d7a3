import { StartError } from "lifecycle";
import { z } from "zod";

/** The engine of an empty store opens about 330 files. With fewer it answers half of its queries with "too many open files". */
const leastFiles = 512;

const reportSchema = z.object({
  userLimits: z.object({ open_files: z.object({ soft: z.union([z.number(), z.string()]) }) }),
});

/** The report of this process. Node raised the soft limit to the hard one before; Windows knows no such limit. */
function ownReport(): unknown {
  // Reading all network interfaces would take the report seconds on some machines.
  Object.assign(process.report, { excludeNetwork: true });
  return process.report.getReport();
}

/** @throws StartError where this process may open fewer files than the engine needs to start */
export function requireOpenFiles(report = ownReport()): void {
  const limit = reportSchema.safeParse(report).data?.userLimits.open_files.soft;
  if (typeof limit === "number" && limit < leastFiles) {
    throw new StartError(
      `a process may open only ${limit} files here, and a store needs ${leastFiles}, better 4096: raise the hard limit (ulimit -n 4096, where needed in a shell of root; LimitNOFILE of systemd; nofile of a container)`,
    );
  }
}
