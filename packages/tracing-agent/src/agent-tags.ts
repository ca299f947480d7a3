import { StartError } from "lifecycle";
import { type KeyValue, stringTag } from "wire/api-v2";

/**
 * Reads `--agent.tags`: `key=value,key=value`. A value `${NAME:fallback}` is the environment variable NAME, or the
 * fallback (which may be left out) when that is not set or empty. Spaces around keys and values do not count.
 * @throws StartError for a part without `=`
 */
export function parseAgentTags(
  parts: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): KeyValue[] {
  return parts.map((part) => {
    const [, key, value] = /^([^=]+)=(.*)$/s.exec(part) ?? [];
    if (key === undefined || value === undefined) {
      throw new StartError(`option --agent.tags: "${part}" is not key=value`);
    }
    return stringTag(key.trim(), expand(value.trim(), environment));
  });
}

function expand(value: string, environment: Readonly<Record<string, string | undefined>>): string {
  const [, name, fallback] = /^\$\{([^:}]+)(?::([^}]*))?\}$/.exec(value) ?? [];
  return name === undefined ? value : environment[name] || (fallback ?? "");
}
