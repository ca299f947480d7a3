import { storeOptions } from "trace-store";
import { z } from "zod";
import { journalOptions } from "./journal-options.ts";
import { pipelineOptions } from "./pipeline-options.ts";
import { privacyOptions } from "./privacy-options.ts";
import { quotaOptions } from "./quota-options.ts";
import { receiverOptions } from "./receiver-options.ts";
import { samplingOptions } from "./sampling-options.ts";

/** Options of `tracing-collector`, one file for each group, in the order of `--help`. */
export const collectorOptions = z.object({
  ...receiverOptions.shape,
  ...pipelineOptions.shape,
  ...privacyOptions.shape,
  ...quotaOptions.shape,
  ...samplingOptions.shape,
  ...journalOptions.shape,
  ...storeOptions("Where spans go; grpc is a remote storage, memory this process's own, for tests."),
});

export type CollectorOptions = z.infer<typeof collectorOptions>;
