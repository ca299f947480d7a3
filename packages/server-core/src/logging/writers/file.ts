import { resolve } from "node:path";
import type { Logger } from "lifecycle";
import { z } from "zod";
import { errorWithin, messageOf, ServerError } from "../../errors.ts";
import { configCount, configDuration } from "../../modules/config-fields.ts";
import { defineModule } from "../../modules/module.ts";
import { replaceStrictly } from "../../placeholders/machine-placeholders.ts";
import { LineQueue, lostLine } from "../line-queue.ts";
import type { LogWriter } from "../log-modules.ts";
import { makeAppendGate } from "./append-gate.ts";
import { parseTimeOfDay } from "./roll-schedule.ts";
import { RollingFile } from "./rolling-file.ts";

const mebibyte = 1024 * 1024;

const octal = z.string().regex(/^0?[0-7]{1,4}$/, { error: "file mode must be octal, such as 0600" });

const configSchema = z.strictObject({
  filename: z.string().min(1).describe("Path of the file; placeholders of the machine allowed."),
  mode: octal.nullish().describe("Permissions of the file, octal (0600)."),
  dir_mode: z
    .union([octal, z.enum(["", "inherit", "from_file"])])
    .nullish()
    .describe("Permissions of folders that are made: octal, `inherit` or `from_file` (0700)."),
  roll: z.boolean().nullish().describe("Whether large files are put aside (true)."),
  roll_size_mb: configCount().nullish().describe("Size from which that is done, in MiB (100)."),
  roll_interval: configDuration().nullish().describe("Also every so often."),
  roll_minutes: z.array(z.int().min(0).max(59)).nullish().describe("Also at these minutes of each hour."),
  roll_at: z
    .array(z.string().refine((text) => parseTimeOfDay(text) !== undefined, { error: "time must be HH:MM" }))
    .nullish()
    .describe("Also at these times of each day, local time: `00:00`."),
  roll_gzip: z.boolean().nullish().describe("Whether files put aside are compressed (true)."),
  roll_compression: z.enum(["", "none", "gzip", "zstd"]).nullish().describe("How, in place of roll_gzip."),
  roll_local_time: z.boolean().nullish().describe("Whether times in file names are local, not UTC."),
  roll_keep: configCount().nullish().describe("How many files put aside are kept (10)."),
  roll_keep_days: configCount().nullish().describe("How many days they are kept (90)."),
  backup_time_format: z
    .string()
    .nullish()
    .describe("Layout of times in file names (2006-01-02T15-04-05.000)."),
});

type Config = z.infer<typeof configSchema>;

function folderModeOf(text: string): number | "inherit" | "from_file" {
  if (text === "inherit" || text === "from_file") {
    return text;
  }
  return Number.parseInt(text || "700", 8) || 0o700;
}

function compressionOf(config: Config): "none" | "gzip" | "zstd" {
  return config.roll_compression || (config.roll_gzip === false ? "none" : "gzip");
}

/** Appends to a file. Large and old files are rolled. All threads append to the same file, a whole line at a time. */
export const fileWriter = defineModule({
  id: "logging.writers.file",
  config: configSchema,
  provision(config, context): LogWriter {
    const path = resolve(replaceStrictly(config.filename));
    const rolls = config.roll !== false;
    const lock = context.shared.counter(`logging.writers.file/${path}`);
    const file = new RollingFile({
      path,
      mode: Number.parseInt(config.mode ?? "600", 8),
      setMode: Boolean(config.mode),
      folderMode: folderModeOf(config.dir_mode ?? ""),
      maxBytes: rolls ? (config.roll_size_mb || 100) * mebibyte : 0,
      schedule: {
        everyMs: rolls ? (config.roll_interval ?? 0) : 0,
        minutes: rolls ? (config.roll_minutes ?? []) : [],
        daily: rolls ? (config.roll_at ?? []).flatMap((text) => parseTimeOfDay(text) ?? []) : [],
      },
      rules: {
        compression: compressionOf(config),
        keep: config.roll_keep || 10,
        keepDays: config.roll_keep_days || 90,
        timeFormat: config.backup_time_format || "2006-01-02T15-04-05.000",
        local: config.roll_local_time === true,
      },
      async exclusively(work) {
        if (lock.exchange(0, 1)) {
          try {
            await work();
          } finally {
            lock.set(0);
          }
        }
      },
      appending: makeAppendGate(
        context.shared.counter(`logging.writers.file/${path}/epoch`),
        [0, 1].map((side) => context.shared.counter(`logging.writers.file/${path}/appending${side}`)),
      ),
      onError: (error) => context.log.warn(`log file ${path}: ${messageOf(error)}`),
    });
    return queuedWriter(file, path, context.log);
  },
});

/** Writes lines to a file in the background. A repeated failure is logged once until a write succeeds. */
function queuedWriter(file: RollingFile, path: string, log: Logger): LogWriter {
  let failing = false;
  let closed = false;
  const queue = new LineQueue({
    async send(lines) {
      try {
        await file.append(lines);
        failing = false;
      } catch (error) {
        if (!failing) {
          log.error(`log file ${path}: ${messageOf(error)}`);
        }
        failing = true;
        throw error;
      }
    },
    lostLine,
  });
  return {
    write(line) {
      if (!closed) {
        queue.push(line);
      }
    },
    async open() {
      try {
        await file.open();
      } catch (error) {
        throw errorWithin(
          `opening log writer ${path}`,
          new ServerError("CONFIG_REFUSED", messageOf(error), { cause: error }),
        );
      }
    },
    async close() {
      closed = true;
      await queue.drained();
      await file.close();
    },
  };
}
