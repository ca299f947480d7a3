import { ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import { replaceAll } from "server-core/placeholders/machine-placeholders";
import { z } from "zod";
import type { Matcher } from "../routes/handler.ts";

const daySeconds = 86_400;

/**
 * Parses a time of day to seconds: `15:04:05` is 54,245. @param name name of the field, for the error
 * @throws ServerError MODULE_CONFIG for a text in another form
 */
function secondsOf(text: string, name: string): number {
  const [, hours, minutes, seconds] = /^(\d\d):(\d\d):(\d\d)$/.exec(text) ?? [];
  const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  if (!(Number(hours) < 24 && Number(minutes) < 60 && Number(seconds) < 60)) {
    throw new ServerError("MODULE_CONFIG", `clock: ${name} ${JSON.stringify(text)} is no time as 15:04:05`);
  }
  return total;
}

/**
 * Compiles a time zone: `Europe/Berlin`, `+02:00`, `+02`, `Local` for the machine's zone, "" for UTC.
 * @returns function from milliseconds since the Unix epoch to the second of the day in this zone
 * @throws ServerError MODULE_CONFIG for an unknown zone
 */
function clockOf(zone: string): (now: number) => number {
  const [, sign, hours, minutes = "0", seconds = "0"] =
    /^([+-])(\d\d)(?::(\d\d)(?::(\d\d))?)?$/.exec(zone) ?? [];
  if (hours !== undefined) {
    const offset = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * (sign === "-" ? -1 : 1);
    return (now) => (((Math.floor(now / 1000) + offset) % daySeconds) + daySeconds) % daySeconds;
  }
  try {
    const timeZone = zone === "Local" ? undefined : zone || "UTC";
    const format = new Intl.DateTimeFormat("en-GB", {
      ...{ timeZone, hourCycle: "h23", hour: "2-digit", minute: "2-digit", second: "2-digit" },
    });
    return (now) => secondsOf(format.format(now), "now");
  } catch {
    throw new ServerError("MODULE_CONFIG", `clock: unknown time zone ${JSON.stringify(zone)}`);
  }
}

/**
 * Matches by the current time of day; no byte is read. The range includes `after` and excludes `before`. A range over
 * midnight is not possible, because a larger `after` is exchanged with `before`. Source: caddy-l4,
 * `layer4.matchers.clock`
 */
export const clockMatcher = defineModule({
  id: "layer4.matchers.clock",
  config: z.strictObject({
    after: z.string().nullish().describe("First second of the time, as 15:04:05 (00:00:00)."),
    before: z
      .string()
      .nullish()
      .describe(
        "The second after it; 00:00:00 is the end of the day (00:00:00). An earlier one than `after` changes places with it.",
      ),
    timezone: z.string().nullish().describe("`Europe/Berlin`, `+02:00` or `Local` (UTC)."),
  }),
  provision(config): Matcher {
    const read = (text: string | null | undefined, name: string) =>
      text ? secondsOf(replaceAll(text), name) : 0;
    const ends = [read(config.after, "after"), read(config.before, "before") || daySeconds];
    const [after, before] = [Math.min(...ends), Math.max(...ends)];
    const clock = clockOf(replaceAll(config.timezone ?? ""));
    return {
      matches() {
        const now = clock(Date.now());
        return now >= after && now < before;
      },
    };
  },
});
