import { ServerError } from "server-core/errors";
import { replaceAll } from "server-core/placeholders/machine-placeholders";
import { z } from "zod";

/** A text field that may contain global placeholders. @param about a sentence that describes the field */
export function filledText(about: string) {
  return z.string().describe(`${about} Global placeholders allowed, such as {env.X} and {file./path}.`);
}

/**
 * Fills the placeholders of texts when the module is made.
 * @throws ServerError MODULE_CONFIG for a field of `needed` that is empty afterwards, for example because a variable is
 * not set
 */
export function filled<Config extends object>(
  config: Config,
  needed: readonly (keyof Config & string)[] = [],
): Config {
  const texts = Object.fromEntries(
    Object.entries(config).map(([name, value]) => [
      name,
      typeof value === "string" ? replaceAll(value).trim() : value,
    ]),
  ) as Config;
  const missing = needed.find((name) => !texts[name]);
  if (missing !== undefined) {
    throw new ServerError("MODULE_CONFIG", `${missing} is missing or empty`);
  }
  return texts;
}
