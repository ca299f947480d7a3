import { configCount, configDuration } from "server-core/modules/config-fields";
import { z } from "zod";

/** Checks at regular intervals, independent of requests. Source: Caddy 2.11 */
export const activeHealthSchema = z.strictObject({
  /** The whole text is taken as a path, so `?` is escaped. A leading slash is added if missing. */
  path: z.string().nullish().describe("Path to ask for; deprecated: `uri`."),
  /** Takes precedence over `path`. A fragment is cut off. Text that is no path refuses the config. */
  uri: z.string().nullish().describe("Path and query to ask for (/)."),
  /** Checks run only if `uri`, `path`, `port` or `upstream` is set. */
  upstream: z.string().nullish().describe("Asks this address in place of each upstream's own."),
  /**
   * Negative numbers count as 0, which means the upstream's port. A number above 65535 refuses the config.
   */
  port: z
    .int()
    .max(65_535)
    .transform((value) => Math.max(0, value))
    .nullish()
    .describe("Asks this port in place of each upstream's own."),
  /** `Host` sets the authority of the request. Other fields are sent after the server's default fields. */
  headers: z
    .record(z.string(), z.array(z.string()))
    .nullish()
    .describe("Fields of the request; placeholders allowed."),
  method: z.string().nullish().describe("Method of the request (GET)."),
  body: z.string().nullish().describe("Body of the request; placeholders allowed."),
  /** Follows at most ten redirects, always to the same dial address; only path and query of the target are used. */
  follow_redirects: z.boolean().nullish().describe("Whether redirects to the same upstream are followed."),
  /**
   * The interval applies to all threads together: one thread makes each check. A thread may make a check up to a tenth
   * of the interval early.
   */
  interval: configDuration().nullish().describe("Time between two checks (30s)."),
  /** Milliseconds for dialing and the whole response. A slower check fails. */
  timeout: configDuration().nullish().describe("Time for an answer (5s)."),
  passes: configCount().nullish().describe("Passes in a row after which an upstream is up again (1)."),
  fails: configCount().nullish().describe("Fails in a row after which an upstream is down (1)."),
  max_size: configCount().nullish().describe("Bytes of the answer that are looked at (0: 1 MiB)."),
  /**
   * `204` passes only with 204; `2` passes with every status of 200 to 299. The serverfile directive writes `2xx` for
   * the digit 2.
   */
  expect_status: configCount().nullish().describe("Status, or first digit of it, that passes (2xx)."),
  /**
   * The expression is compared with the first `max_size` bytes, decoded as UTF-8. The body is read even without this
   * field.
   */
  expect_body: z.string().nullish().describe("Regular expression, RE2, that the body must match."),
});

/** The config of the checks after validation; durations are milliseconds. */
export type ActiveHealthConfig = z.infer<typeof activeHealthSchema>;
