import { StartError } from "../errors.ts";

/**
 * Reads an option with tags, `key=value,key=value`. A value `${NAME:fallback}` is the environment variable NAME. The
 * fallback is used for a variable that is unset or empty; it may be left out. Spaces around keys and values are
 * ignored.
 * @param parts value of a `commaList` option
 * @param optionName name without dashes, for the error text: "agent.tags"
 * @throws StartError for a part without `=`
 */
export function parseTags(
  parts: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  optionName: string,
): [key: string, value: string][] {
  return parts.map((part) => {
    const [, key, value] = /^\s*([^=\s][^=]*)=(.*)$/s.exec(part) ?? [];
    if (key === undefined || value === undefined) {
      throw new StartError(`option --${optionName}: "${part}" is not key=value`);
    }
    return [key.trim(), expand(value.trim(), environment)];
  });
}

function expand(value: string, environment: Readonly<Record<string, string | undefined>>): string {
  const [, name, fallback] = /^\$\{([^:}]+)(?::([^}]*))?\}$/.exec(value) ?? [];
  return name === undefined ? value : environment[name] || (fallback ?? "");
}
