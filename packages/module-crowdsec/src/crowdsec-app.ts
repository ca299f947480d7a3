import {
  type App,
  defineModule,
  type ModuleContext,
  messageOf,
  parseGoDuration,
  replaceKnown,
  ServerError,
} from "server-module-api";
import type { AppsecSettings } from "./appsec-client.ts";
import { Bouncer, type BouncerSettings, bouncers } from "./bouncer.ts";
import {
  type CrowdsecConfig,
  crowdsecSchema,
  defaultApiUrl,
  defaultAppsecBytes,
  defaultAppsecMs,
  defaultFullIntervalMs,
  defaultIntervalMs,
  defaultMaxDecisions,
} from "./crowdsec-config.ts";
import { AppMetrics, appMetrics } from "./crowdsec-metrics.ts";
import { type Attached, crowdsecTopics, type TableNews } from "./messages.ts";
import { UsageReports } from "./usage-reports.ts";

/**
 * Maximum time in milliseconds that a start waits for the first decisions, so that blocked clients are refused from the
 * start.
 */
const firstWaitMs = 5_000;
/** The same limit with `enable_hard_fails`. When it is reached, the config is refused. */
const neededWaitMs = 60_000;

/** Resolves with false when the promise takes too long. @throws the error of the promise */
async function isDoneWithin(promise: Promise<void>, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), ms);
  try {
    return await Promise.race([promise.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The app `crowdsec`: pulls decisions of CrowdSec's local API in the main thread, for handlers and matchers in all
 * threads.
 * | Local API | `enable_hard_fails` | Then |
 * |---|---|---|
 * | unreachable at the start | false | requests pass; the next pull follows after at most 10 s |
 * | unreachable at the start | true | the config is refused |
 * | unreachable later, decisions in memory | either | the decisions apply until they end |
 * | unreachable later, live look-ups | false | requests pass |
 * | unreachable later, live look-ups | true | requests get 500 |
 */
class CrowdsecApp implements App {
  readonly #bouncer: Bouncer;
  readonly #failsHard: boolean;
  readonly #reports: UsageReports | undefined;

  constructor(bouncer: Bouncer, failsHard: boolean, reports: UsageReports | undefined) {
    this.#bouncer = bouncer;
    this.#failsHard = failsHard;
    this.#reports = reports;
  }

  async start(): Promise<void> {
    const first = this.#bouncer.start();
    try {
      const isDone = await isDoneWithin(first, this.#failsHard ? neededWaitMs : firstWaitMs);
      if (!isDone && this.#failsHard) {
        throw new Error(`the local API did not answer within ${neededWaitMs / 1000} s`);
      }
    } catch (error) {
      if (this.#failsHard) {
        throw new ServerError("MODULE_CONFIG", messageOf(error), { cause: error });
      }
    }
  }

  activate(): void {
    this.#reports?.start();
  }

  async stop(): Promise<void> {
    await this.#reports?.stop();
  }
}

const isHttpUrl = (text: string) => /^https?:$/.test(URL.parse(text)?.protocol ?? "");

/** The interval of pulls in milliseconds. @throws ServerError MODULE_CONFIG */
function intervalOf(text: string): number {
  const ms = text === "" ? defaultIntervalMs : parseGoDuration(text);
  if (ms === undefined || ms < 1_000) {
    throw new ServerError(
      "MODULE_CONFIG",
      `ticker_interval: ${JSON.stringify(text)} is no duration of at least 1s`,
    );
  }
  return ms;
}

/**
 * @throws ServerError MODULE_CONFIG for a missing or invalid key, and for an address that is no URL of http or https
 */
function settingsOf(config: CrowdsecConfig): BouncerSettings {
  const apiUrl = replaceKnown(config.api_url ?? "") || defaultApiUrl;
  const apiKey = replaceKnown(config.api_key ?? "");
  if (apiKey === "" || !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new ServerError("MODULE_CONFIG", "crowdsec API key must not be empty, nor have spaces");
  }
  if (!isHttpUrl(apiUrl)) {
    throw new ServerError("MODULE_CONFIG", `api_url: ${JSON.stringify(apiUrl)} is no URL of http or https`);
  }
  return {
    apiUrl,
    apiKey,
    intervalMs: intervalOf(replaceKnown(config.ticker_interval ?? "")),
    fullIntervalMs: config.full_pull_interval || defaultFullIntervalMs,
    isStreaming: config.enable_streaming ?? true,
    maxDecisions: config.max_decisions || defaultMaxDecisions,
  };
}

/** Settings of the AppSec component, if there is one. @throws ServerError MODULE_CONFIG */
function appsecOf(config: CrowdsecConfig, apiKey: string): AppsecSettings | undefined {
  const url = replaceKnown(config.appsec_url ?? "");
  if (url !== "" && !isHttpUrl(url)) {
    throw new ServerError("MODULE_CONFIG", `appsec_url: ${JSON.stringify(url)} is no URL of http or https`);
  }
  return url === ""
    ? undefined
    : {
        url,
        apiKey,
        timeoutMs: config.appsec_timeout || defaultAppsecMs,
        maxBodyBytes: config.appsec_max_body_bytes || defaultAppsecBytes,
        failsOpen: config.appsec_fail_open ?? false,
      };
}

async function openBouncer(settings: BouncerSettings, context: ModuleContext): Promise<Bouncer> {
  const { messages, log } = context;
  const publish = (id: string, table: TableNews["table"]) =>
    void messages
      .askServing(crowdsecTopics.table, { id, table } satisfies TableNews)
      .catch((error: unknown) => {
        log.error(`crowdsec: a thread did not take the decisions: ${messageOf(error)}`);
      });
  const { value } = await context.acquire(
    bouncers,
    JSON.stringify(settings),
    () => new Bouncer(settings, log, publish),
  );
  return value;
}

/** Runs in the main thread only. */
export const crowdsecApp = defineModule({
  id: "crowdsec",
  config: crowdsecSchema,
  async provision(config, context): Promise<App> {
    const { messages } = context;
    const bouncer = await openBouncer(settingsOf(config), context);
    const failsHard = config.enable_hard_fails ?? false;
    const hasMetrics = config.enable_caddy_metrics ?? false;
    const appsec = appsecOf(config, bouncer.settings.apiKey);
    messages.on(
      crowdsecTopics.attach,
      (): Attached => ({ id: bouncer.id, table: bouncer.table, failsHard, hasMetrics, appsec }),
    );
    messages.on(crowdsecTopics.look, (address) => bouncer.look(String(address)));
    if (hasMetrics) {
      const { value } = await context.acquire(appMetrics, "", () => new AppMetrics(context.metrics));
      value.show(bouncer);
    }
    const reports = config.metrics_interval
      ? new UsageReports(bouncer, config.metrics_interval, context)
      : undefined;
    return new CrowdsecApp(bouncer, failsHard, reports);
  },
});
