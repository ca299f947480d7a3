// npm keeps options that stand before "--" for itself, and passes them to scripts as variables. Plain JavaScript for Node 20.

const options = ["demo", "data", "clickhouse", "server-only", "status"];

/**
 * Options of `npm start` that npm has kept.
 * @returns undefined when there are none, otherwise what to write in place of it
 */
export function swallowedOptionsText(environment) {
  const kept = options.flatMap((name) => {
    const value = environment[`npm_config_${name.replace("-", "_")}`];
    if (value === undefined || value === "") {
      return [];
    }
    return [value === "true" ? `--${name}` : `--${name} ${value}`];
  });
  return kept.length === 0
    ? undefined
    : `npm kept ${kept.join(" ")} for itself. Options of npm start stand after "--":\n  npm start -- ${kept.join(" ")}\n`;
}
