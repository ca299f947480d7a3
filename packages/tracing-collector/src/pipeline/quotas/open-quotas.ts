import type { Registry } from "@prometheus-io/client";
import type { CollectorOptions } from "../../options/collector-options.ts";
import { ReloadMetrics } from "../files/reload-metrics.ts";
import { readAtStart, WatchedFile, type WatchedFileContext } from "../files/watched-file.ts";
import { countQuotas } from "./count-quotas.ts";
import { Quotas } from "./quotas.ts";
import { parseQuotas, QuotasError, readQuotaText } from "./read-quotas.ts";

/** Quotas as the options configure them. */
export interface OpenQuotas {
  /** The quotas; undefined without a file. */
  readonly quotas: Quotas | undefined;
  /** Reads the file once, in addition to the reads at each interval. Never rejects. */
  look(): Promise<void>;
  /** Stops the reloading. */
  close(): Promise<void>;
}

interface QuotaContext extends WatchedFileContext {
  readonly metrics: Registry;
}

/**
 * Reads the file of quotas, now and at each interval. A mistake that is found later leaves the quotas unchanged.
 * Without a file nothing is counted or refused.
 * @throws StartError with file, line and field of a mistake
 */
export async function openQuotas(options: CollectorOptions, context: QuotaContext): Promise<OpenQuotas> {
  const path = options["collector.quotas.file"];
  if (path === "") {
    return { quotas: undefined, async look() {}, async close() {} };
  }
  const tenancy = { enabled: options["multi-tenancy.enabled"] };
  const parse = (text: string, how: string) => {
    const file = parseQuotas(text, path, tenancy);
    context.log.info({ tenants: file.tenants.size }, `quotas ${how} from ${path}`);
    return file;
  };
  const { text, quotas } = await readAtStart("collector.quotas.file", QuotasError, async () => {
    const text = await readQuotaText(path);
    return { text, quotas: new Quotas(parse(text, "read")) };
  });
  countQuotas(quotas, context.metrics);
  const names = {
    reloads: "tracing_collector_quota_reloads_total",
    upToDate: "tracing_collector_quota_file_up_to_date",
    contents: "quotas",
  };
  const watched = new WatchedFile(
    text,
    {
      contents: "quotas",
      topic: "quotas",
      read: () => readQuotaText(path),
      // The whole text is compared, so that an unchanged large file is not parsed again.
      keyOf: (text) => text,
      use: (text) => quotas.use(parse(text, "read again")),
      metrics: new ReloadMetrics(names, context.metrics),
    },
    context,
  );
  watched.start(options["collector.quotas.reload-interval"]);
  return { quotas, look: () => watched.look(), close: () => watched.close() };
}
