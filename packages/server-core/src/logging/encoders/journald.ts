import { z } from "zod";
import { inlineModule } from "../../modules/config-fields.ts";
import { defineModule } from "../../modules/module.ts";
import type { LogLevelName } from "../log-entry.ts";
import type { LogEncoder } from "../log-modules.ts";
import { loadWrapped } from "./wrapped-encoder.ts";

/** Source: sd-daemon(3), syslog(3) */
const priorities: Readonly<Record<LogLevelName, number>> = {
  debug: 7,
  info: 6,
  warn: 4,
  error: 3,
  panic: 2,
  fatal: 1,
};

/** The journal records the time of each line, so the console form omits it. */
function withoutConsoleTime(config: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (config.format === "console") {
    return { ...config, time_key: "" };
  }
  const { wrap } = config;
  return typeof wrap === "object" && wrap !== null
    ? { ...config, wrap: withoutConsoleTime(wrap as Record<string, unknown>) }
    : config;
}

/** Adds the priority before each line, in the form that systemd's journal reads. */
export const journaldEncoder = defineModule({
  id: "logging.encoders.journald",
  config: z.strictObject({
    wrap: inlineModule("logging.encoders", "format")
      .nullish()
      .describe("What makes the line (json); `console` leaves out the time, which the journal has."),
  }),
  async provision(config, context): Promise<LogEncoder> {
    const wrapped = await loadWrapped(config.wrap && withoutConsoleTime(config.wrap), context);
    return { encode: (entry) => `<${priorities[entry.level]}>${wrapped.encode(entry)}` };
  },
});
