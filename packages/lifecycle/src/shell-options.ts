import { z } from "zod";
import { logLevels } from "./logger.ts";
import { duration, hostPort } from "./options/fields.ts";

/** The options that the shell adds to those of every process. */
export function shellOptions(adminHostPort: string) {
  return z.object({
    "admin.http.host-port": hostPort(adminHostPort).describe(
      "Address of the admin port: health, /metrics, /version.",
    ),
    "config-file": z
      .string()
      .default("")
      .describe("File with options, YAML or JSON.")
      .meta({ placeholder: "path" }),
    "log-level": z.enum(logLevels).default("info").describe("Least severe level that is logged."),
    "log-encoding": z
      .enum(["auto", "json", "console"])
      .default("auto")
      .describe("Form of log lines; auto is console on a terminal and json otherwise."),
    "shutdown-timeout": duration("10s").describe(
      "How long a graceful stop may take before the process exits.",
    ),
  });
}

export type ShellOptions = z.infer<ReturnType<typeof shellOptions>>;
