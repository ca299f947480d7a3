import { z } from "zod";
import { defineModule } from "../../modules/module.ts";
import type { LogEntry, LogValue } from "../log-entry.ts";
import type { LogEncoder } from "../log-modules.ts";
import {
  compileFields,
  compileLevel,
  compileTime,
  type EncoderConfig,
  encoderShape,
} from "./encoder-fields.ts";
import { jsonText } from "./json-text.ts";

/** Compiles the conversion of an entry to the object of its line. The config names the object's members. */
export function compileObject(config: EncoderConfig): (entry: LogEntry) => Record<string, LogValue> {
  const time = compileTime(config.time_format || "unix_seconds_float", config.time_local === true);
  const level = compileLevel(config.level_format ?? "");
  const fields = compileFields(config);
  const keys = {
    level: config.level_key ?? "level",
    time: config.time_key ?? "ts",
    name: config.name_key ?? "logger",
    caller: config.caller_key ?? "caller",
    message: config.message_key ?? "msg",
    stack: config.stacktrace_key ?? "stacktrace",
  };
  return (entry) => {
    const object: Record<string, LogValue> = {};
    const put = (key: string, value: LogValue) => {
      if (key !== "") {
        object[key] = value;
      }
    };
    put(keys.level, level(entry.level));
    put(keys.time, time(entry.timeMs));
    put(entry.logger === "" ? "" : keys.name, entry.logger);
    if (entry.caller !== undefined) {
      put(keys.caller, entry.caller);
    }
    put(keys.message, entry.message);
    Object.assign(object, fields(entry));
    if (entry.stack !== undefined) {
      put(keys.stack, entry.stack);
    }
    return object;
  };
}

/** One JSON object for each line. */
export function makeJsonEncoder(config: EncoderConfig): LogEncoder {
  const objectOf = compileObject(config);
  const ending = config.line_ending ?? "\n";
  return { encode: (entry) => jsonText(objectOf(entry)) + ending };
}

export const jsonEncoder = defineModule({
  id: "logging.encoders.json",
  config: z.strictObject(encoderShape),
  provision: makeJsonEncoder,
});
