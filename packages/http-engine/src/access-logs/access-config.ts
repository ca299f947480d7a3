import { z } from "zod";

const names = z.union([z.string().transform((name) => [name]), z.array(z.string())]);

/** Config of a server's `logs`. Source: Caddy 2.11 */
export const accessLogSchema = z.strictObject({
  default_logger_name: z
    .string()
    .nullish()
    .describe("Last part of the logger's name for hosts that are not listed."),
  logger_names: z
    .record(z.string(), names)
    .nullish()
    .describe("Last parts of loggers' names by host; `*` is one label."),
  skip_hosts: z
    .array(z.string())
    .nullish()
    .describe("Hosts whose requests are not logged; `*` is one label."),
  skip_unmapped_hosts: z.boolean().nullish().describe("Whether hosts that are not listed are not logged."),
  should_log_credentials: z
    .boolean()
    .nullish()
    .describe("Whether cookies and passwords are logged, not REDACTED."),
  trace: z
    .boolean()
    .nullish()
    .describe("Whether each handler that a request comes to is logged, as `http.log.trace`, level DEBUG."),
});

export type AccessLogConfig = z.infer<typeof accessLogSchema>;
