// The address of an external ClickHouse, from the options of `npm start`. Plain JavaScript for Node 20.

/** @returns the value of `--clickhouse`, or of CLICKHOUSE_URL; undefined: the store is tracing-storage on this machine */
export function clickhouseOf(args, environment = process.env) {
  const at = args.findIndex((arg) => arg === "--clickhouse" || arg.startsWith("--clickhouse="));
  const [option = ""] = args.slice(at);
  const equals = option.indexOf("=");
  const given =
    at === -1 ? environment.CLICKHOUSE_URL : equals === -1 ? args[at + 1] : option.slice(equals + 1);
  return given === undefined || given === "" ? undefined : given;
}
