import { configCount, configDuration, z } from "server-module-api";

/** Address of a local API on this machine. Source: hslatman/caddy-crowdsec-bouncer */
export const defaultApiUrl = "http://127.0.0.1:8080/";
/** Default interval between two pulls, in milliseconds. Source: hslatman/caddy-crowdsec-bouncer */
export const defaultIntervalMs = 60_000;
/** Default interval between two pulls of all decisions, in milliseconds. */
export const defaultFullIntervalMs = 3_600_000;
/** Default limit of decisions: some 30 MB of IPv4 addresses, 60 MB of IPv6 addresses. */
export const defaultMaxDecisions = 2_000_000;

/** Default time for a check by the AppSec component, in milliseconds. Source: hslatman/caddy-crowdsec-bouncer */
export const defaultAppsecMs = 2_000;
/** Default limit of the bytes of a body that the AppSec component gets. */
export const defaultAppsecBytes = 1024 * 1024;

/**
 * Config of the app `crowdsec`.
 * ```json
 * { "api_url": "http://127.0.0.1:8080/", "api_key": "{env.CROWDSEC_KEY}", "ticker_interval": "15s" }
 * ```
 * Source: hslatman/caddy-crowdsec-bouncer
 */
export const crowdsecSchema = z.strictObject({
  api_url: z
    .string()
    .nullish()
    .describe(
      `Address of CrowdSec's local API, with http or https; placeholders allowed (${defaultApiUrl}).`,
    ),
  api_key: z
    .string()
    .nullish()
    .describe("Key of this bouncer, as `cscli bouncers add` prints it; placeholders allowed; needed."),
  ticker_interval: z
    .string()
    .nullish()
    .describe("Time between two pulls of decisions, at least a second (60s)."),
  metrics_interval: configDuration()
    .nullish()
    .describe("Time between two reports of usage to the local API; 0 for none (0)."),
  enable_streaming: z
    .boolean()
    .nullish()
    .describe(
      "Whether decisions are pulled and held in memory; false asks the local API for each request (true).",
    ),
  enable_hard_fails: z
    .boolean()
    .nullish()
    .describe(
      "Whether a local API that is away refuses the config, and with live look-ups each request; false lets requests pass (false).",
    ),
  enable_caddy_metrics: z
    .boolean()
    .nullish()
    .describe("Whether the metrics `crowdsec_*` are among those of the server (false)."),
  full_pull_interval: configDuration()
    .nullish()
    .describe(
      "Time after which a pull asks for all decisions, as the local API leaves out some changes (1h).",
    ),
  max_decisions: configCount()
    .nullish()
    .describe(`Decisions in memory; further ones are refused and logged (${defaultMaxDecisions}).`),
  appsec_url: z
    .string()
    .nullish()
    .describe(
      "Address of CrowdSec's AppSec component, for the handler `appsec`; placeholders allowed (none).",
    ),
  appsec_max_body_bytes: configCount()
    .nullish()
    .describe("Bytes of a body that the component gets; the rest is not checked (1 MiB)."),
  appsec_timeout: configDuration().nullish().describe("Time for a check, after which it has failed (2s)."),
  appsec_fail_open: z
    .boolean()
    .nullish()
    .describe("Whether requests pass whose check has failed; else they get 500 (false)."),
});

export type CrowdsecConfig = z.infer<typeof crowdsecSchema>;
