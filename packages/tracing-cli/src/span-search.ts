import { CliError } from "./cli-error.ts";
import type { CommandOptions, OptionValues } from "./command.ts";
import { durationMsOf } from "./time-range.ts";

/**
 * Options that select spans, instead of a TraceQL query. All must match the same span:
 *
 *     --service cart --tag http.status_code=500 --error
 *
 * becomes
 *
 *     { resource.service.name = "cart" && (.http.status_code = "500" || .http.status_code = 500) && status = error }
 */
export const searchOptions: CommandOptions = {
  service: { type: "string", short: "s", placeholder: "name", meaning: "Service of a span." },
  operation: { type: "string", placeholder: "name", meaning: "Name of the span." },
  tag: {
    type: "string",
    short: "t",
    multiple: true,
    placeholder: "key=value",
    meaning: "An attribute of the span or of its resource; may be given again, and then all must match.",
  },
  "min-duration": { type: "string", placeholder: "duration", meaning: "The span lasts at least so long." },
  "max-duration": { type: "string", placeholder: "duration", meaning: "The span lasts at most so long." },
  error: { type: "boolean", meaning: "The span failed." },
};

/** A name in TraceQL, in quotes if it has other characters than letters, digits and `_ . - /`. */
function attributeOf(key: string): string {
  return /^[A-Za-z_][\w.\-/]*$/.test(key) ? `.${key}` : `.${JSON.stringify(key)}`;
}

/** A number or a boolean if the text looks like one; otherwise a string. */
function literalOf(text: string): string {
  return /^-?\d+(?:\.\d+)?$|^(?:true|false)$/.test(text) ? text : JSON.stringify(text);
}

/**
 * The condition of `key=value`. The sender decided whether `17` is a number or a text, so both match. The value may
 * contain `=`: the first `=` ends the key.
 * @throws CliError with exit code 2 without a key
 */
function tagCondition(tag: string): string {
  const at = tag.indexOf("=");
  if (at < 1) {
    throw new CliError(`--tag: ${JSON.stringify(tag)} is no key=value`, 2);
  }
  const name = attributeOf(tag.slice(0, at));
  const text = tag.slice(at + 1);
  const value = literalOf(text);
  const asText = `${name} = ${JSON.stringify(text)}`;
  return value === JSON.stringify(text) ? asText : `(${asText} || ${name} = ${value})`;
}

/** The duration of an option in nanoseconds, a unit of TraceQL; `1d` of the command line is `86400000000000ns`. */
function duration(values: OptionValues, option: string): string {
  const text = values.text(option);
  return `${Math.round(durationMsOf(text, option) * 1_000_000)}ns`;
}

/**
 * The TraceQL query of a command: its operand, or a query made of `searchOptions`.
 * @throws CliError when both are given
 */
export function queryOf(operand: string | undefined, values: OptionValues): string {
  const conditions: string[] = [];
  if (values.text("service") !== "") {
    conditions.push(`resource.service.name = ${JSON.stringify(values.text("service"))}`);
  }
  if (values.text("operation") !== "") {
    conditions.push(`name = ${JSON.stringify(values.text("operation"))}`);
  }
  conditions.push(...values.list("tag").map(tagCondition));
  if (values.text("min-duration") !== "") {
    conditions.push(`duration >= ${duration(values, "min-duration")}`);
  }
  if (values.text("max-duration") !== "") {
    conditions.push(`duration <= ${duration(values, "max-duration")}`);
  }
  if (values.flag("error")) {
    conditions.push("status = error");
  }
  if (operand === undefined) {
    return conditions.length === 0 ? "{}" : `{ ${conditions.join(" && ")} }`;
  }
  if (conditions.length > 0) {
    throw new CliError(
      `a query and ${Object.keys(searchOptions)
        .filter((name) => values.text(name) !== "" || values.flag(name) || values.list(name).length > 0)
        .map((name) => `--${name}`)
        .join(", ")}: give one of both`,
      2,
    );
  }
  return operand;
}
