import type { Registry } from "@prometheus-io/client";
import { type Health, type Logger, StartError } from "lifecycle";
import type { CollectorOptions } from "../../options/collector-options.ts";
import { RepeatingTask } from "../repeating-task.ts";
import { QuotaMetrics } from "./quota-metrics.ts";
import { Quotas } from "./quotas.ts";
import { parseQuotas, QuotasError, readQuotaText, type TenancyOfQuotas } from "./read-quotas.ts";

/** Quotas as the options configure them. */
export interface OpenQuotas {
  /** Undefined without a file. */
  readonly quotas: Quotas | undefined;
  /** Ends the reloading. */
  close(): Promise<void>;
}

interface QuotaContext {
  readonly metrics: Registry;
  readonly log: Logger;
  readonly health: Pick<Health, "degrade">;
}

const topic = "quotas";

/** Without a file nothing is counted or refused. @throws StartError naming file, line and field of a mistake */
export async function openQuotas(options: CollectorOptions, context: QuotaContext): Promise<OpenQuotas> {
  const path = options["collector.quotas.file"];
  if (path === "") {
    return { quotas: undefined, async close() {} };
  }
  const tenancy = { enabled: options["multi-tenancy.enabled"] };
  let reloading: QuotaReloading;
  try {
    reloading = new QuotaReloading({ path, tenancy }, await readQuotaText(path), context);
  } catch (error) {
    throw error instanceof QuotasError
      ? new StartError(`option --collector.quotas.file: ${error.message}`, { cause: error })
      : error;
  }
  const intervalMs = options["collector.quotas.reload-interval"];
  const task = new RepeatingTask(async () => {
    await reloading.look();
    return intervalMs;
  });
  if (intervalMs > 0) {
    task.start(intervalMs);
  }
  return { quotas: reloading.quotas, close: () => task.stop() };
}

/** Reads the file of quotas again and again. A mistake in it leaves the quotas as they are. */
export class QuotaReloading {
  readonly quotas: Quotas;
  readonly #from: { readonly path: string; readonly tenancy: TenancyOfQuotas };
  readonly #context: QuotaContext;
  readonly #metrics: QuotaMetrics;
  /** The text that was read last. Reading a large file again each time costs processor time. */
  #text: string;
  /** The last mistake; a mistake is logged once. */
  #fault: string | undefined;

  /** @throws QuotasError for a mistake in the text */
  constructor(
    from: { readonly path: string; readonly tenancy: TenancyOfQuotas },
    text: string,
    context: QuotaContext,
  ) {
    const file = parseQuotas(text, from.path, from.tenancy);
    this.#from = from;
    this.#context = context;
    this.#text = text;
    this.quotas = new Quotas(file);
    this.#metrics = new QuotaMetrics(this.quotas, context.metrics);
    context.log.info({ tenants: file.tenants.size }, `quotas read from ${from.path}`);
  }

  /** Reads the file once. Never rejects. */
  async look(): Promise<void> {
    const { health, log } = this.#context;
    const { path, tenancy } = this.#from;
    try {
      const text = await readQuotaText(path);
      if (text !== this.#text) {
        const file = parseQuotas(text, path, tenancy);
        this.quotas.use(file);
        this.#text = text;
        this.#metrics.reloaded("used");
        log.info({ tenants: file.tenants.size }, `quotas read again from ${path}`);
      }
      this.#fault = undefined;
      this.#metrics.isUpToDate = true;
      health.degrade(topic, undefined);
    } catch (error) {
      const fault = (error as Error).message;
      if (fault === this.#fault) {
        return;
      }
      this.#fault = fault;
      this.#metrics.reloaded("refused");
      this.#metrics.isUpToDate = false;
      log.error(`quotas stay as they were: ${fault}`);
      health.degrade(topic, `quotas stay as they were: ${fault}`);
    }
  }
}
