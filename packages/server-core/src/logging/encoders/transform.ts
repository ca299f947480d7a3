import { z } from "zod";
import { ServerError } from "../../errors.ts";
import { defineModule } from "../../modules/module.ts";
import { replaceAll } from "../../placeholders/machine-placeholders.ts";
import { scanPlaceholders } from "../../placeholders/scan-placeholders.ts";
import type { LogValue } from "../log-entry.ts";
import type { LogEncoder } from "../log-modules.ts";
import { encoderShape } from "./encoder-fields.ts";
import { compileObject } from "./json.ts";
import { jsonText } from "./json-text.ts";

/** The format that `{common_log}` stands for. Source: https://en.wikipedia.org/wiki/Common_Log_Format, as the plug-in writes it */
const commonLog =
  '{request>client_ip} - {user_id} [{ts}] "{request>method} {request>uri} {request>proto}" {status} {size}';
const emptyValue = "-";

/** Maximum number of characters of a template. Each line walks through all of it. */
const maxTemplateLength = 10_000;

const configSchema = z.strictObject({
  ...encoderShape,
  template: z
    .string()
    .min(1, { error: "missing template for formatted log encoder" })
    .describe(
      "The line: `{request>uri}` is a member of the JSON, `{a:b}` the first that is there; `{common_log}`.",
    ),
  placeholder: z.string().nullish().describe("Text in place of what is not there (-)."),
  /** A client can then write line breaks into the log. */
  unescape_strings: z
    .boolean()
    .nullish()
    .describe("Whether texts are written as they are, not escaped as in JSON (false)."),
});

/** The value at a path: names of members, and `[0]` for an element of a list. */
function valueAt(object: LogValue, path: readonly string[]): LogValue | undefined {
  let value: LogValue | undefined = object;
  for (const name of path) {
    if (typeof value !== "object" || value === null) {
      return undefined;
    }
    const index = /^\[(\d+)\]$/.exec(name)?.[1];
    if (Array.isArray(value)) {
      value = index === undefined ? undefined : (value[Number(index)] as LogValue | undefined);
    } else {
      value = Object.hasOwn(value, name) ? (value as { readonly [name: string]: LogValue })[name] : undefined;
    }
  }
  return value;
}

/** Writes one value of a line. */
type ValueText = (object: LogValue) => string;

/** Compiles the placeholder `{a>b:c}`; those of the machine, such as `{env.HOME}`, are filled in for each line. */
function compilePlaceholder(name: string, empty: string, unescapes: boolean): ValueText {
  const paths = name.split(":").map((path) => path.split(">"));
  return (object) => {
    for (const path of paths) {
      const value = valueAt(object, path);
      if (value !== undefined) {
        const text =
          typeof value !== "string" ? jsonText(value) : unescapes ? value : jsonText(value).slice(1, -1);
        return text === "" ? empty : text;
      }
    }
    return replaceAll(`{${name}}`) || empty;
  };
}

/** Makes lines from a template. Source: Caddy's plug-in (caddyserver/transform-encoder) */
export function makeTransformEncoder(config: z.infer<typeof configSchema>): LogEncoder {
  const template = config.template === "{common_log}" ? commonLog : config.template;
  const isCommon = template === commonLog;
  const objectOf = compileObject(isCommon ? { ...config, time_format: "common_log" } : config);
  const empty = config.placeholder || emptyValue;
  const parts = scanPlaceholders(template, () => true).map((part) =>
    typeof part === "string" ? part : compilePlaceholder(part.name, empty, config.unescape_strings === true),
  );
  return {
    encode(entry) {
      const object = objectOf(entry);
      const line = parts.map((part) => (typeof part === "string" ? part : part(object))).join("");
      return `${line.replaceAll('\\"', '"').replace(/\n$/, "")}\n`;
    },
  };
}

const define = (id: string) =>
  defineModule({
    id,
    config: configSchema,
    provision(config): LogEncoder {
      if (config.template.length > maxTemplateLength) {
        throw new ServerError(
          "MODULE_CONFIG",
          `template: longer than the limit of ${maxTemplateLength} characters`,
        );
      }
      return makeTransformEncoder(config);
    },
  });

export const transformEncoder = define("logging.encoders.transform");
/** The older name of the plug-in's encoder. */
export const formattedEncoder = define("logging.encoders.formatted");
