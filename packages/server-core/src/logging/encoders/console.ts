import { z } from "zod";
import { defineModule } from "../../modules/module.ts";
import type { LogValue } from "../log-entry.ts";
import type { LogEncoder } from "../log-modules.ts";
import {
  compileFields,
  compileLevel,
  compileTime,
  type EncoderConfig,
  encoderShape,
} from "./encoder-fields.ts";
import { jsonText } from "./json-text.ts";

/** Escapes control characters, because the text of a request must not control a terminal. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}]/gu, (character) => JSON.stringify(character).slice(1, -1));
}

/** A value as JSON with spaces after commas and colons. */
function spacedJson(value: LogValue): string {
  if (Array.isArray(value)) {
    return `[${value.map(spacedJson).join(", ")}]`;
  }
  if (typeof value === "object" && value !== null) {
    const parts = Object.entries(value).map(([name, each]) => `${jsonText(name)}: ${spacedJson(each)}`);
    return `{${parts.join(", ")}}`;
  }
  return jsonText(value);
}

/**
 * Time, level, logger and message for people to read, then the fields as JSON; a tab between each.
 * @param config levels are in color by default, as in Caddy
 */
export function makeConsoleEncoder(config: EncoderConfig): LogEncoder {
  const time = compileTime(config.time_format || "wall_milli", config.time_local === true);
  const level = compileLevel(config.level_format || "color");
  const fields = compileFields(config);
  const ending = config.line_ending ?? "\n";
  return {
    encode(entry) {
      const parts = [
        config.time_key === "" ? "" : String(time(entry.timeMs)),
        config.level_key === "" ? "" : level(entry.level),
        config.name_key === "" ? "" : entry.logger,
        config.caller_key === "" ? "" : (entry.caller ?? ""),
        config.message_key === "" ? "" : printable(entry.message),
      ].filter((part) => part !== "");
      const rest = fields(entry);
      const json = Object.keys(rest).length === 0 ? [] : [spacedJson(rest)];
      const stack = entry.stack === undefined || config.stacktrace_key === "" ? "" : `\n${entry.stack}`;
      return [...parts, ...json].join("\t") + stack + ending;
    },
  };
}

export const consoleEncoder = defineModule({
  id: "logging.encoders.console",
  config: z.strictObject(encoderShape),
  provision: makeConsoleEncoder,
});
