import { CliError } from "./cli-error.ts";
import type { OptionValues } from "./command.ts";
import { timeMsOf } from "./time-range.ts";

/** The conditions of a deletion, as the API takes them. */
export interface DeletionOrder {
  readonly traceIds?: readonly string[];
  readonly attribute?: { readonly key: string; readonly value: string };
  readonly start?: number;
  readonly end?: number;
  readonly wholeTenant?: true;
}

/**
 * Reads the conditions. An option with an empty value is refused: a script with an unset variable would lose that
 * condition, and delete all spans that meet the others.
 * @throws CliError with exit code 2
 */
export function deletionOrderOf(values: OptionValues): DeletionOrder {
  const traceIds = values.list("trace-id").flatMap((text) => text.split(","));
  const attributes = values.list("attribute");
  const order: DeletionOrder = {
    ...(traceIds.length > 0 && { traceIds: traceIds.map((id) => filled(id, "trace-id")) }),
    ...(attributes.length > 0 && { attribute: attributeOf(attributes) }),
    ...timeOf(values, "start"),
    ...timeOf(values, "end"),
    ...(values.flag("whole-tenant") && { wholeTenant: true }),
  };
  if (Object.keys(order).length === 0) {
    throw new CliError(
      "name what to delete with --trace-id, --attribute, --start and --end, or --whole-tenant",
      2,
    );
  }
  return order;
}

/** @throws CliError with exit code 2 for a blank text */
function filled(text: string, option: string): string {
  const value = text.trim();
  if (value === "") {
    throw new CliError(`--${option} is empty: leave it out if you do not mean it`, 2);
  }
  return value;
}

function timeOf(values: OptionValues, option: "start" | "end") {
  const [text, other] = values.list(option);
  if (other !== undefined) {
    throw new CliError(`--${option} was given twice`, 2);
  }
  return text === undefined ? {} : { [option]: Math.round(timeMsOf(filled(text, option), option) * 1_000) };
}

/** The first `=` ends the name. A second attribute is refused, because only one of them would count. */
function attributeOf([text = "", other]: readonly string[]): { key: string; value: string } {
  if (other !== undefined) {
    throw new CliError("--attribute was given twice: a deletion takes one", 2);
  }
  const at = filled(text, "attribute").indexOf("=");
  const [key, value] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || value.trim() === "") {
    throw new CliError(`--attribute: ${JSON.stringify(text)} is not key=value with a value`, 2);
  }
  return { key, value };
}
